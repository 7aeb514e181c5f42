"""Register values as people read them, and as one firmware or another codes them."""

from __future__ import annotations

import math

from sts3215_driver.protocol.flags import flag_names
from sts3215_driver.protocol.homing_offset import Firmware, decode_offset, encode_offset
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME, Register
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.start_up import COARSE_SPEED_UNIT, MODE_NAMES, PHASE_FINE_SPEED

#: Registers whose bits are those of the error byte.
ALARM_BITS = ("unload_condition", "led_alarm", "servo_status")
#: Registers in counts of step/s, or of 50 step/s without phase bit 2.
SPEEDS = ("goal_speed", "present_speed")
PHASE_BITS = {
    0: "drive reversed",
    1: "other bridge",
    2: "speed unit 1 step/s",
    3: "goal speed 0 means full speed",
    4: "multi-turn",
    5: "voltage sampling",
    6: "PWM 16 kHz",
    7: "feedback reversed",
}
_SCALES = {
    "0.1 V": (0.1, "V"),
    "0.1 %": (0.1, "%"),
    "0.1 % of duty": (0.1, "% of duty"),
    "6.5 mA": (6.5, "mA"),
    "10 ms": (0.01, "s"),
    "2 us": (2.0, "us"),
    "1/10": (0.1, ""),
    "50 step/s": (50.0, "step/s"),
    "100 step/s^2": (100.0, "step/s^2"),
}


def decode(register: Register, data: bytes, firmware: Firmware) -> int:
    """Signed value of a register from its bytes, with the coding of this firmware."""
    if register.name == "position_offset":
        return decode_offset(int.from_bytes(data[: register.size], "little"), firmware)
    return register.decode(data)


def encode(register: Register, value: int, firmware: Firmware) -> bytes:
    """The bytes for a signed value, with the coding of this firmware.

    Raises:
        ValueError: outside of the register's range. An offset of any size is taken modulo one turn.
    """
    if register.name == "position_offset":
        return encode_offset(value, firmware).to_bytes(register.size, "little")
    return register.encode(value)


def show(register: Register, value: int, phase: int = BY_NAME["phase"].default) -> str:
    """A value with its unit, e.g. ``12.1 V``, ``-100 step (-8.79 deg)`` or ``0 (position)``.

    Args:
        value: Signed counts.
        phase: The servo's phase register, which sets the unit of speeds.
    """
    name = register.name
    if name in ALARM_BITS:
        return f"{value} ({', '.join(flag_names(value)) or 'none'})"
    if name == "phase":
        return (
            f"{value} ({', '.join(text for bit, text in PHASE_BITS.items() if value >> bit & 1)})"
        )
    if name == "operating_mode":
        return f"{value} ({MODE_NAMES.get(value, 'unknown')})"
    if name == "baud_code":
        known = 0 <= value < len(BAUD_RATES)
        return f"{value} ({BAUD_RATES[value]} bit/s)" if known else f"{value} (unknown)"
    if name in SPEEDS:
        steps = value * (1 if phase & PHASE_FINE_SPEED else COARSE_SPEED_UNIT)
        return f"{value} ({steps} step/s, {steps * math.tau / STEPS_PER_TURN:.3f} rad/s)"
    if register.unit == "step":
        return f"{value} step ({value * 360 / STEPS_PER_TURN:.2f} deg)"
    if register.unit in _SCALES:
        scale, unit = _SCALES[register.unit]
        return f"{value * scale:.10g} {unit}".rstrip()
    return f"{value} {register.unit}".rstrip()
