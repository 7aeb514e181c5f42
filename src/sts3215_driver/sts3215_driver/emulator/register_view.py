"""The registers of all servos as one matrix, decoded column by column."""

from __future__ import annotations

import numpy as np

from sts3215_driver.emulator.arrays import Array, Ints, Matrix
from sts3215_driver.protocol.registers import BY_NAME


def column(matrix: Matrix, name: str) -> Array:
    """Signed values of one register of every servo, (n,)."""
    register = BY_NAME[name]
    raw = matrix[:, register.address].astype(np.int32)
    if register.size == 2:
        raw |= matrix[:, register.address + 1].astype(np.int32) << 8
    if register.sign_bit is not None:
        sign = 1 << register.sign_bit
        raw = np.where(raw & sign, -(raw & (sign - 1)), raw & (sign - 1))
    return raw.astype(np.float64)


def bits(matrix: Matrix, name: str) -> Ints:
    """Raw value of a one-byte register of every servo, (n,)."""
    return matrix[:, BY_NAME[name].address].astype(np.int32)


def set_column(matrix: Matrix, name: str, values: Array) -> None:
    """Write one register of every servo: rounded, limited to what its coding can hold."""
    register = BY_NAME[name]
    if register.sign_bit is None:
        largest = (1 << 8 * register.size) - 1
        raw = np.rint(np.minimum(np.maximum(values, 0.0), largest)).astype(np.int32)
    else:
        sign = 1 << register.sign_bit
        size = np.rint(np.minimum(np.abs(values), sign - 1)).astype(np.int32)
        raw = size | np.where((values < 0) & (size > 0), sign, 0)
    matrix[:, register.address] = raw & 0xFF
    if register.size == 2:
        matrix[:, register.address + 1] = raw >> 8
