"""Which earlier value a new one is compared with: the last one of the control cycle before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Earlier(Generic[Value]):
    """The last value of an earlier cycle, and how many cycles ago that was (1: the one before)."""

    value: Value
    cycles: int


class CycleMemory(Generic[Value]):
    """Remembers values by control cycle; `sync_step` numbers mark the cycles.

    All values of one cycle are compared with the same earlier one. As long as no tick has ever
    come each value is a cycle of its own. What is remembered is the caller's business.

    Attributes:
        ticks: Ticks that marked a new cycle.
        missed_ticks: Numbers that `sync_step` jumped over.
        restarts: How often the numbers went back, i.e. the driver was started anew.
        silent_cycles: Cycles after the first value that brought no value.
    """

    def __init__(self) -> None:
        self.ticks = 0
        self.missed_ticks = 0
        self.restarts = 0
        self.silent_cycles = 0
        self._number: int | None = None
        self._running: Value | None = None
        self._earlier: Earlier[Value] | None = None

    def on_step(self, number: int) -> None:
        """Take a tick. A number seen twice is no new cycle; a smaller one forgets the values."""
        last, self._number = self._number, number
        if number == last:
            return
        self.ticks += 1
        if last is None:
            # The last value of the time without ticks has closed its cycle already.
            return
        if number < last:
            self.restarts += 1
            self.forget()
            return
        self.missed_ticks += number - last - 1
        self._pass(number - last)

    def earlier(self) -> Earlier[Value] | None:
        """What a value that comes now is compared with; None: there is nothing yet."""
        return self._earlier

    def keep(self, value: Value) -> None:
        """Make `value` the last one of the running cycle."""
        self._running = value
        if self._number is None:
            self._pass(1)

    def forget(self) -> None:
        """Forget the values; the next one is the first. The tick number stays known."""
        self._running = self._earlier = None

    def _pass(self, cycles: int) -> None:
        """End the running cycle; the next value comes `cycles` later at the earliest."""
        if self._running is not None:
            self.silent_cycles += cycles - 1
            self._earlier, self._running = Earlier(self._running, cycles), None
        elif self._earlier is not None:
            self.silent_cycles += cycles
            self._earlier = Earlier(self._earlier.value, self._earlier.cycles + cycles)
