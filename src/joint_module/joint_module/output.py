"""Writing results, with errors that name the file."""

from __future__ import annotations

from pathlib import Path

from joint_module.errors import ModelError
from stride_base.atomic_file import write_atomically


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a crash leaves the old one whole. Raises ModelError if it cannot be."""
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror}") from error
