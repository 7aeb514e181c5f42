"""Which program holds a port, from the kernel's list of file locks."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")


def holder(port: str, proc: Path = PROC) -> str:
    """Name and number of the process that has locked `port`; empty if that cannot be seen."""
    try:
        inode = Path(port).stat().st_ino
        lines = (proc / "locks").read_text().splitlines()
    except OSError:
        return ""
    for line in lines:
        words = line.split()
        # 1: FLOCK  ADVISORY  WRITE 4711 00:1a:7 0 EOF
        if len(words) > 5 and "FLOCK" in words and words[5].rpartition(":")[2] == str(inode):
            return _describe(words[4], proc)
    return ""


def _describe(process: str, proc: Path) -> str:
    try:
        name = (proc / process / "comm").read_text().strip()
    except OSError:
        return ""
    return f"{name}, process {process}"
