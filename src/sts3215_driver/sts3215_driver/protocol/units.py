"""Between servo counts and SI. One turn has 4096 steps (not 4095)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS_PER_TURN = 4096
RAD_PER_STEP = 2 * math.pi / STEPS_PER_TURN
RPM_PER_STEP_S = 60 / STEPS_PER_TURN
LOAD_PER_COUNT = 0.001  # of full drive duty
VOLT_PER_COUNT = 0.1
AMPERE_PER_COUNT = 0.0065
STEPS_S2_PER_ACCELERATION = 100


def round_half_away(value: float) -> int:
    """Nearest integer, halves away from zero (Python's round goes to even)."""
    return int(rounded(np.float64(value)))


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """`round_half_away` of (n,) values."""
    whole = np.trunc(values)
    # Not floor(x + 0.5): that sum rounds 0.49999999999999994 up to 1.
    half = np.abs(np.subtract(values, whole)) >= 0.5
    return np.asarray(whole + np.copysign(half, values))


def steps_from_rad(angle: float, zero: int, sign: int) -> int:
    """Servo position of a joint angle: zero + sign * angle * 4096 / (2 pi), rounded.

    Args:
        angle: Joint angle, rad.
        zero: Steps at 0 rad.
        sign: 1 or -1, direction of the mounting.
    """
    return round_half_away(zero + sign * angle / RAD_PER_STEP)


def rad_from_steps(steps: int, zero: int, sign: int) -> float:
    """Joint angle of a servo position, rad."""
    return sign * (steps - zero) * RAD_PER_STEP


def steps_s_from_rad_s(velocity: float, sign: int = 1) -> int:
    """Servo speed of a joint velocity in rad/s, step/s, rounded."""
    return round_half_away(sign * velocity / RAD_PER_STEP)


def rad_s_from_steps_s(speed: int, sign: int = 1) -> float:
    """Joint velocity of a servo speed, rad/s."""
    return sign * speed * RAD_PER_STEP
