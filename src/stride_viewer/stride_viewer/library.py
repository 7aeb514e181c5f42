"""The library that the page is made with need not be installed where nobody looks at pages."""

from __future__ import annotations

from importlib.util import find_spec

from stride_base.errors import RefusedError

LIBRARY = "nicegui"


def require_library() -> None:
    """Raise RefusedError if it is not installed."""
    if find_spec(LIBRARY) is None:
        raise RefusedError(f"the viewer needs the Python package {LIBRARY}: pip install {LIBRARY}")
