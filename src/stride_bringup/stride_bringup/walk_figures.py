"""How well a robot walks, measured on where it really is in a lock-step run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stride_base.progress import Progress, silent
from stride_bringup.lockstep import LockStep

#: Approach to the gait and its first cycles, s, before anything is measured.
SETTLING = 5.0


@dataclass(frozen=True)
class WalkFigures:
    """One stretch of a walk, seen from where it began.

    Args:
        seconds: Its length.
        forward: Distance along the heading at the beginning, m.
        left: Distance across it, m.
        path: Length of the path of the base over the ground, m.
        turn: Change of the heading, rad, over full turns.
        lowest, highest: Height of the base, m.
        tilt: Largest angle of the base from upright, rad.
    """

    seconds: float
    forward: float
    left: float
    path: float
    turn: float
    lowest: float
    highest: float
    tilt: float

    @property
    def speed(self) -> float:
        """Along the heading at the beginning, m/s."""
        return self.forward / self.seconds

    @property
    def drift(self) -> float:
        """Distance across over distance along the heading."""
        return abs(self.left) / max(abs(self.forward), 1e-9)


def measure(robot: LockStep, seconds: float, progress: Progress = silent) -> WalkFigures:
    """Walk on for `seconds` and look at it; `progress` is told of them."""
    begin = robot.truth
    places, headings, tilt = [begin.position], [begin.yaw], 0.0
    for number in range(round(seconds / robot.period)):
        progress("simulating", number * robot.period, seconds)
        robot.step()
        now = robot.truth
        places.append(now.position)
        headings.append(now.yaw)
        _, x, y, _ = now.orientation
        tilt = max(tilt, math.acos(min(1.0, 1.0 - 2.0 * (x * x + y * y))))
    track, heading = np.array(places), np.unwrap(headings)
    moved = (track[-1] - track[0])[:2]
    ahead = np.array([math.cos(begin.yaw), math.sin(begin.yaw)])
    # Every tenth of a second: sway within a step is no way.
    coarse = track[:: max(1, round(0.1 / robot.period)), :2]
    return WalkFigures(
        seconds=seconds,
        forward=float(moved @ ahead),
        left=float(ahead[0] * moved[1] - ahead[1] * moved[0]),
        path=float(np.linalg.norm(np.diff(coarse, axis=0), axis=1).sum()),
        turn=float(heading[-1] - heading[0]),
        lowest=float(track[:, 2].min()),
        highest=float(track[:, 2].max()),
        tilt=tilt,
    )


def walk(seconds: float, steering: float = 0.0, robot: LockStep | None = None) -> WalkFigures:
    """Start a robot (the hexapod if left out), let it find its gait, and measure.

    Args:
        seconds: What is measured, after `SETTLING`.
        steering: From the first tick on.
        robot: Not started yet.
    """
    robot = robot if robot is not None else LockStep()
    robot.start()
    robot.steer(steering)
    robot.run(SETTLING)
    return measure(robot, seconds)
