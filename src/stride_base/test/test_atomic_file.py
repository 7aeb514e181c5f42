"""A crash while writing leaves the old file whole."""

import os
from pathlib import Path

import pytest

from stride_base.atomic_file import write_atomically


def test_new_text_replaces_the_old_and_leaves_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    file.write_text("old")
    file.chmod(0o640)
    write_atomically(file, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["robot.json"]


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "page.png"
    write_atomically(file, b"\x89PNG\r\n")
    assert file.read_bytes() == b"\x89PNG\r\n"


def test_a_failure_before_the_rename_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "robot.json"
    file.write_text("old")

    def fail(_descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(file, "new")
    assert file.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["robot.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "robot.json", tmp_path / "link.json"
    file.write_text("old")
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink() and file.read_text() == "new"
