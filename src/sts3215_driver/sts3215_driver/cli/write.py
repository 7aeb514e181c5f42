"""`stride write`: one register by name."""

from __future__ import annotations

import click

from stride_base.progress import track
from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import NUMBERS, Attempts, bus_options, connected


@click.command(context_settings=NUMBERS, short_help="Write a register of servos, and read it back.")
@click.argument("ids")
@click.argument("register")
@click.argument("value", type=int)
@bus_options
@click.option("--force", is_flag=True, help="Also what moves the servo, or is equal already.")
@quiet_option
def write(
    ids: str,
    register: str,
    value: int,
    port: str,
    baud: int,
    echo: str,
    force: bool,
    quiet: bool,
) -> None:
    """Write the signed VALUE to REGISTER (name or address) of servos IDS, and read it back.

    Settings are written only if different, and locked again. Every servo is tried.
    """
    from sts3215_driver.tools.id_lists import parse_ids
    from sts3215_driver.tools.register_names import find_register
    from sts3215_driver.tools.register_values import show
    from sts3215_driver.tools.write_register import write_register

    wanted, numbers = find_register(register), parse_ids(ids)
    attempts = Attempts()
    with connected(port, baud, echo, numbers, quiet) as bus, Display(quiet) as display:
        for servo_id in track(numbers, "writing to servos", display):
            with attempts.at(servo_id):
                result = write_register(bus, servo_id, wanted, value, force)
                before, after = show(wanted, result.before), show(wanted, result.after)
                change = f"{before} -> {after}" if result.written else f"stays {after}"
                with display.paused():
                    click.echo(f"servo {servo_id}: {wanted.name} {change}")
                    for note in result.notes:
                        click.echo(f"  {note}")
    attempts.conclude()
