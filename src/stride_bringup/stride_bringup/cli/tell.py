"""`stride tell`: a command for emulated servos or a simulated robot that runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

SUFFIX = ".control"


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Give emulated servos or a simulated robot a command.",
)
@click.argument("link", type=Path)
@click.argument("words", nargs=-1, required=True, metavar="COMMAND...")
def tell(link: Path, words: tuple[str, ...]) -> None:
    """Give emulated servos or a simulated robot a COMMAND, e.g. power 5 off.

    LINK is the port, or the control socket beside it. The commands are listed in docs/emulator.md and
    docs/servo_sim.md.
    """
    from sts3215_driver.emulator.control import ControlClient

    socket = link if link.name.endswith(SUFFIX) else link.with_name(link.name + SUFFIX)
    with ControlClient(str(socket)) as client:
        result = client.command(*words)
    if result is not None:
        click.echo(json.dumps(result, indent=1))
