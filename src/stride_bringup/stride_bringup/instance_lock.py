"""One robot, one program: a second one is told who is there already."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from stride_base.errors import RefusedError
from stride_bringup.runtime_files import place, runtime_folder
from stride_bringup.stack import Stack


def lock_names(stack: Stack) -> list[str]:
    """Names of what two programs must not share: the topics of a namespace, and the port."""
    options = stack.options
    names = [place(options.namespace)]
    if stack.emulator is None and "://" not in options.port:
        device = os.path.realpath(options.port)
        names.append("port" + re.sub(r"[^A-Za-z0-9_.-]", "-", device))
    return names


@contextmanager
def only_instance(stack: Stack, folder: Path | None = None) -> Iterator[None]:
    """Hold the locks of `stack` for the block. They end with the process, however it ends.

    Raises:
        RefusedError: another process holds one of them; names it.
    """
    folder = runtime_folder() if folder is None else folder
    options = stack.options
    words = f"robot {stack.robot.name} on port {options.port}"
    if options.namespace:
        words += f" in namespace {options.namespace}"
    with ExitStack() as held:
        _take(held, folder, lock_names(stack), words)
        yield


def _take(held: ExitStack, folder: Path, names: Sequence[str], words: str) -> None:
    files: list[TextIO] = []
    for name in names:
        file: TextIO = held.enter_context((folder / f"{name}.lock").open("a+"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            other = file.read().strip() or "another process"
            raise RefusedError(
                f"{other} is running already: end it first, or choose another namespace and port"
            ) from error
        files.append(file)
    # Not before all are held: a refused start must not overwrite what the holder says.
    for file in files:
        file.truncate(0)
        file.write(f"process {os.getpid()} ({words})\n")
        file.flush()
        held.callback(file.truncate, 0)
