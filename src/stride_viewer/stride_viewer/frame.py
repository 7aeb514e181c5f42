"""One picture of the robot for the page: JSON values, None for what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from stride_viewer.ground import look
from stride_viewer.robot_model import RobotModel
from stride_viewer.telemetry import Telemetry

#: Wanted joints older than this are not drawn, s.
WANTED_AGE = 1.0
#: What the robot stands on is told while no joint of its legs was silent for longer, s.
GROUND_AGE = 1.0


def frame(model: RobotModel, telemetry: Telemetry, now: float) -> dict[str, Any]:
    """What `robot_view.js` draws: poses of joints and body, contacts, polygon, margin, load."""
    measured = telemetry.measured
    ground = look(model, measured or telemetry.wanted)
    if not _legs_are_known(model, telemetry, now):
        ground = ground.unknown()
    pose = telemetry.pose(now)
    if pose is None:
        base = [0.0, 0.0, ground.height, *ground.orientation]
    else:
        base = [*pose.position, *pose.orientation]
    names = model.joint_names
    wanted = None
    if telemetry.age("joints_fixed", now) <= WANTED_AGE:
        wanted = _values(names, telemetry.wanted)
    servos = [(name, telemetry.servo_now(name, now)) for name in names]
    loads = {name: servo.load for name, servo in servos if servo is not None}
    feet = [
        [*map(_rounded, foot), bool(touching)]
        for foot, touching in zip(ground.feet.tolist(), ground.touching, strict=True)
    ]
    return {
        "names": names,
        "base": [_rounded(value) for value in base],
        "measured": _values(names, measured) if measured else None,
        "wanted": wanted,
        "load": _values(names, loads),
        "feet": feet,
        "polygon": [[*map(_rounded, corner)] for corner in ground.polygon.tolist()],
        "center": None if ground.center is None else [*map(_rounded, ground.center.tolist())],
        "margin": known(ground.margin),
    }


def _legs_are_known(model: RobotModel, telemetry: Telemetry, now: float) -> bool:
    times = telemetry.measured_times
    return all(now - times.get(name, -math.inf) <= GROUND_AGE for name in model.leg_joints)


def known(value: float) -> float | None:
    """A number for JSON; None for NaN and infinities."""
    return value if math.isfinite(value) else None


def _values(names: Iterable[str], values: Mapping[str, float]) -> list[float | None]:
    return [_rounded(values.get(name, math.nan)) for name in names]


def _rounded(value: float) -> float | None:
    """Four digits after the point are a tenth of what a servo can tell."""
    return round(value, 4) if math.isfinite(value) else None
