"""Numbers of a command line."""

from __future__ import annotations

import math

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stride_base.click_types import FINITE, POSITIVE, TIME, Number


@pytest.mark.parametrize("kind", [FINITE, POSITIVE, TIME, Number(-1.0, 1.0), Number(maximum=3.0)])
@pytest.mark.parametrize("text", ["nan", "-nan", "inf", "-inf", "1e999", "fast", ""])
def test_what_is_no_finite_number_is_bad_usage(kind: Number, text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a"):
        kind.convert(text, None, None)


@given(st.floats(), st.floats(-5.0, 0.0), st.floats(0.0, 5.0))
def test_a_number_is_taken_exactly_if_it_is_in_the_closed_range(
    value: float, low: float, high: float
) -> None:
    kind = Number(low, high)
    if math.isfinite(value) and low <= value <= high:
        assert kind.convert(str(value), None, None) == value
    else:
        with pytest.raises(click.BadParameter):
            kind.convert(str(value), None, None)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (FINITE, "nan", "nan is not a finite number."),
        (POSITIVE, "0", "0 is not a finite number greater than 0."),
        (TIME, "-1", "-1 is not a number from 0 to 1e+06."),
        (Number(minimum=2.0), "1", "1 is not a finite number of at least 2."),
        (Number(maximum=2.0), "3", "3 is not a number up to 2."),
        (Number(maximum=2.0, above=1.0), "1", "greater than 1 and at most 2."),
    ],
)
def test_the_message_names_option_value_and_range(kind: Number, text: str, words: str) -> None:
    @click.command()
    @click.option("--time", type=kind)
    def command(time: float) -> None:
        raise AssertionError("it must not run")

    result = CliRunner().invoke(command, ["--time", text])
    assert result.exit_code == 2
    assert "Invalid value for '--time'" in result.output and words in result.output
