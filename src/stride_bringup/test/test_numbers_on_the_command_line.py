"""Every option of every command that is a number takes finite numbers only."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from servo_sim.cli import main as servo_sim
from stride_base.click_types import Number
from stride_bringup.cli.main import stride
from sts3215_driver.emulator.cli import main as emulator


def numbers(command: click.Command, path: str) -> Iterator[tuple[str, click.Parameter]]:
    """Parameters of a command and those below it that hold a float."""
    for parameter in command.params:
        is_float = isinstance(parameter.type, (click.types.FloatParamType, Number))
        if is_float or isinstance(parameter.default, float):
            yield f"{path} {parameter.opts[0]}", parameter
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from numbers(below, f"{path} {name}")


FOUND = [
    *numbers(stride, "stride"),
    *numbers(emulator, "sts3215_emulator"),
    *numbers(servo_sim, "servo_sim"),
]


@pytest.mark.parametrize(("name", "parameter"), FOUND, ids=[name for name, _ in FOUND])
def test_no_number_that_is_none(name: str, parameter: click.Parameter) -> None:
    for text in ("nan", "inf", "-inf"):
        with pytest.raises(click.BadParameter, match=f"{text} is not a"):
            parameter.type.convert(text, parameter, None)


def test_all_commands_were_looked_at() -> None:
    assert {"stride steer --timeout", "stride up --rate", "stride walk --vx"} <= dict(FOUND).keys()


@pytest.mark.parametrize("text", ["nan", "inf", "-1"])
def test_steer_refuses_a_time_that_is_none(text: str) -> None:
    result = CliRunner().invoke(stride, ["steer", "0", f"--timeout={text}"])
    assert result.exit_code == 2
    assert f"{text} is not a number from 0 to" in result.output
