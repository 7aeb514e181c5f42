"""Recordings are read back exactly, also those that were cut off, and by others' tools."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType, IndexType, Writer
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, UInt64

from stride_base.errors import RefusedError, StrideError
from stride_base.strict_json import FileError
from stride_recording import mcap_input
from stride_recording.definitions import full_definition
from stride_recording.disk_file import create
from stride_recording.mcap_output import McapOutput
from stride_recording.reader import Recording

BEGIN = 1_700_000_000.0
Maker = Callable[..., Path]


def ticks(count: int) -> list[tuple[str, float, Any]]:
    return [("/sync_step", number * 0.02, UInt64(data=number)) for number in range(count)]


def numbers(recording: Recording, **part: Any) -> list[int]:
    return [record.message.data for record in recording.messages(**part)]


def test_a_recording_tells_what_is_in_it(record: Maker) -> None:
    said = [*ticks(25), ("/left/joint_states", 1.0, JointState(name=["a"], position=[0.5]))]
    recording = Recording.open(record(said, namespace="/left", urdf="<robot name='ä'/>"))
    assert recording.topics == {
        "/sync_step": "std_msgs/msg/UInt64",
        "/left/joint_states": "sensor_msgs/msg/JointState",
    }
    assert recording.counts == {"/sync_step": 25, "/left/joint_states": 1}
    assert recording.urdf == "<robot name='ä'/>"
    assert recording.metadata == {"namespace": "/left", "robot": "biped"}
    assert recording.start_time == pytest.approx(BEGIN, abs=1e-6)
    assert recording.end_time == pytest.approx(BEGIN + 1.0, abs=1e-6)
    assert not recording.unfinished
    assert recording.rates()["/sync_step"] == pytest.approx(50.0)
    assert math.isnan(recording.rates()["/left/joint_states"])


def test_messages_come_by_time_whatever_the_order_in_the_file(record: Maker) -> None:
    said = ticks(60)
    for number in range(0, 60, 7):
        said[number], said[59 - number] = said[59 - number], said[number]
    assert numbers(Recording.open(record(said))) == list(range(60))


def test_a_part_of_a_recording_begins_and_ends_where_it_is_asked_to(record: Maker) -> None:
    recording = Recording.open(record(ticks(100)))
    start, end = recording.start_time + 0.5, recording.start_time + 1.0
    assert numbers(recording, start=start, end=end) == list(range(25, 50))


def test_a_message_at_the_very_start_is_not_lost_by_rounding(record: Maker) -> None:
    recording = Recording.open(record(ticks(100)))
    for time in [record.time for record in recording.messages()]:
        assert next(recording.messages(start=time)).time == time
        assert all(record.time < time for record in recording.messages(end=time))


def test_what_lies_before_the_start_is_not_read(
    record: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording, read = Recording.open(record(ticks(1000))), []
    original = mcap_input.read_place

    def counted(stream: Any, place: Any, path: Path) -> Any:
        read.append(place)
        return original(stream, place, path)

    monkeypatch.setattr(mcap_input, "read_place", counted)
    assert numbers(recording, start=recording.end_time - 0.11)[0] == 994
    assert len(read) == 1


def test_an_empty_recording_has_no_times_and_no_messages(record: Maker) -> None:
    recording = Recording.open(record([]))
    assert math.isnan(recording.start_time) and math.isnan(recording.end_time)
    assert numbers(recording, start=recording.start_time, end=recording.end_time) == []
    assert not recording.unfinished


def test_topics_that_are_not_asked_for_are_left_out(record: Maker) -> None:
    recording = Recording.open(record([*ticks(5), ("/steering", 0.01, Float64(data=0.5))]))
    assert numbers(recording, topics=["/steering", "/not/there"]) == [0.5]


def test_a_recording_that_was_killed_is_read_up_to_its_last_chunk(record: Maker) -> None:
    recording = Recording.open(record(ticks(35), finish=False, urdf="<robot/>"))
    assert recording.unfinished
    assert numbers(recording) == list(range(35))
    assert recording.counts == {"/sync_step": 35}
    assert recording.urdf == "<robot/>"
    assert numbers(recording, start=recording.start_time + 0.6) == list(range(30, 35))


@settings(max_examples=60, deadline=None)
@given(share=st.floats(0.0, 1.0))
def test_wherever_a_recording_is_cut_its_whole_chunks_are_read(
    tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    whole = _whole(tmp_path_factory)
    data = whole.read_bytes()
    path = tmp_path_factory.mktemp("cut") / "cut.mcap"
    path.write_bytes(data[: round(share * (len(data) - 1))])
    try:
        recording = Recording.open(path)
    except FileError as error:
        assert "is empty" in str(error) or "no MCAP" in str(error) or "cut off" in str(error)
        return
    found = numbers(recording)
    assert found == list(range(len(found)))
    assert len(found) % 10 == 0


@settings(max_examples=150, deadline=None)
@given(share=st.floats(0.0, 1.0), value=st.binary(min_size=1, max_size=12))
def test_damage_anywhere_is_at_most_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, share: float, value: bytes
) -> None:
    data = bytearray(_whole(tmp_path_factory).read_bytes())
    where = round(share * (len(data) - 1))
    data[where : where + len(value)] = value
    path = tmp_path_factory.mktemp("damaged") / "damaged.mcap"
    path.write_bytes(bytes(data))
    try:
        recording = Recording.open(path)
        list(recording.messages())
        recording.rates()
    except StrideError as error:
        assert "\n" not in str(error)


_kept: dict[str, Path] = {}


def _whole(factory: pytest.TempPathFactory) -> Path:
    """One finished recording for all examples."""
    if "whole" not in _kept:
        path = factory.mktemp("whole") / "whole.mcap"
        output = McapOutput(create(path))
        output.describe({"namespace": ""}, "<robot/>", 1)
        kind = "std_msgs/msg/UInt64"
        channel = output.add_topic("/sync_step", kind, full_definition(kind), {})
        for number in range(50):
            data = serialize_message(UInt64(data=number))
            output.add_message(channel, number, number, number, data)
            if number % 10 == 9:
                output.flush()
        output.finish()
        _kept["whole"] = path
    return _kept["whole"]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"SQLite format 3\x00" * 9, "is no MCAP"), (b"\x89MCAP0\r\n", "cut off")],
)
def test_what_is_no_recording_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(FileError, match=rf"x\.mcap: .*{words}"):
        Recording.open(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.mcap: cannot be read: No such file"):
        Recording.open(tmp_path / "none.mcap")


def test_a_folder_without_recordings_is_named(tmp_path: Path) -> None:
    (tmp_path / "metadata.yaml").write_text("x: 1")
    with pytest.raises(FileError, match=r"holds no \.mcap file"):
        Recording.open(tmp_path)


def test_the_files_of_a_split_bag_are_one_recording(record: Maker) -> None:
    said = ticks(60)
    record(said[:30], name="bag_0.mcap")
    path = record(said[30:], name="bag_1.mcap")
    recording = Recording.open(path.parent)
    assert numbers(recording) == list(range(60))
    assert recording.counts == {"/sync_step": 60}
    assert recording.rates()["/sync_step"] == pytest.approx(50.0)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("compression", list(CompressionType))
def test_other_writers_files_are_read(
    tmp_path: Path, chunked: bool, compression: CompressionType
) -> None:
    path, kind = tmp_path / "other.mcap", "std_msgs/msg/UInt64"
    writer = Writer(
        str(path), use_chunking=chunked, compression=compression, index_types=IndexType.NONE
    )
    writer.start("ros2", "other")
    schema = writer.register_schema(kind, "ros2msg", full_definition(kind).encode())
    channel = writer.register_channel("/sync_step", "cdr", schema)
    for number in range(20):
        data = serialize_message(UInt64(data=number))
        writer.add_message(channel, number * 10**7, data, number * 10**7)
    writer.finish()
    recording = Recording.open(path)
    assert numbers(recording) == list(range(20))
    assert not recording.unfinished
    assert recording.metadata == {}
    assert recording.urdf is None


def test_a_topic_that_cannot_be_decoded_is_told_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "idl.mcap"
    writer = Writer(str(path))
    writer.start("ros2", "other")
    schema = writer.register_schema("p/msg/X", "ros2idl", b"struct X {};")
    writer.add_message(writer.register_channel("/x", "cdr", schema), 1, b"\0\1\0\0", 1)
    writer.finish()
    recording = Recording.open(path)
    assert recording.topics == {"/x": "p/msg/X"}
    assert "ros2idl" in recording.unreadable["/x"]
    assert list(recording.messages()) == []
    with pytest.raises(RefusedError, match=r"idl\.mcap: /x: .*'ros2idl' are unknown"):
        recording.messages(["/x"])


def test_bytes_and_times_are_those_that_were_written(tmp_path: Path) -> None:
    path, kind = tmp_path / "run.mcap", "std_msgs/msg/UInt64"
    output = McapOutput(create(path))
    metadata = {"offered_qos_profiles": "- depth: 1\n"}
    channel = output.add_topic("/sync_step", kind, full_definition(kind), metadata)
    data = serialize_message(UInt64(data=9))
    output.add_message(channel, 0, BIG + 2, BIG + 1, data)
    output.finish()
    from mcap.reader import make_reader

    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        ((schema, found, message),) = reader.iter_messages()
        assert reader.get_header().profile == "ros2"
    assert (found.topic, found.message_encoding, found.metadata) == ("/sync_step", "cdr", metadata)
    assert (schema.name, schema.encoding) == (kind, "ros2msg")
    assert (message.data, message.log_time, message.publish_time) == (data, BIG + 2, BIG + 1)


#: Nanoseconds of today, which no double can hold.
BIG = 1_796_063_425_473_475_437
