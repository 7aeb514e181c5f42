"""The registers of all servos as one matrix, several columns decoded or encoded at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sts3215_driver.emulator.arrays import Array, Ints, Matrix
from sts3215_driver.protocol.registers import BY_NAME, REGISTER_COUNT

#: The matrix has one column more than there are registers. It holds zeros: the high byte of those
#: registers that have none.
WIDTH = REGISTER_COUNT + 1


class RegisterView:
    """Some registers of every servo.

    Args:
        matrix: Registers, (n, WIDTH).
        names: Which, k of them.
    """

    def __init__(self, matrix: Matrix, names: Sequence[str]) -> None:
        registers = [BY_NAME[name] for name in names]
        self._matrix = matrix
        self._columns = np.array(
            [
                column
                for register in registers
                for column in (
                    register.address,
                    register.address + 1 if register.size == 2 else REGISTER_COUNT,
                )
            ]
        )
        signs = [0 if each.sign_bit is None else 1 << each.sign_bit for each in registers]
        widest = [(1 << 8 * each.size) - 1 for each in registers]
        largest = [sign - 1 if sign else most for sign, most in zip(signs, widest, strict=True)]
        self._signs = np.array(signs, dtype=np.int32)
        self._masks = np.array(largest, dtype=np.int32)
        self._largest = self._masks.astype(np.float64)[:, np.newaxis]
        self._smallest = np.where(self._signs > 0, -self._masks, 0.0)[:, np.newaxis]

    def raw(self) -> Ints:
        """Raw values, (k, n)."""
        words = self._matrix.take(self._columns, axis=1).view("<u2")
        return words.T.astype(np.int32)

    def values(self) -> Array:
        """Signed values, (k, n)."""
        words = self._matrix.take(self._columns, axis=1).view("<u2").astype(np.int32)
        sizes = words & self._masks
        return np.where(words & self._signs, -sizes, sizes).T.astype(np.float64)

    def write(self, values: Array) -> None:
        """Set all from signed values (k, n): rounded, and limited to what the coding can hold."""
        limited = np.minimum(np.maximum(values, self._smallest), self._largest)
        rounded = np.rint(limited).astype(np.int32).T
        words = np.abs(rounded) | np.where(rounded < 0, self._signs, 0)
        self._matrix[:, self._columns] = words.astype("<u2", order="C").view(np.uint8)
