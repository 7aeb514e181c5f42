"""The position offset (register 31) in both codings: `present = (raw - offset) mod 4096`.

    firmware < 3.10    sign-magnitude, sign bit 11: -2047 to 2047
    firmware >= 3.10   the same, and 4096..6143 = 2048..4095, 6144..8191 = -2048..-4095

Half a turn has no code in the first, and none that both understand. Since an offset counts modulo one
turn, everything is brought into -2047 to 2047, which both read alike; only half a turn itself
remains. Source: memory table, servolab and lerobot (sign), clean-room firmware (long coding).
"""

from __future__ import annotations

from sts3215_driver.protocol.encoding import (
    decode_offset_register,
    decode_sign_magnitude,
    encode_sign_magnitude,
)
from sts3215_driver.protocol.units import STEPS_PER_TURN

HALF_TURN = STEPS_PER_TURN // 2
SIGN_BIT = 11
#: First firmware with the long coding.
EXTENDED_SINCE = (3, 10)

Firmware = tuple[int, int]


def is_extended(firmware: Firmware) -> bool:
    """Whether a firmware (major, minor) reads offsets of 0 to 8191."""
    return firmware >= EXTENDED_SINCE


def wrap_offset(steps: int) -> int:
    """The offset in -2047 to 2047 that puts the shaft into the same place of its turn, steps.

    Half a turn becomes the other half turn, and one step less: -2047 for 2048, 2047 for -2048.
    """
    wrapped = (steps + HALF_TURN) % STEPS_PER_TURN - HALF_TURN
    if wrapped != -HALF_TURN:
        return wrapped
    return 1 - HALF_TURN if steps > 0 else HALF_TURN - 1


def encode_offset(steps: int, firmware: Firmware) -> int:
    """Register value (two bytes) of an offset of any size, taken modulo one turn.

    Exact but for half a turn on firmware before 3.10, see `wrap_offset`.
    """
    if steps % STEPS_PER_TURN == HALF_TURN and is_extended(firmware):
        return 2 * HALF_TURN if steps > 0 else 3 * HALF_TURN
    return encode_sign_magnitude(wrap_offset(steps), SIGN_BIT)


def decode_offset(raw: int, firmware: Firmware) -> int:
    """Offset in steps of a register value; bits that the firmware ignores are ignored."""
    if is_extended(firmware):
        return decode_offset_register(raw)
    return decode_sign_magnitude(raw, SIGN_BIT)


def offset_to_read(present: int, offset: int, wanted: int) -> int:
    """The offset with which a shaft that now reads `present` with `offset` will read `wanted`.

    Returns:
        Steps in -2047 to 2048.
    """
    needed = (present + offset - wanted) % STEPS_PER_TURN
    return needed - STEPS_PER_TURN if needed > HALF_TURN else needed
