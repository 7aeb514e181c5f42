"""From where the robot stands to the first pose of the gait, slowly and all joints together."""

from __future__ import annotations

import numpy as np

from gait_controller.frame import FloatArray, Frame

#: Peak of the derivative of the blend 3 u^2 - 2 u^3.
PEAK_SLOPE = 1.5


class Approach:
    """A move that starts and ends at rest, stepped once a tick.

    Every joint follows start + (goal - start)*(3 u^2 - 2 u^3), u from 0 to 1, with one duration for
    all: the one that lets the joint with the longest way keep the speed limit.

    Args:
        start: (n,) measured pose, rad; entries of wheels are not used.
        goal: (n,) pose to reach, rad; NaN for wheels, which stand still.
        dt: Time between ticks, s.
        speed: Fastest that any joint may move, rad/s, greater than 0; may change on the way.
    """

    def __init__(self, start: FloatArray, goal: FloatArray, dt: float, speed: float) -> None:
        self.speed = speed
        self._goal, self._dt = goal, dt
        self._way = goal - start
        self._joints = ~np.isnan(goal)
        self._longest = float(np.max(np.abs(self._way), initial=0.0, where=self._joints))
        self._part = 1.0 if self._longest == 0.0 else 0.0

    @property
    def done(self) -> bool:
        """Whether the goal has been commanded."""
        return self._part >= 1.0

    @property
    def remaining(self) -> float:
        """Time still to go, s."""
        return (1.0 - self._part) * PEAK_SLOPE * self._longest / self.speed

    def step(self) -> Frame:
        """The next frame; the last one is the goal, at rest."""
        if self._longest > 0.0:
            rate = self.speed / (PEAK_SLOPE * self._longest)
            self._part += rate * self._dt
            if self._part > 1.0 - 1e-9:
                self._part = 1.0
        else:
            rate = 0.0
        u = self._part
        to_go = 1.0 - u * u * (3.0 - 2.0 * u)
        slope = 6.0 * u * (1.0 - u) * rate
        velocity = np.where(self._joints, self._way * slope, 0.0)
        return Frame(self._goal - self._way * to_go, velocity)
