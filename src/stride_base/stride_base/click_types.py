"""Numbers on a command line: finite, and in their range."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.ParamType):
    """A finite number; NaN, infinities and what is out of range are bad usage.

    Args:
        minimum, maximum: Closed bounds.
        above: Open lower bound, instead of `minimum`.
    """

    name = "float"

    def __init__(
        self,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
    ) -> None:
        self.minimum, self.maximum, self.above = minimum, maximum, above

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        above = -math.inf if self.above is None else self.above
        if not (math.isfinite(number) and low <= number <= high and above < number):
            self.fail(f"{value} is not {self.expectation()}.", param, ctx)
        return number

    def expectation(self) -> str:
        """What is taken, in words."""
        if self.above is not None:
            text = f"a finite number greater than {self.above:g}"
            return text if self.maximum is None else f"{text} and at most {self.maximum:g}"
        if self.minimum is not None and self.maximum is not None:
            return f"a number from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"a finite number of at least {self.minimum:g}"
        return "a finite number" if self.maximum is None else f"a number up to {self.maximum:g}"


#: A time that may be nothing, s; clocks and waits can do no more than so long.
TIME = Number(0.0, 1e6)
POSITIVE = Number(above=0.0)
FINITE = Number()
