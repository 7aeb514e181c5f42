"""From where the joints are to a pose, slowly and all together."""

from __future__ import annotations

import numpy as np

from hexapod_motion.arrays import FloatArray

#: Peak of the derivative of the blend 3 u^2 - 2 u^3.
PEAK_SLOPE = 1.5


class Approach:
    """A move of the joints that starts and ends at rest, start + (goal - start)*(3 u^2 - 2 u^3).

    Args:
        start, goal: (6, 3) joint angles, degrees.
        dt: Time between frames, s.
        speed: Fastest joint, degrees/s; may change on the way.
    """

    def __init__(self, start: FloatArray, goal: FloatArray, dt: float, speed: float) -> None:
        self.speed = speed
        self._start, self._goal, self._dt = start, goal, dt
        self._longest = float(np.abs(goal - start).max())
        self._part = 0.0 if self._longest > 1e-9 else 1.0

    @property
    def done(self) -> bool:
        """Whether the goal has been reached."""
        return self._part >= 1.0

    def step(self) -> FloatArray:
        """(6, 3) the next frame."""
        if not self.done:
            self._part += self._dt * self.speed / (PEAK_SLOPE * self._longest)
        if self._part > 1.0 - 1e-9:
            self._part = 1.0
            return self._goal
        u = self._part
        return self._start + (self._goal - self._start) * (u * u * (3.0 - 2.0 * u))
