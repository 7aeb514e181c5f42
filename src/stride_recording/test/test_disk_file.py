"""What is flushed is on the disk; what cannot be is not there at all."""

import errno
import io
from pathlib import Path

import pytest

from stride_base.errors import RefusedError
from stride_recording.disk_file import DiskFile, create


class SmallDisk(io.BytesIO):
    """Has room for `room` bytes, and takes at most 7 at a time."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, data) -> int:
        free = self.room - len(self.getvalue())
        if free <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(bytes(data[: min(7, free)]))


def test_what_is_written_piece_by_piece_is_complete_after_flush() -> None:
    disk = SmallDisk(1000)
    file = DiskFile(disk, sync=lambda raw: None)
    file.write(b"0123456789" * 5)
    assert (file.tell(), file.size, disk.getvalue()) == (50, 0, b"")
    file.flush()
    assert (file.tell(), file.size) == (50, 50)
    assert disk.getvalue() == b"0123456789" * 5


def test_a_full_disk_keeps_what_was_flushed_before_and_nothing_else() -> None:
    disk = SmallDisk(60)
    file = DiskFile(disk, sync=lambda raw: None)
    file.write(b"a" * 40)
    file.flush()
    file.write(b"b" * 40)
    with pytest.raises(OSError, match="No space"):
        file.flush()
    assert disk.getvalue() == b"a" * 40
    assert file.size == 40


def test_flush_waits_for_the_disk() -> None:
    disk, synced = io.BytesIO(), []
    file = DiskFile(disk, sync=lambda raw: synced.append(raw.getvalue()))
    file.write(b"x")
    file.flush()
    file.flush()
    assert synced == [b"x"]


def test_a_file_that_is_there_is_replaced_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"precious")
    with pytest.raises(RefusedError, match=r"run\.mcap exists already; --force replaces it"):
        create(path)
    assert path.read_bytes() == b"precious"
    create(path, force=True).close()
    assert path.read_bytes() == b""


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"nowhere/run\.mcap cannot be written: No such file"):
        create(tmp_path / "nowhere" / "run.mcap")
