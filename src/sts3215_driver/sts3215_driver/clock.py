"""Time as the bus sees it: real, or virtual so that tests and lock-step runs never sleep."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod


class Clock(ABC):
    """Monotonic time in seconds."""

    @abstractmethod
    def now(self) -> float:
        """The present time, s."""

    @abstractmethod
    def sleep_until(self, deadline: float) -> None:
        """Return when `now()` has reached `deadline`."""


class MonotonicClock(Clock):
    """The machine's monotonic clock."""

    def now(self) -> float:
        return time.monotonic()

    def sleep_until(self, deadline: float) -> None:
        while (remaining := deadline - time.monotonic()) > 0:
            time.sleep(remaining)


class VirtualClock(Clock):
    """A clock that stands still until somebody waits."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def sleep_until(self, deadline: float) -> None:
        self._now = max(self._now, deadline)
