"""Arrays of one value per servo, (n,), and how they start."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Switches: TypeAlias = NDArray[np.bool_]
#: Registers, a row for each servo.
Matrix: TypeAlias = NDArray[np.uint8]


def filled(count: int, value: float = 0.0) -> Array:
    """`count` numbers."""
    return np.full(count, value, dtype=np.float64)


def counters(count: int) -> Ints:
    """`count` integers, all 0."""
    return np.zeros(count, dtype=np.int32)


def switches(count: int, on: bool = False) -> Switches:
    """`count` truth values."""
    return np.full(count, on, dtype=np.bool_)
