"""Writing zeros and limits into the servo file they came from; all else in it stays as it is."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

from stride_base import strict_json
from stride_base.atomic_file import write_atomically
from stride_base.errors import RefusedError
from stride_base.strict_json import FileError
from sts3215_driver import servo_table
from sts3215_driver.tools import json_numbers

#: Digits of a limit in rad: a tenth of a step.
LIMIT_DIGITS = 4


def write_zeros(path: str | Path, zeros: Mapping[str, int]) -> None:
    """Replace `zero` of some joints in a servo file.

    Args:
        path: The file; a link is followed.
        zeros: Steps by joint name.

    Raises:
        FileError, ConfigError: the file is wrong, would be with these zeros, or cannot be written; it
            was not touched.
        RefusedError: a joint is not in it, or the file did not keep what was written.
    """
    _write(path, {name: {"zero": zero} for name, zero in zeros.items()})


def write_limits(path: str | Path, limits: Mapping[str, tuple[float, float]]) -> None:
    """Replace `min` and `max` (rad) of some joints in a servo file; raises like `write_zeros`."""
    fields = {
        name: {"min": round(low, LIMIT_DIGITS), "max": round(high, LIMIT_DIGITS)}
        for name, (low, high) in limits.items()
    }
    _write(path, fields)


def edited(text: str, file: str | Path, fields: Mapping[str, Mapping[str, float]]) -> str:
    """The text of a servo file with numbers replaced, checked as a servo file.

    Args:
        text: The present text.
        file: Its name in errors.
        fields: New values by joint name and field.

    Raises:
        FileError, ConfigError, RefusedError: as in `write_zeros`.
    """
    document = strict_json.loads(text, file)
    servo_table.parse(document, file)
    places = {servo["name"]: index for index, servo in enumerate(document["servos"])}
    wanted = copy.deepcopy(document)
    numbers: dict[json_numbers.Path, str] = {}
    for name, values in fields.items():
        if name not in places:
            raise RefusedError(f"{file}: there is no joint {name!r} in it any more")
        servo = wanted["servos"][places[name]]
        for field, value in values.items():
            if field not in servo:
                raise RefusedError(f"{file}: joint {name!r} has no {field} that could be replaced")
            if servo[field] != value:
                numbers[("servos", places[name], field)] = _digits(value)
            servo[field] = value
    servo_table.parse(wanted, file)
    result = json_numbers.replace_numbers(text, numbers)
    if strict_json.loads(result, file) != wanted:
        raise RefusedError(f"{file}: could not be edited without changing something else")
    return result


def _write(path: str | Path, fields: Mapping[str, Mapping[str, float]]) -> None:
    text = read_text(path)
    result = edited(text, path, fields)
    if result != text:
        try:
            write_atomically(path, result)
        except OSError as error:
            raise FileError(f"{path}: cannot be written: {error.strerror}") from error
    if read_text(path) != result:
        raise RefusedError(f"{path}: does not hold what was written; is something else writing it?")
    servo_table.load(path)


def read_text(path: str | Path) -> str:
    """A UTF-8 file with its line ends as they are. Raises FileError."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start})") from error


def _digits(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.{LIMIT_DIGITS}f}"
