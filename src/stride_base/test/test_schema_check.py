"""Documents against a JSON Schema."""

from typing import Any

import pytest

from stride_base.errors import ConfigError
from stride_base.schema_check import check

SCHEMA = {
    "type": "object",
    "properties": {
        "servos": {
            "items": {
                "type": "object",
                "description": "an object with the fields of one servo",
                "properties": {"id": {"type": "integer", "description": "a bus id"}},
            }
        }
    },
}


def refusal(document: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        check(document, SCHEMA, "robot.json", lambda path: "/".join(map(str, path)))
    return caught.value


def test_the_first_of_many_wrong_entries_is_named() -> None:
    servos = [{"id": 1} for _ in range(12)]
    servos[2]["id"] = servos[10]["id"] = "x"  # type: ignore[assignment]
    assert refusal({"servos": servos}).where == "servos/2"


def test_a_wrong_entry_of_a_list_is_named_by_list_and_place() -> None:
    assert refusal({"servos": [{"id": 1}, 5]}).field == "servos[1]"


def test_integers_have_no_fraction() -> None:
    error = refusal({"servos": [{"id": 3.0}]})
    assert (error.field, error.value, error.expected) == ("id", 3.0, "a bus id")
