"""What can go wrong, seen from a user. Every error is one sentence that says what to do.

StrideError
 +-- ConfigError     a value in a file, parameter or message is wrong; names all there is to know
 +-- BusError        the serial bus or a servo on it (see sts3215_driver.errors)
 +-- RefusedError    a command or message cannot be taken now; the robot stays as it is
"""

from __future__ import annotations

from pathlib import Path


class StrideError(Exception):
    """Base of all errors that Stride raises on purpose."""


class ConfigError(StrideError):
    """A configuration value is wrong.

    Args:
        file: File or node that holds the value.
        where: Part of it, e.g. ``servo 2 (s4_roll)``; empty for the top level.
        field: Name of the field or parameter.
        value: The value found, or MISSING.
        expected: What would have been right, with its unit.
    """

    def __init__(
        self, file: str | Path, where: str, field: str, value: object, expected: str
    ) -> None:
        self.file, self.where, self.field = str(file), where, field
        self.value, self.expected = value, expected
        place = f"{file}: {where}: " if where else f"{file}: "
        found = f"'{field}' is missing" if value is MISSING else f"'{field}' is {show(value)}"
        super().__init__(printable(f"{place}{found}; expected {expected}"))


class RefusedError(StrideError):
    """A command or message is refused whole; the last good one stays in force."""


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


def printable(text: str) -> str:
    """`text` as one line that every terminal and log takes, with escapes where it is none."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def show(value: object, longest: int = 60) -> str:
    """`value` as a user would write it in JSON, shortened for a message."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    text = repr(value)
    return text if len(text) <= longest else text[: longest - 3] + "..."
