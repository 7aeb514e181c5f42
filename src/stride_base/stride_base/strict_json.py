"""JSON as the standard means it: no NaN, no Infinity, no overflow, no duplicate keys."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from stride_base.errors import ConfigError, StrideError

#: No file of a robot is nested nearly as deep, and whatever walks through one may recurse.
DEEPEST = 100
_TEXT = "a text that can be written as UTF-8, without halves of surrogate pairs"


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
            if not _is_text(key) or (isinstance(value, str) and not _is_text(value)):
                raise ConfigError(file, _name_of(items), key, value, _TEXT)
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
    _refuse_what_no_object_claims(document, file, DEEPEST)
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


def _is_text(text: str) -> bool:
    """Whether `text` is made of whole characters; JSON can name halves of them."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _refuse_what_no_object_claims(
    document: Any, file: str | Path, deepest: int, field: str = "document"
) -> None:
    """Bad numbers and texts in arrays or at the top, and nesting without end."""
    if isinstance(document, _BadNumber):
        raise ConfigError(file, "", field, document, "a finite number")
    if isinstance(document, str) and not _is_text(document):
        raise ConfigError(file, "", field, document, _TEXT)
    if not isinstance(document, (dict, list)):
        return
    if deepest == 0:
        raise FileError(f"{file}: is nested too deeply")
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in entries:
        _refuse_what_no_object_claims(value, file, deepest - 1, f"[{key}]")
