"""StackOptions on a command line, made from the fields of StackOptions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import click

from stride_base.click_types import FINITE
from stride_bringup.node_kinds import CHOICES
from stride_bringup.stack_options import ALL_OPTIONS, RUNNER_OPTIONS, StackOptions, help_of

Command = TypeVar("Command", bound=Callable[..., Any])


def stack_options(command: Command, names: Collection[str] = ALL_OPTIONS) -> Command:
    """Add an option to a click command for each of the fields `names` of StackOptions."""
    for field in reversed([f for f in fields(StackOptions) if f.name in names]):
        text = help_of(field.name)
        if field.name in CHOICES:
            text += f": {', '.join(CHOICES[field.name])}"
        option = click.option(
            f"--{field.name.replace('_', '-')}",
            type=FINITE if isinstance(field.default, float) else type(field.default),
            default=field.default,
            show_default=bool(field.default),
            help=f"{text[0].upper()}{text[1:]}.",
        )
        command = option(command)
    return command


def parse_options(program: str, arguments: Sequence[str]) -> StackOptions:
    """Parse a command line that has only RUNNER_OPTIONS; ends the process on `--help` or bad usage.

    The options say that there is no viewer: it is not for a process that has the bus thread in it.
    """

    def parse(**values: Any) -> StackOptions:
        """Run all nodes of a robot in this process."""
        return StackOptions(viewer="off", **values)

    settings = {"help_option_names": ["-h", "--help"]}
    command = click.command(context_settings=settings)(stack_options(parse, RUNNER_OPTIONS))
    try:
        options = command.main(list(arguments), prog_name=program, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from error
    if not isinstance(options, StackOptions):
        raise SystemExit(0)
    return options
