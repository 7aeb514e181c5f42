"""Options that every command with a page has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def page_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--host and --port of the page."""
    options = (
        click.option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            help="Address that the page is served on; 0.0.0.0 for the whole network.",
        ),
        click.option(
            "--port",
            default=0,
            type=click.IntRange(0, 65535),
            help="Port of the page.  [default: 8080, or the next that is free]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
