"""Recordings as files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from servo_inv.identification.recording import JointRecord
from servo_inv.identification.recording_file import read_motion, read_recording, write_recording
from stride_base.errors import ConfigError, RefusedError, StrideError

COUNT = 60
TIME = np.arange(COUNT) * 0.02


def joint(name: str, effort: bool = True) -> JointRecord:
    wave = np.sin(TIME)
    return JointRecord(
        name,
        TIME,
        wave,
        np.full(COUNT, 0.03),
        0.9 * wave,
        np.full(COUNT, 7.4),
        effort=0.5 * wave if effort else None,
    )


def table(columns: dict[str, object]) -> str:
    """A CSV text; a number stands for a column of it."""
    full = {name: np.broadcast_to(np.asarray(v, float), COUNT) for name, v in columns.items()}
    lines = [",".join(full)]
    lines += [
        ",".join("" if np.isnan(v) else repr(float(v)) for v in row)
        for row in zip(*full.values(), strict=True)
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["my.csv", "my.npz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    written = [joint("left.hip"), joint("knee", effort=False)]
    write_recording(tmp_path / name, written)
    for before, after in zip(written, read_recording(tmp_path / name), strict=True):
        assert after.name == before.name
        for field in ("time", "goal", "duration", "position", "voltage"):
            assert getattr(after, field) == pytest.approx(getattr(before, field), abs=1e-8)
        assert (after.effort is None) == (before.effort is None)


def test_times_of_day_keep_their_differences(tmp_path: Path) -> None:
    record = replace(joint("knee"), time=1.79606051e9 + TIME)
    write_recording(tmp_path / "my.csv", [record])
    (read,) = read_recording(tmp_path / "my.csv")
    assert read.time == pytest.approx(TIME, abs=1e-6)


def test_little_is_needed_and_other_columns_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "my.csv"
    columns = {"time": TIME, "a.goal": 0.1, "a.position": 0.1, "a.load": 3.0, "temperature": 40.0}
    file.write_text(table(columns))
    with pytest.raises(ConfigError, match="expected a column 'voltage', or --voltage"):
        read_recording(file)
    (record,) = read_recording(file, voltage=7.0)
    assert record.voltage.tolist() == [7.0] * COUNT
    assert record.duration == pytest.approx([0.02] * COUNT)
    assert record.effort is None
    file.write_text(table({**columns, "voltage": 8.0}))
    assert read_recording(file, voltage=7.0)[0].voltage.tolist() == [8.0] * COUNT


def test_samples_that_were_not_read_are_left_out_for_their_joint(tmp_path: Path) -> None:
    torn = np.full(COUNT, 0.1)
    torn[[3, 7]] = np.nan
    file = tmp_path / "my.csv"
    columns = {"time": TIME, "a.goal": 0.1, "a.position": torn, "b.goal": 0.1, "b.position": 0.1}
    file.write_text(table({**columns, "voltage": 7.4, "b.effort": np.nan}))
    a, b = read_recording(file)
    assert (len(a.time), len(b.time)) == (COUNT - 2, COUNT)
    assert b.effort is None


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"a.goal": 0.1}, ConfigError, "expected a column 'time'"),
        ({"time": TIME, "voltage": 7.4}, ConfigError, "expected '<joint>.goal'"),
        ({"time": TIME, "a.goal": 0.1}, ConfigError, "expected a column 'a.position'"),
        (
            {"time": TIME, "a.goal": np.nan, "a.position": 0.1, "voltage": 7.4},
            ConfigError,
            "'a.goal' is 'nan'; expected numbers",
        ),
        (
            {"time": 0.0, "a.goal": 0.1, "a.position": 0.1, "voltage": 7.4},
            RefusedError,
            "time of joint 'a' does not always increase",
        ),
        (
            {"time": TIME, "a.goal": 0.1, "a.position": 0.1, "voltage": 0.0},
            RefusedError,
            "voltage of joint 'a' is not always greater than 0",
        ),
        (
            {"time": TIME, "a.goal": np.inf, "a.position": 0.1, "voltage": 7.4},
            RefusedError,
            "goal of joint 'a' is not finite everywhere",
        ),
    ],
)
def test_wrong_recordings_are_refused(
    tmp_path: Path, columns: dict[str, object], error: type[Exception], message: str
) -> None:
    file = tmp_path / "my.csv"
    file.write_text(table(columns))
    with pytest.raises(error, match=message):
        read_recording(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column 'time'"),
        ("time,a.goal\n1,2,3\n", "line 2 has 3 values for 2 columns"),
        ("time,time\n1,2\n", "a column is named twice"),
        ("time,a.goal\n1,fast\n", "could not convert string to float"),
    ],
)
def test_texts_that_are_no_recordings_are_said_so(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "my.csv"
    file.write_text(text)
    with pytest.raises(StrideError, match=message):
        read_recording(file)


def test_files_that_are_not_there_or_no_npz_are_named(tmp_path: Path) -> None:
    with pytest.raises(StrideError, match=r"none\.csv: cannot be read"):
        read_recording(tmp_path / "none.csv")
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK\3\4 no archive")
    with pytest.raises(StrideError, match=r"broken\.npz: is no recording"):
        read_recording(broken)
    with pytest.raises(StrideError, match="cannot be written"):
        write_recording(tmp_path / "no" / "my.csv", [joint("a")])


def test_a_motion_is_a_position_a_line(tmp_path: Path) -> None:
    file = tmp_path / "motion.txt"
    file.write_text("0.1\n-2e-1\n\n3\n")
    assert read_motion(file).tolist() == [0.1, -0.2, 3.0]
    file.write_text("time,position\n")
    with pytest.raises(StrideError, match=r"motion\.txt: is no motion"):
        read_motion(file)
    with pytest.raises(StrideError, match="cannot be read"):
        read_motion(tmp_path / "none.txt")


def test_a_short_recording_is_refused() -> None:
    few = np.arange(10.0)
    with pytest.raises(RefusedError, match="joint 'a' has 10 samples; expected 50 at least"):
        JointRecord("a", few, few, few + 1.0, few, few + 1.0)


def test_recordings_are_joined_with_a_pause() -> None:
    joined = joint("a").joined_to(joint("a"))
    assert len(joined.time) == 2 * COUNT
    assert joined.time[COUNT] - joined.time[COUNT - 1] == pytest.approx(1.0)
    assert joined.effort is not None
    assert joint("a", effort=False).joined_to(joint("a")).effort is None
