"""What the machine itself must have, and running commands with errors a newcomer can act on."""

import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

MINIMUM_PYTHON = (3, 10)

# command -> Debian package that brings it
TOOLS = {"gcc": "gcc", "g++": "g++", "cmake": "cmake", "make": "make"}


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
    if missing:
        packages = " ".join(dict.fromkeys(missing))
        raise SetupError(
            f"this machine lacks {packages}. Install with:\n"
            f"  sudo apt-get update && sudo apt-get install -y {packages}"
        )


def run(
    command: Sequence[str],
    what: str,
    log: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run a set-up command with its output in `log`; raise SetupError with the tail if it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as out:
        out.write(f"\n$ {' '.join(command)}\n")
        out.flush()
        result = subprocess.run(
            list(command), stdout=out, stderr=subprocess.STDOUT, cwd=cwd, env=env, check=False
        )
    if result.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise SetupError(f"{what} failed (exit {result.returncode}). End of {log}:\n{tail}")


def say(message: str) -> None:
    """Progress of the set-up, on stderr so that `stride ... | tool` stays clean."""
    print(f"stride: {message}", file=sys.stderr, flush=True)
