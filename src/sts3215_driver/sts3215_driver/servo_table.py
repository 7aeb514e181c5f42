"""The servo file: which servos exist, how they are mounted and how far they may go.

The same file may describe more (a control file describes the gait as well); the driver reads its part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stride_base import strict_json
from stride_base.errors import ConfigError
from stride_base.schema_check import check
from sts3215_driver.protocol.units import STEPS_PER_TURN, steps_from_rad

#: Beyond every limit that a servo can keep, rad.
FARTHEST = 100.0

_SCHEMA = json.loads(Path(__file__).with_name("servo_schema.json").read_text())


@dataclass(frozen=True)
class ServoTable:
    """All servos of a robot, in the order of the file.

    Args:
        ids: Bus ids.
        names: Joint names.
        wheel: (n,) whether the servo turns freely.
        sign: (n,) 1 or -1.
        zero: (n,) steps at 0 rad; 0 for wheels.
        minimum, maximum: (n,) joint limits, rad; infinite for wheels.
    """

    ids: tuple[int, ...]
    names: tuple[str, ...]
    wheel: NDArray[np.bool_]
    sign: NDArray[np.int64]
    zero: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.ids)

    def label(self, index: int) -> str:
        """How messages call a servo."""
        return f"servo {self.ids[index]} ({self.names[index]})"


def load(path: str | Path) -> ServoTable:
    """Read and check a servo file.

    Raises:
        FileError: it cannot be read or is no JSON.
        ConfigError: a value is wrong; names file, servo, field, value and what was expected.
    """
    return parse(strict_json.load(path), path)


def parse(document: Any, file: str | Path) -> ServoTable:
    """Check a parsed servo file; `file` names it in errors. Raises ConfigError."""
    check(document, _SCHEMA, file, lambda path: where(document, path))
    servos = document["servos"]
    _check_unique(servos, "id", file)
    _check_unique(servos, "name", file)
    for servo in servos:
        if servo["mode"] == "position":
            _check_range(servo, file)
    wheel = [servo["mode"] == "wheel" for servo in servos]
    infinity = float("inf")
    return ServoTable(
        ids=tuple(servo["id"] for servo in servos),
        names=tuple(servo["name"] for servo in servos),
        wheel=np.array(wheel),
        sign=np.array([servo["sign"] for servo in servos]),
        zero=np.array([0 if w else s["zero"] for w, s in zip(wheel, servos, strict=True)]),
        minimum=np.array(
            [-infinity if w else s["min"] for w, s in zip(wheel, servos, strict=True)]
        ),
        maximum=np.array([infinity if w else s["max"] for w, s in zip(wheel, servos, strict=True)]),
    )


def tightened(table: ServoTable, low: float, high: float, file: str | Path) -> ServoTable:
    """The table with the limits of all joints inside of `low` to `high`, rad; wheels have none.

    Args:
        file: Where the tighter limits come from, for the error.

    Raises:
        ConfigError: nothing would be left of a joint's range.
    """
    joint = ~table.wheel
    minimum = np.where(joint, np.maximum(table.minimum, low), table.minimum)
    maximum = np.where(joint, np.minimum(table.maximum, high), table.maximum)
    empty = np.flatnonzero(joint & (minimum > maximum))
    if len(empty):
        index = int(empty[0])
        own = f"{table.minimum[index]:g} to {table.maximum[index]:g} rad"
        expected = f"limits that leave something of {own}"
        raise ConfigError(file, table.label(index), "position", [low, high], expected)
    return replace(table, minimum=minimum, maximum=maximum)


def where(document: Any, path: Iterable[str | int]) -> str:
    """Words for the servo that a path into a servo file leads to; empty for another path."""
    parts = list(path)
    if len(parts) < 2 or parts[0] != "servos" or not isinstance(parts[1], int):
        return ""
    return label_of(document["servos"][parts[1]], parts[1])


def label_of(servo: Any, index: int) -> str:
    """How messages call a servo that may be anything, at a place in the list."""
    if not isinstance(servo, dict):
        return f"servos[{index}]"
    return f"servo {servo.get('id', f'[{index}]')} ({servo.get('name', 'without name')})"


def _check_unique(servos: Sequence[dict[str, Any]], field: str, file: str | Path) -> None:
    seen = set()
    for index, servo in enumerate(servos):
        if servo[field] in seen:
            place = label_of(servo, index)
            raise ConfigError(file, place, field, servo[field], "a value no other servo has")
        seen.add(servo[field])


def _check_range(servo: dict[str, Any], file: str | Path) -> None:
    place = label_of(servo, 0)
    if servo["min"] > servo["max"]:
        expected = f"at most max, {servo['max']} rad"
        raise ConfigError(file, place, "min", servo["min"], expected)
    for limit in ("min", "max"):
        # Cut, since a number near the end of the floats has no steps.
        angle = min(max(servo[limit], -FARTHEST), FARTHEST)
        steps = steps_from_rad(angle, servo["zero"], servo["sign"])
        if not 0 <= steps < STEPS_PER_TURN:
            expected = (
                f"a limit within the servo's turn: with zero {servo['zero']} it lies at step {steps}, "
                f"outside 0 to {STEPS_PER_TURN - 1}"
            )
            raise ConfigError(file, place, limit, servo[limit], expected)
