"""StackOptions on a command line, made from the fields of StackOptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import click

from stride_base.click_types import FINITE
from stride_bringup.stack import EFFORTS, INVERSES, MOTIONS, SIMULATORS, StackOptions, help_of

Command = TypeVar("Command", bound=Callable[..., Any])
_KNOWN = {"motion": MOTIONS, "effort": EFFORTS, "inverse": INVERSES, "simulator": SIMULATORS}


def stack_options(command: Command) -> Command:
    """Add one option per field of StackOptions to a click command."""
    for field in reversed(fields(StackOptions)):
        text = help_of(field.name)
        if field.name in _KNOWN:
            text += f": {', '.join(_KNOWN[field.name])}"
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
    """Parse a command line that has only these options; ends the process on `--help` or bad usage."""

    @click.command(context_settings={"help_option_names": ["-h", "--help"]})
    @stack_options
    def parse(**values: Any) -> StackOptions:
        """Run all nodes of a robot in this process."""
        return StackOptions(**values)

    try:
        options = parse.main(list(arguments), prog_name=program, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from error
    if not isinstance(options, StackOptions):
        raise SystemExit(0)
    return options
