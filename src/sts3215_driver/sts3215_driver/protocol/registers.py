"""Memory table of the STS3215 as data (V3.7, merged with newer notes), one line per register."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sts3215_driver.protocol.encoding import (
    decode_offset_register,
    decode_sign_magnitude,
    encode_sign_magnitude,
)

#: Registers end here; a READ beyond is clipped, one that starts beyond is not answered.
LAST_ADDRESS = 86
REGISTER_COUNT = LAST_ADDRESS + 1


class Storage(Enum):
    """Where a register lives, and so who may write it and what survives a power cycle."""

    EEPROM = "eeprom"
    RAM = "ram"
    READ_ONLY = "read only"
    FACTORY = "factory"


@dataclass(frozen=True)
class Register:
    """One register.

    Args:
        address: First byte.
        size: Bytes, 1 or 2, low byte first.
        name: Name used in tools and messages.
        storage: Where it lives.
        default: Value of a new servo.
        minimum, maximum: Range that may be written, as a signed value.
        sign_bit: Position of the sign bit, or None for unsigned.
        unit: Unit of one count.
        decoder: How to read it where sign-magnitude is not enough; raises ValueError.
    """

    address: int
    size: int
    name: str
    storage: Storage
    default: int
    minimum: int
    maximum: int
    sign_bit: int | None = None
    unit: str = ""
    decoder: Callable[[int], int] | None = None

    def decode(self, data: bytes) -> int:
        """Signed value of this register from its `size` bytes."""
        raw = int.from_bytes(data[: self.size], "little")
        if self.decoder is not None:
            return self.decoder(raw)
        return raw if self.sign_bit is None else decode_sign_magnitude(raw, self.sign_bit)

    def encode(self, value: int) -> bytes:
        """The bytes for a signed value.

        Raises:
            ValueError: outside of `minimum` to `maximum`.
        """
        if not self.minimum <= value <= self.maximum:
            raise ValueError(
                f"{self.name} is {value}; expected {self.minimum} to {self.maximum} {self.unit}"
            )
        raw = value if self.sign_bit is None else encode_sign_magnitude(value, self.sign_bit)
        return raw.to_bytes(self.size, "little")


_E, _R, _O, _F = Storage.EEPROM, Storage.RAM, Storage.READ_ONLY, Storage.FACTORY
_BYTE, _WORD = 255, 65535

# fmt: off
REGISTERS: tuple[Register, ...] = (
    #        addr size name                   storage default min     max    sign unit
    Register(0,  1, "firmware_major",         _O, 3,      0, _BYTE),
    Register(1,  1, "firmware_minor",         _O, 10,     0, _BYTE),
    Register(2,  1, "byte_order",             _O, 0,      0, 1,         unit="0: low first"),
    Register(3,  2, "model_number",           _O, 777,    0, _WORD),
    Register(5,  1, "id",                     _E, 1,      0, 253),
    Register(6,  1, "baud_code",              _E, 0,      0, 7),
    Register(7,  1, "return_delay",           _E, 0,      0, 254,          unit="2 us"),
    Register(8,  1, "response_level",         _E, 1,      0, 1),
    Register(9,  2, "min_angle_limit",        _E, 0, -32766, 32767, 15,         "step"),
    Register(11, 2, "max_angle_limit",        _E, 4095, -32766, 32767, 15,      "step"),
    Register(13, 1, "max_temperature",        _E, 70,     0, 100,          unit="degC"),
    Register(14, 1, "max_voltage",            _E, 80,     0, 254,          unit="0.1 V"),
    Register(15, 1, "min_voltage",            _E, 40,     0, 254,          unit="0.1 V"),
    Register(16, 2, "max_torque",             _E, 1000,   0, 1000,         unit="0.1 %"),
    Register(18, 1, "phase",                  _E, 12,     0, _BYTE,        unit="bits"),
    Register(19, 1, "unload_condition",       _E, 44,     0, _BYTE,        unit="bits"),
    Register(20, 1, "led_alarm",              _E, 47,     0, _BYTE,        unit="bits"),
    Register(21, 1, "p_gain",                 _E, 32,     0, 254),
    Register(22, 1, "d_gain",                 _E, 32,     0, 254),
    Register(23, 1, "i_gain",                 _E, 0,      0, 254),
    Register(24, 1, "min_start_force",        _E, 16,     0, 254,          unit="0.1 %"),
    Register(25, 1, "integral_limit",         _E, 0,      0, 254,          unit="x4"),
    Register(26, 1, "cw_dead_zone",           _E, 1,      0, 32,           unit="step"),
    Register(27, 1, "ccw_dead_zone",          _E, 1,      0, 32,           unit="step"),
    Register(28, 2, "protection_current",     _E, 500,    0, 511,          unit="6.5 mA"),
    Register(30, 1, "angular_resolution",     _E, 1,      1, 128),
    Register(31, 2, "position_offset",        _E, 0,  -2047, 2047, 11,          "step",
             decode_offset_register),
    Register(33, 1, "operating_mode",         _E, 0,      0, 3),
    Register(34, 1, "protection_torque",      _E, 20,     0, 100,          unit="%"),
    Register(35, 1, "protection_time",        _E, 200,    0, 254,          unit="10 ms"),
    Register(36, 1, "overload_torque",        _E, 80,     0, 100,          unit="%"),
    Register(37, 1, "speed_p_gain",           _E, 10,     0, 100),
    Register(38, 1, "over_current_time",      _E, 200,    0, 254,          unit="10 ms"),
    Register(39, 1, "speed_i_gain",           _E, 10,     0, 254,          unit="1/10"),
    Register(40, 1, "torque_enable",          _R, 0,      0, 128),
    Register(41, 1, "acceleration",           _R, 0,      0, 254,          unit="100 step/s^2"),
    Register(42, 2, "goal_position",          _R, 0, -30719, 30719, 15,         "step"),
    Register(44, 2, "goal_pwm",               _R, 0,  -1000, 1000, 10,          "0.1 %"),
    Register(46, 2, "goal_speed",             _R, 0,  -3400, 3400, 15,          "step/s"),
    Register(48, 2, "torque_limit",           _R, 1000,   0, 1000,         unit="0.1 %"),
    Register(55, 1, "lock",                   _R, 1,      0, 1),
    Register(56, 2, "present_position",       _O, 0, -32767, 32767, 15,         "step"),
    Register(58, 2, "present_speed",          _O, 0, -32767, 32767, 15,         "step/s"),
    Register(60, 2, "present_load",           _O, 0,  -1023, 1023, 10,          "0.1 % of duty"),
    Register(62, 1, "present_voltage",        _O, 0,      0, _BYTE,        unit="0.1 V"),
    Register(63, 1, "present_temperature",    _O, 0,      0, _BYTE,        unit="degC"),
    Register(64, 1, "async_write_flag",       _O, 0,      0, 1),
    Register(65, 1, "servo_status",           _O, 0,      0, _BYTE,        unit="bits"),
    Register(66, 1, "moving",                 _O, 0,      0, 1),
    Register(67, 2, "present_goal",           _O, 0, -32767, 32767, 15,         "step"),
    Register(69, 2, "present_current",        _O, 0, -32767, 32767, 15,         "6.5 mA"),
    Register(80, 1, "moving_threshold",       _F, 2,      0, _BYTE,        unit="50 step/s"),
    Register(81, 1, "velocity_sample_time",   _F, 20,     0, _BYTE,        unit="ms"),
    Register(82, 1, "speed_unit_factor",      _F, 50,     0, _BYTE),
    Register(83, 1, "min_speed",              _F, 1,      0, _BYTE,        unit="50 step/s"),
    Register(84, 1, "max_speed",              _F, 150,    0, _BYTE,        unit="50 step/s"),
    Register(85, 1, "max_acceleration",       _F, 100,    0, _BYTE,        unit="100 step/s^2"),
    Register(86, 1, "acceleration_multiplier", _F, 1,     0, _BYTE),
)
# fmt: on

BY_NAME = {register.name: register for register in REGISTERS}
BY_ADDRESS = {register.address: register for register in REGISTERS}


@dataclass(frozen=True)
class Block:
    """A run of bytes that one READ or SYNC_WRITE moves."""

    address: int
    length: int

    def decode(self, data: bytes) -> dict[str, int]:
        """Signed value by name of every register that lies wholly in `data` (from `address` on)."""
        end = self.address + len(data)
        return {
            register.name: register.decode(data[register.address - self.address :])
            for register in REGISTERS
            if self.address <= register.address and register.address + register.size <= end
        }


IDENTITY = Block(0, 5)
CONFIGURATION = Block(5, 35)
SETPOINTS = Block(40, 10)  # torque enable to torque limit: shows a brown-out
GOAL = Block(41, 7)  # acceleration, position, PWM, speed
FEEDBACK_SHORT = Block(56, 6)  # position, speed, load
FEEDBACK_LONG = Block(56, 15)  # and voltage, temperature, status, moving, goal, current

#: baud_code -> bit/s
BAUD_RATES = (1_000_000, 500_000, 250_000, 128_000, 115_200, 76_800, 57_600, 38_400)
