"""Gaits on paper: each walked at full speed in three directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hexapod_motion.gaits import Gait
from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.planar import Twist
from hexapod_motion.preflight.findings import Finding, Kind, Thresholds
from hexapod_motion.walk_rules import WalkSettings
from hexapod_motion.walker import Walker

#: Faster than any leg: what is walked at is the most that the legs can do.
DIRECTIONS = {
    "forward": Twist(1000 + 0j, 0.0),
    "left": Twist(1000j, 0.0),
    "turn": Twist(0j, 10.0),
}
#: Cycles walked: the first to get to speed.
CYCLES = 3


@dataclass(frozen=True)
class CheckedGait:
    """What a gait can do.

    Args:
        name: Its name.
        forward, left: Top speed, m/s.
        turn: Top turn, rad/s.
        radius: How far from the middle of its steps the nearest-reaching foot goes, mm.
        joint_speed: Fastest joint, degrees/s.
        margin: Least static stability margin, mm.
        findings: What is wrong.
    """

    name: str
    forward: float
    left: float
    turn: float
    radius: float
    joint_speed: float
    margin: float
    findings: tuple[Finding, ...]


def check_gait(
    name: str,
    gaits: Mapping[str, Gait],
    geometry: Geometry,
    settings: WalkSettings,
    rate: float = 150.0,
    thresholds: Thresholds | None = None,
) -> CheckedGait:
    """Walk with gait `name` and the other settings as given.

    Raises:
        RefusedError: the legs cannot walk like that at all.
    """
    thresholds = thresholds or Thresholds()
    kinematics, dt = Kinematics(geometry), 1.0 / rate
    tops: dict[str, Twist] = {}
    findings: list[Finding] = []
    fastest, least, radius = 0.0, np.inf, 0.0
    for direction, command in DIRECTIONS.items():
        walker = Walker(geometry, gaits, settings)
        walker.command(command)
        radius = float(walker.limits.radius.min())
        frames = []
        for _ in range(round(CYCLES * walker.cycle_time * rate)):
            frames.append(walker.step(dt))
            least = min(least, walker.margin())
        tops[direction] = walker.state.twist
        angles = kinematics.inverse(np.array(frames))
        speed = np.abs(np.diff(angles.values, axis=0)) * rate
        fastest = max(fastest, float(speed.max()))
        if not angles.all_possible:
            frame, limb = np.argwhere(~angles.possible)[0].tolist()
            text = f"walking {direction}: {angles.reason(frame, limb)}"
            part = f"limb {geometry.names[limb]}"
            findings.append(Finding(Kind.REACH, f"gait {name}", -1, part, text))
    if fastest > geometry.joint_speed:
        text = f"{fastest:.0f} deg/s, the servo's most is {geometry.joint_speed:.0f} deg/s"
        findings.append(Finding(Kind.JOINT_SPEED, f"gait {name}", -1, "", text))
    if least < thresholds.margin:
        text = f"the centre of gravity is {least:.0f} mm inside the standing feet"
        findings.append(Finding(Kind.MARGIN, f"gait {name}", -1, "", text))
    return CheckedGait(
        name,
        tops["forward"].velocity.real / 1000.0,
        tops["left"].velocity.imag / 1000.0,
        tops["turn"].turn,
        radius,
        fastest,
        float(least),
        tuple(findings),
    )
