"""Keeps the body level on a slope, slowly, from what an IMU says (an option)."""

from __future__ import annotations

import math

#: Part of the error taken away per second, and the largest correction, rad.
GAIN = 0.5
LARGEST = 0.3
#: Age after which a measurement no longer counts, s.
TIMEOUT = 0.2


class Levelling:
    """Roll and pitch to add to the wanted pose.

    Attributes:
        enabled: Whether it works; switched off, the correction goes back to 0.
        roll, pitch: The correction, rad.
    """

    def __init__(self, enabled: bool = False) -> None:
        self.enabled = enabled
        self.roll = self.pitch = 0.0
        self._measured = (0.0, 0.0)
        self._age = math.inf

    def measure(self, roll: float, pitch: float) -> None:
        """Take the body's tilt against gravity, rad, finite."""
        self._measured, self._age = (roll, pitch), 0.0

    def step(self, wanted_roll: float, wanted_pitch: float, dt: float) -> None:
        """Let `dt` s pass; the tilt should become the wanted one. Holds without fresh measurements."""
        self._age += dt
        if not self.enabled:
            back = max(0.0, 1.0 - GAIN * dt)
            self.roll, self.pitch = self.roll * back, self.pitch * back
        elif self._age <= TIMEOUT:
            roll, pitch = self._measured
            self.roll = _clipped(self.roll - GAIN * dt * (roll - wanted_roll))
            self.pitch = _clipped(self.pitch - GAIN * dt * (pitch - wanted_pitch))


def _clipped(angle: float) -> float:
    return max(-LARGEST, min(LARGEST, angle))
