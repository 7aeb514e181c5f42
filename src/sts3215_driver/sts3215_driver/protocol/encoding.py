"""Sign-magnitude numbers: the sign of a register is a bit of its own, and which one depends on the
register (15 for positions and speeds, 10 for load and PWM, 11 for the homing offset)."""

from __future__ import annotations


def decode_sign_magnitude(raw: int, sign_bit: int) -> int:
    """Value of an unsigned register `raw` whose sign is bit `sign_bit`; higher bits are ignored."""
    magnitude = raw & ((1 << sign_bit) - 1)
    return -magnitude if raw >> sign_bit & 1 else magnitude


def encode_sign_magnitude(value: int, sign_bit: int) -> int:
    """Inverse of `decode_sign_magnitude`.

    Raises:
        ValueError: the magnitude needs more than `sign_bit` bits.
    """
    magnitude = abs(value)
    if magnitude >> sign_bit:
        limit = (1 << sign_bit) - 1
        raise ValueError(f"{value} is outside of -{limit} to {limit}")
    return magnitude | (1 << sign_bit) if value < 0 else magnitude


def decode_extended_offset(raw: int) -> int:
    """Position offset as firmware 3.10 and newer codes it in 0 to 8191, steps.

    Four ranges of 2048: +x, -(x - 2048), +(x - 2048), -(x - 4096). The first two are the
    sign-magnitude coding (sign bit 11) of older firmware.

    Raises:
        ValueError: `raw` is no offset of either generation.
    """
    if not 0 <= raw <= 8191:
        raise ValueError(f"{raw} is not an offset; expected 0 to 8191")
    if raw < 2048:
        return raw
    if raw < 4096:
        return -(raw - 2048)
    if raw < 6144:
        return raw - 2048
    return -(raw - 4096)


def decode_offset_register(raw: int) -> int:
    """Position offset of whatever two bytes a servo holds: bits that no coding uses are ignored, so
    that an EEPROM gone bad does not end the program that looks at it."""
    return decode_extended_offset(raw & 0x1FFF)
