"""Joint angles in servo steps, as the control file defines them.

The driver owns the conversion that reaches the bus. This one checks at load that no target leaves
the servo's range, and shows angles in steps in reports.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

STEPS_PER_TURN = 4096
LAST_STEP = STEPS_PER_TURN - 1


def steps(target: ArrayLike, zero: ArrayLike, sign: ArrayLike) -> FloatArray:
    """Servo position of joint angles, not rounded: zero + sign*target*4096/(2 pi).

    Args:
        target: (n,) rad, joint side.
        zero: (n,) servo position at 0 rad, steps.
        sign: (n,) 1 or -1, sense of the mounting.
    """
    turned = np.multiply(sign, target) * STEPS_PER_TURN / (2 * math.pi)
    return np.asarray(np.add(zero, turned), dtype=float)


def rounded(position: ArrayLike) -> NDArray[np.int64]:
    """Nearest step of (n,) positions in steps; halves away from zero."""
    position = np.asarray(position, dtype=float)
    whole = np.trunc(position)
    # Not floor(x + 0.5): that sum rounds 0.49999999999999994 up to 1.
    half = np.abs(position - whole) >= 0.5
    return (whole + np.copysign(half, position)).astype(np.int64)


def wheel_speed(velocity: ArrayLike, sign: ArrayLike) -> FloatArray:
    """Servo side speed of wheels, rad/s, from (n,) joint side speeds."""
    return np.asarray(np.multiply(velocity, sign), dtype=float)
