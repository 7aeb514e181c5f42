"""Where tables go."""

from __future__ import annotations

import sys
from typing import Any

#: Columns of a line where the output is no terminal.
PIPE_WIDTH = 160


def console() -> Any:
    """A rich console: as wide as the terminal, or wide enough for tables in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
