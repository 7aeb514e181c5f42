"""Node parameters as data: one table per node gives defaults, ranges, descriptions and checks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from stride_base.errors import ConfigError

Value: TypeAlias = bool | int | float | str


@dataclass(frozen=True)
class Param:
    """One parameter of a node.

    Args:
        name: Name as in YAML and `ros2 param`.
        default: Default; its type is the parameter's type. A float parameter also takes an integer.
        description: What it does, with its unit.
        minimum, maximum: Closed range of a number.
        choices: Allowed strings.
        live: Whether it can change while the node runs.
        above: Open lower bound of a number, instead of `minimum`.
    """

    name: str
    default: Value
    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False
    above: float | None = None

    def check(self, owner: str, value: object) -> Value:
        """`value` in the parameter's type.

        Raises:
            ConfigError: wrong type, out of range or not finite; names `owner` and the parameter.
        """
        kind = type(self.default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            raise ConfigError(owner, "", self.name, value, self.expectation())
        assert isinstance(value, (bool, int, float, str))
        if kind in (int, float):
            number = float(value)
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            above = -math.inf if self.above is None else self.above
            if not (math.isfinite(number) and above < number and low <= number <= high):
                raise ConfigError(owner, "", self.name, value, self.expectation())
        if self.choices and value not in self.choices:
            raise ConfigError(owner, "", self.name, value, self.expectation())
        return value

    def expectation(self) -> str:
        """What a message says is expected."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        words = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}
        text = words[type(self.default)]
        if self.above is not None:
            text += f" greater than {self.above:g}"
            text += "" if self.maximum is None else f" and at most {self.maximum:g}"
        elif self.minimum is not None and self.maximum is not None:
            text += f" from {self.minimum:g} to {self.maximum:g}"
        elif self.minimum is not None:
            text += f" of at least {self.minimum:g}"
        elif self.maximum is not None:
            text += f" of at most {self.maximum:g}"
        return f"{text} ({self.description})"
