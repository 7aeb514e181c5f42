"""`stride servo`: restart, back up, recover, centre or revive one servo."""

from __future__ import annotations

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import bus_options, connected


@click.group()
def servo() -> None:
    """Rarer things to do with one servo."""


@servo.command()
@click.argument("servo_id", metavar="ID", type=int)
@bus_options
@quiet_option
def reboot(servo_id: int, port: str, baud: int, echo: str, quiet: bool) -> None:
    """Restart servo ID and wait until it answers; its torque must be off."""
    from sts3215_driver.tools import maintenance

    with connected(port, baud, echo, [servo_id], quiet) as bus, Display(quiet) as progress:
        progress(f"waiting for servo {servo_id} to answer again")
        away = maintenance.reboot(bus, servo_id)
    click.echo(f"servo {servo_id} answers again after {away:.1f} s")


@servo.command()
@click.argument("servo_id", metavar="ID", type=int)
@bus_options
def backup(servo_id: int, port: str, baud: int, echo: str) -> None:
    """Make the present settings of servo ID those that `recover` brings back."""
    from sts3215_driver.tools import maintenance

    with connected(port, baud, echo, [servo_id]) as bus:
        maintenance.backup(bus, servo_id)
    click.echo(f"servo {servo_id} has backed up its settings")


@servo.command()
@click.argument("servo_id", metavar="ID", type=int)
@bus_options
@click.option("--yes", is_flag=True, help="Do not ask.")
def recover(servo_id: int, port: str, baud: int, echo: str, yes: bool) -> None:
    """Bring back the backed up (or factory) settings of servo ID; its id stays."""
    from sts3215_driver.tools import maintenance

    if not (yes or click.confirm(f"Settings of servo {servo_id} are replaced. Go on?")):
        raise click.Abort
    with connected(port, baud, echo, [servo_id]) as bus:
        changes = maintenance.recover(bus, servo_id)
    click.echo(f"servo {servo_id}: {len(changes)} settings changed")
    for change in changes:
        click.echo(f"  {change}")


@servo.command("clear-turns")
@click.argument("servo_id", metavar="ID", type=int)
@bus_options
def clear_turns(servo_id: int, port: str, baud: int, echo: str) -> None:
    """Forget how many turns servo ID has made."""
    from sts3215_driver.tools import maintenance

    with connected(port, baud, echo, [servo_id]) as bus:
        position = maintenance.clear_turns(bus, servo_id)
    click.echo(f"servo {servo_id} reads {position} now")


@servo.command()
@click.argument("servo_id", metavar="ID", type=int)
@click.argument("position", type=int, default=2048)
@bus_options
def centre(servo_id: int, position: int, port: str, baud: int, echo: str) -> None:
    """Make the present place of servo ID read POSITION (2048); calibrate the joint afterwards."""
    from sts3215_driver.tools import maintenance

    with connected(port, baud, echo, [servo_id]) as bus:
        offset = maintenance.centre(bus, servo_id, position)
    click.echo(f"servo {servo_id} reads {position} now (position_offset {offset})")


@servo.command()
@click.argument("servo_id", metavar="ID", type=int)
@bus_options
def revive(servo_id: int, port: str, baud: int, echo: str) -> None:
    """Bring an overloaded servo ID back: torque off, goal := where it stands, torque on."""
    from sts3215_driver.tools import maintenance

    with connected(port, baud, echo, [servo_id]) as bus:
        place = maintenance.revive(bus, servo_id)
    click.echo(f"servo {servo_id} holds at {place}")
