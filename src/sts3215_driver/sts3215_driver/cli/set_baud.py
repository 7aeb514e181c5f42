"""`stride set-baud`: another bit rate for one servo."""

from __future__ import annotations

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import bus_options, choose_port


@click.command("set-baud", short_help="Change the baud rate of a servo.")
@click.argument("servo_id", metavar="ID", type=int)
@click.argument("rate", type=int)
@bus_options
@click.option("--force", is_flag=True, help="Even if a board seems to convert the rate.")
@quiet_option
def set_baud(
    servo_id: int, rate: int, port: str, baud: int, echo: str, force: bool, quiet: bool
) -> None:
    """Set servo ID, reached at --baud, to RATE bit/s: unlocked, written, verified, locked.

    If it is interrupted, run it again: it finishes what was begun.
    """
    from sts3215_driver.tools.open_port import open_bus
    from sts3215_driver.tools.set_baud import set_baud as change

    chosen = choose_port(port)
    with Display(quiet) as progress:
        progress(f"bringing servo {servo_id} to {rate} bit/s")
        result = change(lambda at: open_bus(chosen, at, echo), servo_id, baud, rate, force)
    done = "was changed before; its memory is locked now" if result.resumed else "verified, locked"
    click.echo(f"servo {servo_id} is at {result.after} bit/s now: {done}")
