"""Counts refused messages and says so at most once a second, whatever arrives."""

from __future__ import annotations

from collections.abc import Callable


class Refusals:
    """Refused messages of one node.

    Args:
        warn: Called with the sentence to log.
        now: Clock in seconds, monotonic.
        period: Shortest time between two warnings of one kind, s.
    """

    def __init__(
        self, warn: Callable[[str], object], now: Callable[[], float], period: float = 1.0
    ) -> None:
        self._warn, self._now, self._period = warn, now, period
        self._counts: dict[str, int] = {}
        self._said: dict[str, tuple[float, int]] = {}

    def add(self, kind: str, reason: str) -> None:
        """Count a refusal of `kind` (a topic or service); log it if the last one is old enough."""
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        now = self._now()
        last, said = self._said.get(kind, (-float("inf"), 0))
        if now - last >= self._period:
            more = f" ({count - said} since the last warning)" if count - said > 1 else ""
            self._warn(f"{kind} refused: {reason}{more}")
            self._said[kind] = (now, count)

    @property
    def counts(self) -> dict[str, int]:
        """Number of refusals by kind."""
        return dict(self._counts)
