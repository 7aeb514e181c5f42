"""The steering gain and the speed cut of the control file, for one servo or for arrays of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

#: Fastest a joint is asked to move, and the range of a wheel's speed, rad/s.
MAX_SPEED = 4.71


def amplitude_gain(command: float, steer_gain: ArrayLike) -> FloatArray:
    """Factor on both amplitudes at `command` in [-1, 1]: 1 + c*steer_gain, cut to [0, 2]."""
    factor = 1.0 + command * np.asarray(steer_gain, dtype=float)
    return np.asarray(np.clip(factor, 0.0, 2.0))


def peak_speed(amp1: ArrayLike, amp2: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Bound of the joint speed, rad/s, for amplitudes in rad and a phase that runs at `rate`."""
    return np.asarray((np.asarray(amp1) + 2.0 * np.asarray(amp2)) * np.asarray(rate), dtype=float)


def cut_factor(peak: ArrayLike) -> FloatArray:
    """Factor k on both amplitudes that brings `peak` (rad/s) down to MAX_SPEED, at most 1."""
    peak = np.asarray(peak, dtype=float)
    factor = np.ones_like(peak)
    np.divide(MAX_SPEED, peak, out=factor, where=peak > MAX_SPEED)
    return factor


def wheel_speed_limit(speed: ArrayLike) -> FloatArray:
    """Wheel speed in rad/s, cut to the servo's."""
    return np.asarray(np.clip(speed, -MAX_SPEED, MAX_SPEED), dtype=float)
