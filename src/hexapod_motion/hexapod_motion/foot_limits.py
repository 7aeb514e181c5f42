"""How fast the body may go so that every foot on the ground stays where its leg reaches.

A foot at q from the middle of its steps, which the body passes with velocity u, will be at q - u t when
its turn to lift comes in t s. That must lie within the radius its leg has; and the body must be able to
stop before any foot is carried out of it. A foot that is about to land counts as standing there already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hexapod_motion.planar import PlanarMove, Twist
from hexapod_motion.walk_state import Leg

#: What rounding and the bend of arcs may take, mm.
TOLERANCE = 0.5


def allowed_part(
    legs: Sequence[Leg], lifting: Sequence[float], radius: Sequence[float], twist: Twist
) -> float:
    """The largest part of `twist`, up to 1, with which every foot stays within its radius.

    Args:
        legs: Six legs.
        lifting: Seconds until each lifts (again).
        radius: How far from its centre each foot may be, mm.
        twist: Wanted velocity of the body.
    """
    part = 1.0
    for leg, wait, limit in zip(legs, lifting, radius, strict=True):
        if not leg.is_settled:
            continue
        away, speed = leg.landing - leg.center, twist.at(leg.landing)
        square = speed.real * speed.real + speed.imag * speed.imag
        if square == 0.0:
            continue
        along = away.real * speed.real + away.imag * speed.imag
        limit += TOLERANCE
        root = along * along + square * (limit * limit - abs(away) ** 2)
        reach = max(along + math.sqrt(root), 0.0) if root > 0.0 else 0.0
        if reach < part * square * wait:
            part = reach / (square * wait)
    return part


def can_stop(
    legs: Sequence[Leg],
    lifting: Sequence[float],
    radius: Sequence[float],
    twist: Twist,
    braking: float,
) -> bool:
    """Whether all feet stay within their radius when the body takes `braking` s to stop.

    One that is out already, because what is allowed has changed, must not get further out.
    """
    if braking <= 0.0:
        return True
    for leg, wait, limit in zip(legs, lifting, radius, strict=True):
        if not leg.is_settled:
            continue
        end = min(wait, braking)
        if leg.time_to_land >= end:
            continue
        move = PlanarMove.along(twist, end - end * end / (2.0 * braking))
        allowed = max(limit + TOLERANCE, abs(leg.landing - leg.center)) + 1e-6
        if abs(move.seen_after(leg.landing) - leg.center) > allowed:
            return False
    return True
