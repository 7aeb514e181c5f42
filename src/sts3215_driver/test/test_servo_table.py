"""The servo file: what is refused, and how the message reads."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from stride_base.errors import ConfigError
from sts3215_driver import servo_table

GOOD: dict[str, Any] = {
    "servos": [
        {"id": 1, "name": "hip", "mode": "position", "sign": -1, "zero": 2048, "min": -1, "max": 1},
        {"id": 7, "name": "wheel", "mode": "wheel", "sign": 1},
    ]
}


def test_a_good_file() -> None:
    table = servo_table.parse(GOOD, "robot.json")
    assert table.ids == (1, 7)
    assert table.names == ("hip", "wheel")
    assert table.wheel.tolist() == [False, True]
    assert table.sign.tolist() == [-1, 1]
    assert np.isinf(table.maximum[1])


BROKEN = [
    ("id twice", 1, "id", 1, "a value no other servo has"),
    ("name twice", 1, "name", "hip", "a value no other servo has"),
    ("id 0", 0, "id", 0, "integer from 1 to 253"),
    ("id 254", 0, "id", 254, "integer from 1 to 253"),
    ("id as float", 0, "id", 1.0, "integer from 1 to 253"),
    ("unknown mode", 0, "mode", "pwm", "position"),
    ("sign 0", 0, "sign", 0, "1 or -1"),
    ("sign 2", 0, "sign", 2, "1 or -1"),
    ("zero 4096", 0, "zero", 4096, "0 to 4095"),
    ("zero as text", 0, "zero", "2048", "0 to 4095"),
    ("min above max", 0, "min", 1.5, "at most max, 1 rad"),
    ("limit beyond the turn", 0, "max", 3.2, "outside 0 to 4095"),
    ("limit beyond all steps", 0, "min", -1.7e308, "outside 0 to 4095"),
]


@pytest.mark.parametrize(
    ("servo", "field", "value", "expected"),
    [case[1:] for case in BROKEN],
    ids=[case[0] for case in BROKEN],
)
def test_refused(servo: int, field: str, value: object, expected: str) -> None:
    document = copy.deepcopy(GOOD)
    document["servos"][servo][field] = value
    with pytest.raises(ConfigError) as caught:
        servo_table.parse(document, "robot.json")
    message = str(caught.value)
    assert message.startswith("robot.json: servo ")
    assert f"'{field}'" in message and expected in message


@pytest.mark.parametrize("field", ["id", "name", "mode", "sign", "zero", "min", "max"])
def test_missing_field(field: str) -> None:
    document = copy.deepcopy(GOOD)
    del document["servos"][0][field]
    with pytest.raises(ConfigError, match=f"'{field}' is missing; expected"):
        servo_table.parse(document, "robot.json")


@pytest.mark.parametrize("document", [[], {}, {"servos": []}, {"servos": 3}, {"servos": [5]}, None])
def test_no_servos(document: object) -> None:
    with pytest.raises(ConfigError):
        servo_table.parse(document, "robot.json")


def test_a_file_of_something_else_is_told_what_it_should_hold() -> None:
    with pytest.raises(ConfigError, match=r"expected an object that describes a robot: its servos"):
        servo_table.parse([], "robot.json")


def test_limits_of_a_joint_module_hold_as_well() -> None:
    table = servo_table.tightened(servo_table.parse(GOOD, "robot.json"), -0.5, 3.0, "module.json")
    assert (table.minimum[0], table.maximum[0]) == (-0.5, 1.0)
    assert np.isinf(table.maximum[1])


def test_a_joint_module_that_leaves_a_joint_no_range_is_refused() -> None:
    table = servo_table.parse(GOOD, "robot.json")
    with pytest.raises(ConfigError, match=r"module\.json: servo 1 \(hip\).*of -1 to 1 rad"):
        servo_table.tightened(table, 1.5, 3.0, "module.json")
