"""Ticks from the numbers of `sync_step`: what was missed, and whether the driver restarted."""

from __future__ import annotations

from dataclasses import dataclass

#: Missed ticks that are made up for; a longer gap counts as one tick.
MOST_MISSED = 5


@dataclass(frozen=True)
class Advance:
    """What one number means.

    Args:
        elapsed: Ticks since the last number; 1 normally, and for the first number.
        ticks: Ticks to integrate now.
        restarted: The numbers began anew, so nothing is known about the time between.
    """

    elapsed: int
    ticks: int
    restarted: bool


class StepCounter:
    """Follows the numbers, which grow by one with each cycle of the driver."""

    def __init__(self) -> None:
        self._last: int | None = None
        self.steps = self.missed = self.gaps = self.restarts = 0

    def advance(self, number: int) -> Advance:
        """Take the next number. One that does not grow means that the driver was restarted."""
        last, self._last = self._last, number
        self.steps += 1
        if last is None:
            return Advance(1, 1, False)
        if number <= last:
            self.restarts += 1
            return Advance(1, 1, True)
        elapsed = number - last
        missed = elapsed - 1
        self.missed += missed
        if missed > MOST_MISSED:
            self.gaps += 1
            return Advance(elapsed, 1, False)
        return Advance(elapsed, elapsed, False)
