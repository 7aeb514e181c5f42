"""Zeros and limits go back into the file they came from, and nothing else in it changes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stride_base.errors import ConfigError, RefusedError
from stride_base.strict_json import FileError
from sts3215_driver import servo_table
from sts3215_driver.tools import servo_file_edit
from sts3215_driver.tools.servo_file_edit import edited, write_limits, write_zeros

TEXT = """{
  "format": 3,  "robot": "an \\"odd\\" one: \\u00e9", "fitness": 0.110,
  "control_hz": 50, "note": "\\"zero\\": 1, {",
  "servos": [
    {"zero"  :2048,  "id": 1, "name": "hip", "mode": "position", "sign": -1,
     "amp1": 0.20, "phase1": 5.710, "min": -1.300, "max": 1.30e0},\r
    {"id": 3, "name": "wheel", "mode": "wheel", "speed": 4.0, "sign": 1},
    { "name": "knee", "mode": "position", "sign": 1, "min": -0.9,
      "max": 0.9, "z\\u0065ro": 2048 , "id": 2}
  ]
}"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "robot.json"
    file.write_bytes(TEXT.encode())
    return file


def test_only_the_digits_of_the_zero_change(path) -> None:
    write_zeros(path, {"knee": 1990})
    assert path.read_bytes().decode() == TEXT.replace('"z\\u0065ro": 2048', '"z\\u0065ro": 1990')


def test_several_zeros_of_other_lengths(path) -> None:
    write_zeros(path, {"hip": 900, "knee": 3100})
    table = servo_table.load(path)
    assert table.zero.tolist() == [900, 0, 3100]
    assert len(path.read_bytes()) == len(TEXT.encode()) - 1


def test_an_equal_zero_leaves_the_file_untouched(path) -> None:
    before = path.stat()
    write_zeros(path, {"hip": 2048})
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_line_ends_and_permissions_stay(path) -> None:
    path.chmod(0o640)
    write_zeros(path, {"hip": 2000})
    assert b"\r\n" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_is_followed(path, tmp_path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(path)
    write_zeros(link, {"hip": 2000})
    assert link.is_symlink()
    assert servo_table.load(path).zero[0] == 2000


def test_a_folder_that_cannot_be_written_is_named(path, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(FileError, match=r"robot.json: cannot be written: Permission denied"):
        write_zeros(path, {"hip": 2000})
    assert path.read_bytes() == TEXT.encode()


def test_a_zero_that_makes_limits_leave_the_turn_is_refused_and_the_file_stays(path) -> None:
    with pytest.raises(ConfigError, match="outside 0 to 4095"):
        write_zeros(path, {"hip": 2000, "knee": 4000})
    assert path.read_bytes().decode() == TEXT


@pytest.mark.parametrize(
    ("name", "reason"), [("elbow", "no joint 'elbow'"), ("wheel", "has no zero")]
)
def test_a_joint_without_a_zero_is_refused(path, name, reason) -> None:
    with pytest.raises(RefusedError, match=reason):
        write_zeros(path, {"hip": 2000, name: 2000})
    assert path.read_bytes().decode() == TEXT


@pytest.mark.parametrize(
    ("old", "new"),
    [('"format": 3', '"format": 3, "format": 3'), ("  ]\n}", "  ]"), ("0.110", "NaN")],
    ids=["duplicate key", "cut off", "NaN"],
)
def test_a_broken_file_is_refused_and_stays(path, old, new) -> None:
    broken = TEXT.replace(old, new).encode()
    path.write_bytes(broken)
    with pytest.raises((ConfigError, FileError)):
        write_zeros(path, {"hip": 2000})
    assert path.read_bytes() == broken


def test_a_crash_while_writing_leaves_the_old_file_whole(path, monkeypatch) -> None:
    def crash(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(FileError, match=r"robot.json: cannot be written: No space left"):
        write_zeros(path, {"hip": 2000})
    assert path.read_bytes().decode() == TEXT
    assert [entry.name for entry in path.parent.iterdir()] == ["robot.json"]


def test_somebody_else_writing_the_file_is_noticed(path, monkeypatch) -> None:
    monkeypatch.setattr(servo_file_edit, "write_atomically", lambda *_: None)
    with pytest.raises(RefusedError, match="is something else writing it"):
        write_zeros(path, {"hip": 2000})


def test_limits_are_written_with_four_digits(path) -> None:
    write_limits(path, {"hip": (-0.51234567, 0.8)})
    text = path.read_text()
    assert '"min": -0.5123, "max": 0.8000}' in text


@settings(deadline=None)
@given(st.integers(1200, 2800), st.integers(1200, 2800))
def test_nothing_but_the_named_numbers_ever_changes(hip, knee) -> None:
    result = edited(TEXT, "robot.json", {"hip": {"zero": hip}, "knee": {"zero": knee}})
    expected = TEXT.replace('"zero"  :2048', f'"zero"  :{hip}')
    assert result == expected.replace('"z\\u0065ro": 2048', f'"z\\u0065ro": {knee}')
