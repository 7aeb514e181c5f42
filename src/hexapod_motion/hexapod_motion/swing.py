"""How a foot gets through the air, as a function of its progress s from 0 to 1.

The way runs over the ground, not over the moving body: at both ends the foot stands still on the
ground, so lift-off and touch-down are smooth however the body's velocity changes in between.
"""

from __future__ import annotations

import math

#: Part of the swing that speeds up, and part that slows down.
RAMP = 0.35
_PEAK = 1.0 / (1.0 - RAMP)

#: Progress up to which the landing place follows the command freely, and from which it is fixed.
FREE_UNTIL, FIXED_FROM = 0.45, 0.8


def way(s: float) -> float:
    """Part of the way over the ground; speed and acceleration are 0 at both ends."""
    if s > 0.5:
        return 1.0 - way(1.0 - s)
    if s >= RAMP:
        return _PEAK * (s - 0.5 * RAMP)
    return _PEAK * (0.5 * s - RAMP / (2.0 * math.pi) * math.sin(math.pi * s / RAMP))


def way_speed(s: float) -> float:
    """Derivative of `way`."""
    ramp = min(s, 1.0 - s, RAMP)
    return 0.5 * _PEAK * (1.0 - math.cos(math.pi * ramp / RAMP))


def height(s: float) -> float:
    """Part of the step height; speed is 0 at both ends."""
    rest = s * (1.0 - s)
    return 16.0 * rest * rest


def height_speed(s: float) -> float:
    """Derivative of `height`."""
    return 32.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def freedom(s: float) -> float:
    """How freely the landing place may still move: 1 early, 0 late, smooth between."""
    if s <= FREE_UNTIL:
        return 1.0
    if s >= FIXED_FROM:
        return 0.0
    u = (FIXED_FROM - s) / (FIXED_FROM - FREE_UNTIL)
    return u * u * (3.0 - 2.0 * u)
