"""A document against a JSON Schema (draft 2020-12), with errors that a robot's owner understands.

Stricter than the standard in one point: an ``integer`` is written without fraction, so 3.0 is none.
The ``description`` of a schema property is what a message quotes as the expectation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from stride_base.errors import MISSING, ConfigError, show


def _strict_integer(_checker: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _strict_integer),
)


def check(
    document: Any,
    schema: Mapping[str, Any],
    file: str | Path,
    where: Callable[[Iterable[str | int]], str] = lambda _path: "",
) -> None:
    """Raise ConfigError for the first violation in document order.

    Args:
        document: Parsed JSON or YAML.
        schema: JSON Schema; its property descriptions are quoted in messages.
        file: Name used in messages.
        where: Words for the path of the object that holds the field, e.g. ``servo 2 (s4_roll)``.
    """
    errors = list(_Validator(schema).iter_errors(document))
    if errors:
        # Parts that are compared are of one container, so both are names or both are numbers.
        first = min(errors, key=lambda error: list(error.absolute_path))
        raise _explain(first, schema, file, where)


def _explain(
    error: Any,
    schema: Mapping[str, Any],
    file: str | Path,
    where: Callable[[Iterable[str | int]], str],
) -> ConfigError:
    path = list(error.absolute_path)
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        properties = error.schema.get("properties", {})
        expected = _described(properties.get(missing, {}), schema)
        return ConfigError(file, where(path), missing, MISSING, expected)
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        known = error.schema.get("properties", {})
        extra = next(name for name in error.instance if name not in known)
        expected = f"only the fields {', '.join(known)}"
        return ConfigError(file, where(path), str(extra), error.instance[extra], expected)
    if not path:
        return ConfigError(file, "", "document", error.instance, _expectation(error))
    field = path[-1]
    if isinstance(field, int):
        owner = path[-2] if len(path) > 1 and isinstance(path[-2], str) else ""
        field = f"{owner}[{field}]"
    return ConfigError(file, where(path[:-1]), field, error.instance, _expectation(error))


def _described(part: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """The words of `part`, or of the definition in `schema` that it refers to."""
    reference = part.get("$ref", "")
    if "description" not in part and reference.startswith("#/$defs/"):
        part = schema["$defs"][reference.removeprefix("#/$defs/")]
    return str(part.get("description", "a value"))


def _expectation(error: Any) -> str:
    """The schema's own words, else the rule that was broken."""
    description = error.schema.get("description")
    if isinstance(description, str):
        return description
    return f"{error.validator} {show(error.validator_value)}"
