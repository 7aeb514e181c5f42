"""YAML files of this package: strict, by JSON Schema, and without NaN or infinity anywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from stride_base import strict_yaml
from stride_base.errors import ConfigError
from stride_base.schema_check import check

#: Words for the place of a field, from the path of the object that holds it.
Where: TypeAlias = Callable[[Iterable[str | int]], str]


def load_schema(name: str) -> Mapping[str, Any]:
    """A schema of this package."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def load_document(
    path: str | Path, schema: Mapping[str, Any], where: Callable[[Any], Where]
) -> Any:
    """Read and check one file.

    Args:
        path: The file.
        schema: JSON Schema of its document.
        where: Gives the words for places in the document it is called with.

    Raises:
        FileError: it cannot be read, or is not YAML.
        ConfigError: the document breaks a rule; names file, place, field, value, expectation.
    """
    document = strict_yaml.load(path)
    words = where(document)
    _refuse_unbounded(document, (), path, words)
    check(document, schema, path, words)
    return document


def _refuse_unbounded(
    value: Any, place: tuple[str | int, ...], file: str | Path, where: Where
) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        field = place[-1] if place else "document"
        name = f"[{field}]" if isinstance(field, int) else field
        raise ConfigError(file, where(place[:-1]), name, value, "a finite number")
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_unbounded(item, (*place, key), file, where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unbounded(item, (*place, index), file, where)
