"""How well the bus thread keeps its grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LatenessSummary:
    """Lateness of the newest cycles' writes against the grid, s."""

    count: int
    p50: float
    p99: float
    maximum: float


class LatenessLog:
    """The newest `size` values, written by one thread and read by another without a lock."""

    def __init__(self, size: int = 2048) -> None:
        self._values: NDArray[np.float64] = np.zeros(size)
        self._count = 0

    def add(self, seconds: float) -> None:
        self._values[self._count % len(self._values)] = seconds
        self._count += 1

    def values(self) -> NDArray[np.float64]:
        """A copy of what is kept, in no particular order, s."""
        return self._values[: min(self._count, len(self._values))].copy()

    def summary(self) -> LatenessSummary:
        values = self.values()
        if not len(values):
            return LatenessSummary(0, float("nan"), float("nan"), float("nan"))
        p50, p99 = np.percentile(values, (50, 99))
        return LatenessSummary(self._count, float(p50), float(p99), float(values.max()))
