"""A file that is on the disk when `flush` returns, and never keeps half of what was written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from stride_base.errors import RefusedError


class DiskFile:
    """Collects what is written until `flush` puts it on the disk, all or nothing.

    Args:
        raw: Unbuffered file, empty.
        sync: Waits until the file is on the disk.
    """

    def __init__(self, raw: BinaryIO, sync: Callable[[BinaryIO], None] | None = None) -> None:
        self._raw = raw
        self._sync = _sync if sync is None else sync
        self._waiting: list[bytes] = []
        self._position = 0
        #: Bytes that are on the disk.
        self.size = 0

    def write(self, data: bytes) -> int:
        """Take `data`, to be written by the next `flush`."""
        self._waiting.append(bytes(data))
        self._position += len(data)
        return len(data)

    def tell(self) -> int:
        """Where the next `write` goes."""
        return self._position

    def flush(self) -> None:
        """Write and wait for the disk.

        Raises:
            OSError: it cannot be written; the file ends where the last good `flush` left it.
        """
        data = b"".join(self._waiting)
        if not data:
            return
        try:
            written = 0
            while written < len(data):
                written += self._raw.write(data[written:])
            self._sync(self._raw)
        except OSError:
            # A full disk has room again for what ends the file; a reader needs no half record.
            with contextlib.suppress(OSError):
                self._raw.truncate(self.size)
                self._raw.seek(self.size)
            raise
        self._waiting.clear()
        self.size += len(data)

    def close(self) -> None:
        """Close the file; what was not flushed is lost."""
        self._raw.close()


def _sync(raw: BinaryIO) -> None:
    os.fsync(raw.fileno())


def create(path: Path, force: bool = False) -> DiskFile:
    """Make a new file.

    Args:
        path: Where.
        force: Whether one that is there is replaced.

    Raises:
        RefusedError: there is one already, or it cannot be made.
    """
    try:
        return DiskFile(path.open("wb" if force else "xb", buffering=0))
    except FileExistsError as error:
        raise RefusedError(f"{path} exists already; --force replaces it") from error
    except OSError as error:
        raise RefusedError(f"{path} cannot be written: {error.strerror}") from error
