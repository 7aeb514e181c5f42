"""The control file: which servos a robot has, and the controller each one follows.

Formats 2 (without steering) and 3 are read. A file is either valid as a whole, or refused with one
sentence that names file, servo, field, value and what was expected.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from gait_controller import control_checks
from stride_base import schema_check, strict_json
from stride_base.errors import MISSING, ConfigError

FORMATS = (2, 3)
DEFAULT_LOAD_FULL_SCALE = 0.7
SCHEMA: dict[str, Any] = json.loads(
    Path(__file__).with_name("control_schema.json").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class PositionServo:
    """A joint that follows the oscillator. Angles in rad, joint side.

    Args:
        id, name: On the bus, and of the joint.
        amp1, phase1, amp2, phase2, offset: Both harmonics and the centre, before steering and cut.
        sigma: Gain of the load feedback, rad/s, signed.
        steer_gain, steer_shift: Change of the amplitudes (factor) and of the offset at command 1.
        sign, zero: Mounting: sense, and the servo's position at 0 rad in steps.
        min, max: Limits of the target.
    """

    mode: ClassVar[str] = "position"

    id: int
    name: str
    amp1: float
    phase1: float
    offset: float
    amp2: float
    phase2: float
    sigma: float
    steer_gain: float
    steer_shift: float
    sign: int
    zero: int
    min: float
    max: float


@dataclass(frozen=True)
class WheelServo:
    """A joint that turns on and on. Speeds in rad/s, joint side.

    Args:
        id, name: On the bus, and of the joint.
        speed: Speed without steering; positive is forward.
        steer_gain: Read, and of no effect.
        steer_shift: Change of the speed at command 1.
        sign: Sense of the mounting.
    """

    mode: ClassVar[str] = "wheel"

    id: int
    name: str
    speed: float
    steer_gain: float
    steer_shift: float
    sign: int


Servo: TypeAlias = PositionServo | WheelServo


@dataclass(frozen=True)
class ControlFile:
    """A valid control file.

    Args:
        file: Where it came from.
        format: 2 or 3.
        robot, fitness: Kind of robot and how good it was in evolution; for information.
        control_hz: Rate of the control loop, Hz.
        ramp_time: Time in which the motion grows to full size, s.
        load_full_scale: Fraction of the stall torque that counts as a load of 1.
        frequency: Natural frequency of all joints, Hz.
        servos: In the order of the file, which is the order of joints everywhere.
        warnings: What is odd but not wrong, one sentence each.
    """

    file: str
    format: int
    robot: str
    fitness: float
    control_hz: int
    ramp_time: float
    load_full_scale: float
    frequency: float
    servos: tuple[Servo, ...]
    warnings: tuple[str, ...] = ()

    @property
    def omega(self) -> float:
        """Natural angular frequency, rad/s."""
        return 2.0 * math.pi * self.frequency

    @property
    def names(self) -> tuple[str, ...]:
        """Joint names in order."""
        return tuple(servo.name for servo in self.servos)


def load(path: str | Path) -> ControlFile:
    """Read a control file.

    Raises:
        FileError: it cannot be read or is not JSON.
        ConfigError: a value is wrong.
    """
    return parse(strict_json.load(path), path)


def parse(document: Any, file: str | Path = "control file") -> ControlFile:
    """A control file from its parsed JSON; `file` names it in messages.

    Raises:
        ConfigError: a value is wrong.
    """
    _check_format(document, file)

    def where(path: Iterable[str | int]) -> str:
        parts = list(path)
        if len(parts) < 2 or parts[0] != "servos":
            return ""
        return control_checks.place(document["servos"], int(parts[1]))

    schema_check.check(document, SCHEMA, file, where)
    control_checks.check(document, SCHEMA, file)
    steered = document["format"] >= 3
    return ControlFile(
        file=str(file),
        format=document["format"],
        robot=document["robot"],
        fitness=float(document["fitness"]),
        control_hz=document["control_hz"],
        ramp_time=float(document["ramp_time"]),
        load_full_scale=float(document.get("load_full_scale", DEFAULT_LOAD_FULL_SCALE)),
        frequency=float(document["frequency"]),
        servos=tuple(make_servo(item, steered) for item in document["servos"]),
        warnings=control_checks.warnings(document, SCHEMA),
    )


def _check_format(document: Any, file: str | Path) -> None:
    """Refuse other formats first, since nothing else in such a file can be judged."""
    if not isinstance(document, dict):
        return
    value = document.get("format", MISSING)
    if type(value) is int and value in FORMATS:
        return
    expected = "the integer 3 or 2: formats 2 and 3 are read"
    if type(value) is int and value == 1:
        expected += ", format 1 (one sine per joint) is no longer read"
    raise ConfigError(file, "", "format", value, expected)


def make_servo(item: Mapping[str, Any], steered: bool) -> Servo:
    """A servo from the fields of a valid file; without steering if not `steered` (format 2)."""
    # A format 2 file may hold steering fields of any kind; they count as 0.
    gain = float(item.get("steer_gain", 0.0)) if steered else 0.0
    shift = float(item["steer_shift"]) if steered else 0.0
    if item["mode"] == "wheel":
        speed = float(item["speed"])
        return WheelServo(item["id"], item["name"], speed, gain, shift, item["sign"])
    return PositionServo(
        id=item["id"],
        name=item["name"],
        amp1=float(item["amp1"]),
        phase1=float(item["phase1"]),
        offset=float(item["offset"]),
        amp2=float(item["amp2"]),
        phase2=float(item["phase2"]),
        sigma=float(item["sigma"]),
        steer_gain=gain,
        steer_shift=shift,
        sign=item["sign"],
        zero=item["zero"],
        min=float(item["min"]),
        max=float(item["max"]),
    )
