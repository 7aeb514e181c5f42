"""Iterative learning control: a motion is repeated, and each time its goals are bettered by its errors.

    u += 0.8 * e, shifted by the delay of the loop

Once the joint follows, the recording lies on the wanted motion exactly, and what the goals differ
from it is the inverse model. (Schwarz and Behnke, 2013; the original of these servo models.)
"""

from __future__ import annotations

import numpy as np

from servo_inv.identification.signals import smoothed, smoothing_kernel
from servo_inv.joint_message import FloatArray

GAIN = 0.8
#: Standard deviation of the filter that keeps the noise of the encoder out of the goals, samples.
SMOOTHING = 1.5


def learning_step(
    goal: FloatArray, error: FloatArray, delay: float, gain: float = GAIN
) -> FloatArray:
    """(m,) rad: the goals of the next repetition.

    Args:
        goal: (m,) rad, those of this one.
        error: (m,) rad, wanted minus measured position when each goal was given.
        delay: Samples from a goal to its effect.
        gain: Share of the error that is corrected at once.
    """
    index = np.arange(len(error))
    shifted = np.interp(index + delay, index, smoothed(error, smoothing_kernel(SMOOTHING)))
    return goal + gain * shifted


def loop_delay(goal: FloatArray, position: FloatArray, longest: int = 20) -> float:
    """Samples by which the position comes after the goal, where the two agree best.

    A constant distance between them, as from a load, does not matter.
    """
    steps = np.arange(longest + 1)
    count = len(goal) - longest
    spread = np.array([np.std(position[step : step + count] - goal[:count]) for step in steps])
    best = int(np.argmin(spread))
    if not 0 < best < longest:
        return float(best)
    # Vertex of the parabola through the three best.
    left, middle, right = spread[best - 1 : best + 2] ** 2
    bend = left - 2.0 * middle + right
    return best + (0.5 * float((left - right) / bend) if bend > 0.0 else 0.0)


class Learning:
    """Goals that get better from one repetition to the next, and the best of them so far.

    Args:
        wanted: (m,) rad.
        furthest: Goals stay within this distance of the wanted positions, rad.
    """

    def __init__(self, wanted: FloatArray, furthest: float) -> None:
        self.goal = wanted
        self.errors: list[float] = []
        self.delay = 0.0
        self._wanted, self._furthest = wanted, furthest
        self._best = wanted

    @property
    def best(self) -> FloatArray:
        """(m,) rad, the goals with the smallest error."""
        return self._best

    @property
    def finished(self) -> bool:
        """Whether the last repetition was no longer better by a tenth."""
        return len(self.errors) > 1 and self.errors[-1] > 0.9 * min(self.errors[:-1])

    def repeat(self, position: FloatArray) -> None:
        """Take the (m,) rad measured in a repetition with `goal`, and choose new goals."""
        error = self._wanted - position
        size = float(np.sqrt(np.mean(error**2)))
        if not self.errors or size < min(self.errors):
            self._best = self.goal
        self.errors.append(size)
        if len(self.errors) == 1:
            # Only now do the goals differ from the wanted positions by nothing but the loop.
            self.delay = loop_delay(self._wanted, position)
        better = learning_step(self.goal, error, self.delay)
        reach = self._furthest
        self.goal = np.clip(better, self._wanted - reach, self._wanted + reach)
