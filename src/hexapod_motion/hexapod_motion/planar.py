"""Moves of the body over the ground. Places and directions are complex: x forward + i y left, mm.

A body that moves with a constant twist follows an arc; a foot that stands still on the ground then moves
against it in the body's frame. Using the arc and not its chord keeps planted feet from slipping.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

#: Turns below this are taken as straight, rad.
STRAIGHT = 1e-9
#: Distance from the middle at which a turn counts as a velocity, mm: about that of the feet.
LEVER = 220.0


class Twist(NamedTuple):
    """Velocity of the body: mm/s forward + i left, and rad/s counter-clockwise."""

    velocity: complex
    turn: float

    def __bool__(self) -> bool:
        return self.velocity != 0.0 or self.turn != 0.0

    @property
    def size(self) -> float:
        """Speed, the turn counted at LEVER, mm/s."""
        return math.hypot(self.velocity.real, self.velocity.imag, LEVER * self.turn)

    def times(self, factor: float) -> Twist:
        """The same arc, faster or slower."""
        return Twist(self.velocity * factor, self.turn * factor)

    def at(self, place: complex) -> complex:
        """Velocity over the ground of the body's point at `place`, mm/s."""
        return self.velocity + 1j * self.turn * place

    def ramped(self, goal: Twist, most: float) -> Twist:
        """The twist nearest to `goal` that differs from this by at most `most` mm/s."""
        change = Twist(goal.velocity - self.velocity, goal.turn - self.turn)
        if change.size <= most:
            return goal
        change = change.times(most / change.size)
        return Twist(self.velocity + change.velocity, self.turn + change.turn)

    def braked(self, most: float) -> Twist:
        """Slower by `most` mm/s on the same arc, at most until it rests."""
        size = self.size
        return STILL if size <= most else self.times(1.0 - most / size)

    def middle(self, other: Twist) -> Twist:
        """The mean of two twists."""
        return Twist((self.velocity + other.velocity) / 2.0, (self.turn + other.turn) / 2.0)


STILL = Twist(0j, 0.0)


class PlanarMove(NamedTuple):
    """Where the body is after a move, seen from before it: a shift, and a turn as a unit number."""

    shift: complex
    turn: complex

    @staticmethod
    def along(twist: Twist, time: float) -> PlanarMove:
        """The move of `time` s with a constant twist."""
        angle = twist.turn * time
        if abs(angle) < STRAIGHT:
            return PlanarMove(twist.velocity * time, complex(1.0, angle))
        turn = cmath.rect(1.0, angle)
        return PlanarMove(twist.velocity * (turn - 1.0) / (1j * twist.turn), turn)

    def then(self, other: PlanarMove) -> PlanarMove:
        """This move, and `other` after it."""
        return PlanarMove(self.shift + self.turn * other.shift, self.turn * other.turn)

    def seen_after(self, place: complex) -> complex:
        """A place on the ground as the body sees it after the move."""
        return (place - self.shift) * self.turn.conjugate()

    def seen_before(self, place: complex) -> complex:
        """The place that the body will see at `place` after the move, as it sees it now."""
        return self.shift + self.turn * place
