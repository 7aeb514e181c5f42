"""How long a callback takes, measured where it runs."""

from __future__ import annotations

import numpy as np


class CallbackTimes:
    """Durations of the newest calls.

    Args:
        size: How many are kept.
    """

    def __init__(self, size: int = 512) -> None:
        self._durations = np.zeros(size)
        self._count = 0

    def add(self, seconds: float) -> None:
        """Keep one duration."""
        self._durations[self._count % len(self._durations)] = seconds
        self._count += 1

    def values(self) -> dict[str, object]:
        """Median, 99th percentile and maximum in microseconds; nothing before the first call."""
        kept = self._durations[: min(self._count, len(self._durations))]
        if not len(kept):
            return {}
        median, high = np.percentile(kept * 1e6, (50, 99)).tolist()
        return {
            "callback median (us)": median,
            "callback p99 (us)": high,
            "callback max (us)": float(kept.max() * 1e6),
        }
