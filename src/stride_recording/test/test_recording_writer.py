"""The way from the subscriptions to the disk, stepped by hand."""

import errno
from pathlib import Path
from typing import BinaryIO

import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import UInt64

from stride_recording.definitions import full_definition
from stride_recording.disk_file import DiskFile
from stride_recording.mcap_output import McapOutput
from stride_recording.reader import Recording
from stride_recording.recording_writer import CHUNK_PERIOD, RecordingWriter, Taken, Topic

KIND = "std_msgs/msg/UInt64"
TOPIC = Topic("/sync_step", KIND, full_definition(KIND), {})


class Bench:
    """A writer with a clock that stands still, and a disk that can be full."""

    def __init__(self, path: Path, capacity: int = 100) -> None:
        self.path, self.time, self.full = path, 0.0, False
        self.failures: list[str] = []
        file = DiskFile(path.open("wb", buffering=0), sync=self._sync)
        self.writer = RecordingWriter(
            McapOutput(file), self.failures.append, now=lambda: self.time, capacity=capacity
        )
        self.number = 0

    def say(self, count: int = 1) -> None:
        for _ in range(count):
            data = serialize_message(UInt64(data=self.number))
            self.writer.put(Taken(TOPIC, self.number * 10**6, self.number * 10**6, data))
            self.number += 1

    def read(self) -> list[int]:
        return [record.message.data for record in Recording.open(self.path).messages()]

    def _sync(self, _raw: BinaryIO) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "run.mcap")


def test_all_that_was_said_is_in_the_finished_file(bench: Bench) -> None:
    bench.say(30)
    bench.writer.close()
    assert bench.read() == list(range(30))
    assert (bench.writer.messages, bench.writer.dropped) == (30, 0)
    assert not Recording.open(bench.path).unfinished


def test_what_is_a_second_old_can_be_read_though_nobody_closed_the_file(bench: Bench) -> None:
    bench.say(5)
    bench.writer.step()
    assert bench.writer.size == 0
    bench.time += CHUNK_PERIOD
    bench.writer.step()
    bench.say(5)
    bench.writer.step()
    assert bench.read() == list(range(5))
    assert Recording.open(bench.path).unfinished


def test_what_finds_the_queue_full_is_counted(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "run.mcap", capacity=10)
    bench.say(13)
    assert bench.writer.dropped == 3
    bench.writer.step()
    bench.say(1)
    bench.writer.close()
    assert bench.read() == [*range(10), 13]
    assert (bench.writer.messages, bench.writer.dropped) == (11, 3)


def test_a_full_disk_is_told_once_and_leaves_what_was_there(bench: Bench) -> None:
    bench.say(5)
    bench.time += CHUNK_PERIOD
    bench.writer.step()
    bench.time += CHUNK_PERIOD
    bench.writer.step()
    bench.full = True
    for _ in range(3):
        bench.say(5)
        bench.writer.step()
        bench.time += CHUNK_PERIOD
        bench.writer.step()
    bench.writer.close()
    assert bench.failures == ["No space left on device"]
    assert bench.writer.failure == "No space left on device"
    assert bench.read() == list(range(5))


def test_a_disk_that_fills_at_the_very_end_is_told_too(bench: Bench) -> None:
    bench.say(5)
    bench.full = True
    bench.writer.close()
    assert bench.failures == ["No space left on device"]


def test_the_thread_does_what_steps_do(bench: Bench) -> None:
    bench.writer.start()
    bench.say(20)
    bench.writer.close()
    assert bench.read() == list(range(20))
