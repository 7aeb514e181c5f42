"""What the machine itself must have, and running commands with errors a newcomer can act on."""

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from setup_progress import Watch

MINIMUM_PYTHON = (3, 10)
#: How often it is looked what a command has printed, s.
LOOK_PERIOD = 0.25

# command -> Debian package that brings it
TOOLS = {"bash": "bash", "gcc": "gcc", "g++": "g++", "cmake": "cmake", "make": "make"}


class SetupError(Exception):
    """Set-up cannot go on; the message says what to do."""


def check_system() -> None:
    """Raise SetupError with the exact apt line if a tool is missing."""
    if sys.version_info < MINIMUM_PYTHON:
        found = platform.python_version()
        raise SetupError(f"python3 is {found}, but Stride needs 3.10 or newer")
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    try:
        import ensurepip  # noqa: F401  (Debian splits it off into python3-venv)
        import venv  # noqa: F401
    except ImportError:
        missing.append("python3-venv")
    # The generated Python code of the messages is compiled against it.
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        missing.append("python3-dev")
    if missing:
        packages = " ".join(missing)
        raise SetupError(
            f"this machine lacks {packages}. Install with:\n"
            f"  sudo apt-get update && sudo apt-get install -y {packages}"
        )


def check_folder(root: Path) -> None:
    """Raise SetupError if colcon's set-up scripts would break on the path of the repository."""
    if re.search(r"[\s:;'\"]", str(root)):
        raise SetupError(
            f"the path {str(root)!r} has a space, quote, colon or semicolon in it, on which the "
            "set-up scripts of colcon break; move the repository to a path without"
        )


@contextmanager
def only_one(lock: Path, tell: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold `lock` for the block; a second process waits here until the first is done or dead.

    `tell` is called with what it waits for; `say` if left out.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            (tell or say)("another ./stride is setting up this folder; waiting for it ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def output(command: Sequence[str], what: str, env: Mapping[str, str] | None = None) -> str:
    """Standard output of a short set-up command; SetupError with its last words if it fails."""
    result = subprocess.run(list(command), capture_output=True, env=env, check=False)
    if result.returncode:
        words = result.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise SetupError(f"{what} failed (exit {result.returncode}): {''.join(words)}")
    return result.stdout.decode(errors="surrogateescape")


def run(
    command: Sequence[str],
    what: str,
    log: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    watch: Watch | None = None,
) -> None:
    """Run a set-up command with its output in `log`; raise SetupError with the tail if it fails.

    `watch` sees each line of the output soon after it was printed.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as out, log.open(errors="replace") as printed:
        out.write(f"\n$ {' '.join(command)}\n")
        out.flush()
        printed.seek(0, os.SEEK_END)
        process = subprocess.Popen(
            list(command), stdout=out, stderr=subprocess.STDOUT, cwd=cwd, env=env
        )
        try:
            code = _follow(process, printed, watch)
        except BaseException:
            process.kill()
            process.wait()
            raise
    if code:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise SetupError(f"{what} failed (exit {code}). End of {log}:\n{tail}")


def _follow(process: subprocess.Popen[bytes], printed: TextIO, watch: Watch | None) -> int:
    """Wait for `process`, whose output is in `printed`; its exit code."""
    if watch is None:
        return process.wait()
    begun = ""
    while True:
        try:
            code = process.wait(LOOK_PERIOD)
        except subprocess.TimeoutExpired:
            code = None
        *lines, begun = (begun + printed.read()).split("\n")
        for line in lines:
            watch.line(line)
        watch.look()
        watch.steps.tick()
        if code is not None:
            return code


def remove(folder: Path, stamp: Path) -> None:
    """Remove `folder`, but `stamp` first: what an interruption leaves must not look ready."""
    stamp.unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


def say(message: str) -> None:
    """Progress of the set-up, on stderr so that `stride ... | tool` stays clean."""
    print(f"stride: {message}", file=sys.stderr, flush=True)
