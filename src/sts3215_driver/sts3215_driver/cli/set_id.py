"""`stride set-id`: another id for one servo."""

from __future__ import annotations

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import bus_options, connected


@click.command("set-id", short_help="Change the id of a servo.")
@click.argument("old", type=int)
@click.argument("new", type=int)
@bus_options
@click.option("--force", is_flag=True, help="Even if two servos seem to have the old id.")
@quiet_option
def set_id(old: int, new: int, port: str, baud: int, echo: str, force: bool, quiet: bool) -> None:
    """Change the id of servo OLD to NEW: unlocked, written, verified, locked at the new id.

    If it is interrupted, run it again: it finishes what was begun.
    """
    from sts3215_driver.tools.set_id import set_id as change

    with connected(port, baud, echo) as bus, Display(quiet) as progress:
        progress(f"giving servo {old} the id {new}")
        result = change(bus, old, new, force)
    done = "was changed before; its memory is locked now" if result.resumed else "verified, locked"
    click.echo(f"servo {result.old} is servo {result.new} now: {done}")
