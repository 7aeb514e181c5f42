"""Replacing one number in JSON text and leaving every other character as it is.

A scanner walks over the text and knows at each value by which keys and indices it was reached, so the
place is found by structure, whatever the formatting, order, escapes and look-alikes in strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

Path = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


def replace_numbers(text: str, values: Mapping[Path, int | str]) -> str:
    """`text` with the numbers at some paths replaced.

    Args:
        text: Valid JSON without duplicate keys (strict_json sees to that).
        values: New numbers by path, e.g. ``("servos", 2, "zero")``; strings are put in as they are,
            so that the caller decides on the digits.

    Raises:
        KeyError: a path that does not exist, or holds no number.
    """
    spans = {path: span for path, span in scalars(text) if path in values}
    for path in values:
        if path not in spans or text[spans[path][0]] not in "-0123456789":
            raise KeyError(path)
    for path, (start, end) in sorted(spans.items(), key=lambda item: -item[1][0]):
        text = f"{text[:start]}{values[path]}{text[end:]}"
    return text


def scalars(text: str) -> Iterator[tuple[Path, tuple[int, int]]]:
    """Every number and literal of valid JSON: path, and where it begins and ends."""
    # Containers that are open: the key or index of the value that comes next in each.
    path: list[str | int] = []
    position = _skip(text, 0)
    while position < len(text):
        character = text[position]
        if character == "{":
            position = _skip(text, position + 1)
            if text[position] != "}":
                key, position = _key(text, position)
                path.append(key)
                continue
        elif character == "[":
            position = _skip(text, position + 1)
            if text[position] != "]":
                path.append(0)
                continue
        elif character == '"':
            position = _match(_STRING, text, position) - 1
        else:
            end = _match(_SCALAR, text, position)
            yield tuple(path), (position, end)
            position = end - 1
        position = _next(text, position + 1, path)


def _next(text: str, position: int, path: list[str | int]) -> int:
    """Behind a value: close what ends here, and go to the next value."""
    while (position := _skip(text, position)) < len(text):
        if text[position] == ",":
            position = _skip(text, position + 1)
            last = path.pop()
            if isinstance(last, int):
                path.append(last + 1)
            else:
                key, position = _key(text, position)
                path.append(key)
            return position
        # A bracket that closes.
        path.pop()
        position += 1
    return position


def _key(text: str, position: int) -> tuple[str, int]:
    """The key at `position`, and where its value begins."""
    end = _match(_STRING, text, position)
    key: str = json.loads(text[position:end])
    return key, _skip(text, _skip(text, end) + 1)


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _match(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    if found is None:
        raise ValueError(f"not valid JSON at character {position}")
    return found.end()
