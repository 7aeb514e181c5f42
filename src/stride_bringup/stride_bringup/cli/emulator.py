"""`stride emulator`: the servos of a robot, emulated on a pseudo-terminal."""

from __future__ import annotations

import click


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def emulator(arguments: tuple[str, ...]) -> None:
    """Emulate the servos of a robot; --help shows its own options."""
    from sts3215_driver.emulator.cli import main

    main.main(list(arguments), prog_name="stride emulator")
