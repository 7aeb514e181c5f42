"""The servos of a robot from its control file: ids, wheels, and where they stand at start."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stride_base import strict_json
from stride_base.errors import ConfigError
from stride_base.schema_check import check
from sts3215_driver.protocol.units import STEPS_PER_TURN, steps_from_rad
from sts3215_driver.servo_table import FARTHEST, label_of, where

CENTRE = STEPS_PER_TURN // 2

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["servos"],
    "properties": {
        "servos": {
            "type": "array",
            "minItems": 1,
            "description": "a list with at least one servo",
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": 253,
                        "description": "a servo id from 0 to 253",
                    },
                    "name": {"type": "string", "description": "the name of the joint"},
                    "mode": {"enum": ["position", "wheel"], "description": "position or wheel"},
                    "zero": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": STEPS_PER_TURN - 1,
                        "description": "the encoder step at 0 rad, 0 to 4095",
                    },
                    "sign": {"enum": [1, -1], "description": "1 or -1"},
                    "min": {"type": "number", "description": "the lowest angle in rad"},
                    "max": {"type": "number", "description": "the highest angle in rad"},
                },
            },
        }
    },
}


@dataclass(frozen=True)
class Joint:
    """One servo as it is mounted.

    Args:
        id: On the bus.
        name: Of the joint; empty where nobody gave one.
        sign: 1, or -1 where the joint's angle falls while the servo's position grows.
        wheel: Turns endlessly, operating mode 1.
        zero: Encoder steps at 0 rad.
        lowest, highest: Range of the encoder, steps.
    """

    id: int
    wheel: bool = False
    zero: int = CENTRE
    lowest: int = 0
    highest: int = STEPS_PER_TURN - 1
    name: str = ""
    sign: int = 1


def load_joints(path: Path) -> list[Joint]:
    """The joints of a control file, in its order; other fields are left alone.

    Raises:
        FileError: unreadable or no JSON.
        ConfigError: a field that matters here is wrong.
    """
    document = strict_json.load(path)
    check(document, _SCHEMA, path, partial(where, document))
    joints: list[Joint] = []
    ids: set[int] = set()
    for index, servo in enumerate(document["servos"]):
        if servo["id"] in ids:
            raise ConfigError(path, label_of(servo, index), "id", servo["id"], "each id only once")
        ids.add(servo["id"])
        joints.append(_joint(servo))
    return joints


def _joint(servo: dict[str, Any]) -> Joint:
    zero, sign = servo.get("zero", CENTRE), servo.get("sign", 1)
    ends = [
        min(max(steps_from_rad(_near(servo[end]), zero, sign), 0), STEPS_PER_TURN - 1)
        for end in ("min", "max")
        if end in servo
    ]
    if len(ends) < 2:
        ends = [0, STEPS_PER_TURN - 1]
    wheel, name = servo.get("mode") == "wheel", servo.get("name", "")
    return Joint(servo["id"], wheel, zero, min(ends), max(ends), name, sign)


def _near(angle: float) -> float:
    """An angle that has steps, also where the file has a number near the end of the floats."""
    return min(max(float(angle), -FARTHEST), FARTHEST)


def start_pose(joints: Sequence[Joint], pose: str, seed: int) -> list[int]:
    """Encoder steps of every joint at start.

    Args:
        joints: The joints.
        pose: "zero" for 0 rad, "random" for anywhere in their range, or steps for all.
        seed: Of the random numbers.

    Raises:
        ConfigError: another word, or steps that no encoder reads.
    """
    if pose == "zero":
        return [joint.zero for joint in joints]
    if pose == "random":
        numbers = random.Random(seed)
        return [numbers.randint(joint.lowest, joint.highest) for joint in joints]
    if not (pose.isdecimal() and len(pose) <= 4 and int(pose) < STEPS_PER_TURN):
        raise ConfigError("emulator", "", "pose", pose, "zero, random, or steps from 0 to 4095")
    return [int(pose)] * len(joints)
