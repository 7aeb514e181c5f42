"""JSON as the standard means it: no NaN, no Infinity, no overflow, no duplicate keys."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from stride_base.errors import ConfigError, StrideError


class FileError(StrideError):
    """A file cannot be read, or is not JSON at all."""


def load(path: str | Path) -> Any:
    """Read one JSON document.

    Raises:
        FileError: unreadable, not UTF-8, or not JSON (with line and column).
        ConfigError: NaN, Infinity, a number that overflows, or a duplicate key.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    return loads(text, path)


def loads(text: str, file: str | Path = "JSON") -> Any:
    """Parse one JSON document; `file` names it in errors."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        document: dict[str, Any] = {}
        for key, value in items:
            if key in document:
                raise ConfigError(
                    file, _name_of(items), key, value, "each key only once in an object"
                )
            if isinstance(value, _BadNumber):
                raise ConfigError(file, _name_of(items), key, value, "a finite number")
            document[key] = value
        return document

    def number(text: str) -> float | _BadNumber:
        value = float(text)
        return value if math.isfinite(value) else _BadNumber(text)

    def integer(text: str) -> int | _BadNumber:
        # Every integer of up to 300 digits fits into a float.
        return int(text) if len(text) <= 300 else _BadNumber(text)

    try:
        document = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=_BadNumber,
            parse_float=number,
            parse_int=integer,
        )
    except json.JSONDecodeError as error:
        raise FileError(
            f"{file}: is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise FileError(f"{file}: is nested too deeply") from error
    _refuse_bad_numbers(document, file)
    return document


class _BadNumber:
    """Stands for a number that JSON or a float cannot hold, until its place is known."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _name_of(items: list[tuple[str, Any]]) -> str:
    """What an object calls itself, to say where a fault is."""
    known = dict(items)
    name, number = known.get("name"), known.get("id")
    if isinstance(name, str):
        return f"servo {'?' if number is None else number} ({name})"
    return f"servo {number} (no name)" if isinstance(number, int) else ""


def _refuse_bad_numbers(document: Any, file: str | Path) -> None:
    """Bad numbers in arrays or at the top, which no object claims."""
    if isinstance(document, _BadNumber):
        raise ConfigError(file, "", "document", document, "a finite number")
    if isinstance(document, dict):
        for value in document.values():
            _refuse_bad_numbers(value, file)
    elif isinstance(document, list):
        for index, value in enumerate(document):
            if isinstance(value, _BadNumber):
                raise ConfigError(file, "", f"[{index}]", value, "a finite number")
            _refuse_bad_numbers(value, file)
