"""Commands that work on the repository itself need to know where it is."""

from __future__ import annotations

import os

from stride_base.errors import RefusedError


def source_root() -> str:
    """Top of the repository; RefusedError where this is an installation without it."""
    root = os.environ.get("STRIDE_ROOT")
    if not root:
        raise RefusedError("this command needs the source tree: run it there as ./stride ...")
    return root
