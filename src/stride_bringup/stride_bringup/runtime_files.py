"""Where the files of a running robot lie: the emulator's link and the locks."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from stride_base.errors import RefusedError


def runtime_folder() -> Path:
    """A folder of this user alone that does not outlive the computer's run; made if missing.

    Raises:
        RefusedError: it cannot be made, or belongs to somebody else.
    """
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and os.access(base, os.W_OK):
        folder = Path(base) / "stride"
    else:
        folder = Path(tempfile.gettempdir()) / f"stride-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise RefusedError(f"the folder {folder} cannot be made: {error.strerror}") from error
    if owner != os.getuid():
        raise RefusedError(f"the folder {folder} belongs to another user; remove it")
    return folder


def place(namespace: str) -> str:
    """A file name for `namespace` in this ROS domain: two robots there would share their topics."""
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    return re.sub(r"[^A-Za-z0-9_.-]", "-", f"domain{domain}{namespace}")


def emulator_link(robot: str, namespace: str) -> Path:
    """Link of the emulator's pseudo-terminal."""
    return runtime_folder() / f"{place(namespace)}-{robot}.tty"
