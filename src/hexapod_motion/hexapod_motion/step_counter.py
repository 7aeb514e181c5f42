"""Numbers of `sync_step`: one frame per new number, what was missed is counted and never caught up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tick:
    """What a number means.

    Args:
        new: Whether it asks for a frame.
        elapsed: Periods since the last frame, at least 1 for a new one.
        restarted: Whether the numbers went back: the driver was started anew.
    """

    new: bool
    elapsed: int
    restarted: bool


class StepCounter:
    """Compares each number with the last.

    Attributes:
        frames: Numbers that asked for a frame.
        missed: Numbers that never came.
        restarts: How often the numbers went back.
    """

    def __init__(self) -> None:
        self.frames = self.missed = self.restarts = 0
        self._last: int | None = None

    def take(self, number: int) -> Tick:
        """Take the next number."""
        last, self._last = self._last, number
        if last is not None and number == last:
            return Tick(False, 0, False)
        self.frames += 1
        if last is None:
            return Tick(True, 1, False)
        if number < last:
            self.restarts += 1
            return Tick(True, 1, True)
        self.missed += number - last - 1
        return Tick(True, number - last, False)
