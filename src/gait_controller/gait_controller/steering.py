"""The steering command on its way to the oscillator: range, rate limit, time-out."""

from __future__ import annotations

import math

from stride_base.errors import RefusedError


class Steering:
    """Holds the newest command and follows it.

    Args:
        rate_limit: Fastest change of the command, 1/s; 0 for none.
        timeout: Time without a command after which it returns to 0, s; 0 for never.
    """

    def __init__(self, rate_limit: float = 0.0, timeout: float = 0.0) -> None:
        self.rate_limit, self.timeout = rate_limit, timeout
        self._wanted = 0.0
        self._value = 0.0
        self._age = 0.0

    @property
    def value(self) -> float:
        """The command in force, -1 to 1."""
        return self._value

    @property
    def timed_out(self) -> bool:
        """Whether the last command is too old to count."""
        return 0.0 < self.timeout < self._age

    def set(self, command: float) -> None:
        """Take a command, clipped to [-1, 1]; it acts from the next step on.

        Raises:
            RefusedError: it is NaN or infinite; the last one stays.
        """
        if not math.isfinite(command):
            raise RefusedError(f"the command is {command}, not a finite number; the last one stays")
        self._wanted = min(1.0, max(-1.0, command))
        self._age = 0.0

    def elapse(self, seconds: float) -> None:
        """Time passes; the last command grows older."""
        self._age += seconds

    def step(self, dt: float) -> float:
        """The command for the next tick, `dt` seconds of the rate limit after the last one."""
        wanted = 0.0 if self.timed_out else self._wanted
        if self.rate_limit > 0.0:
            most = self.rate_limit * dt
            change = wanted - self._value
            if abs(change) > most * (1.0 + 1e-9):
                self._value += math.copysign(most, change)
                return self._value
        self._value = wanted
        return self._value
