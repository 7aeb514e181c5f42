"""Entry points of this package; see `stride_base.program`."""

from __future__ import annotations

import sys

from stride_base.errors import RefusedError
from stride_base.program import program
from stride_viewer.library import require_library


def stride_viewer() -> None:
    """Program `stride_viewer`."""
    try:
        require_library()
    except RefusedError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    program("stride_viewer.main:main")()
