"""What a servo model is made of, as data: `profiles/*.yaml`, validated when loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from stride_base.errors import MISSING, ConfigError
from stride_base.parameters import Param
from stride_base.strict_json import FileError
from sts3215_driver.protocol.registers import BY_NAME, Storage


@dataclass(frozen=True)
class Motor:
    """DC motor behind a gear, everything seen at the output shaft; SI units."""

    torque_constant: float
    back_emf_constant: float
    resistance: float
    armature: float
    coulomb: float
    stribeck: float
    stribeck_velocity: float
    stribeck_exponent: float
    viscous: float


@dataclass(frozen=True)
class Drive:
    """What the firmware makes of an error; duty is a fraction of the supply voltage."""

    error_gain: float
    duty_limit: float
    max_speed: float
    velocity_gain: float
    speed_gain: float
    speed_integral_gain: float


@dataclass(frozen=True)
class Thermal:
    """One lump of heat: J/K, K/W and degC."""

    heat_capacity: float
    resistance: float
    ambient: float


@dataclass(frozen=True)
class Electronics:
    """Supply (V, ohm) and how long the firmware takes to start (s)."""

    supply_voltage: float
    supply_resistance: float
    brownout_voltage: float
    boot_time: float
    reboot_time: float


@dataclass(frozen=True)
class Profile:
    """A servo model; `registers` are EEPROM values of a new servo that differ from the factory's."""

    motor: Motor
    drive: Drive
    thermal: Thermal
    electronics: Electronics
    registers: Mapping[str, int]


_TINY, _HUGE = 1e-6, 1e6
_POSITIVE = ("torque_constant", "resistance", "armature", "stribeck_velocity", "heat_capacity")
_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_POSITIVE, (_TINY, _HUGE)),
    "stribeck_exponent": (0.1, 50.0),
    "duty_limit": (0.0, 1.0),
    "ambient": (-50.0, 150.0),
    "supply_resistance": (0.0, 100.0),
}


def load_profile(source: str | Path = "sts3215") -> Profile:
    """A profile of this package by name, or any YAML file by path.

    Raises:
        FileError: no such file, or not YAML.
        ConfigError: a field is missing, unknown, no number or out of range.
    """
    path = Path(source)
    try:
        if path.suffix in (".yaml", ".yml"):
            text = path.read_text(encoding="utf-8")
        else:
            path = Path(f"{source}.yaml")
            text = (resources.files(__package__) / "profiles" / path.name).read_text(
                encoding="utf-8"
            )
        document = yaml.safe_load(text)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise FileError(f"{path}: is not YAML: {error}") from error
    _check_names(document, [field.name for field in fields(Profile)], path, "")
    return Profile(
        motor=Motor(**_numbers(document, "motor", Motor, path)),
        drive=Drive(**_numbers(document, "drive", Drive, path)),
        thermal=Thermal(**_numbers(document, "thermal", Thermal, path)),
        electronics=Electronics(**_numbers(document, "electronics", Electronics, path)),
        registers=_registers(document["registers"], path),
    )


def _registers(table: Any, path: Path) -> dict[str, int]:
    if not isinstance(table, dict):
        raise ConfigError(path, "", "registers", table, "a table of EEPROM registers, or {}")
    for name, value in table.items():
        register = BY_NAME.get(str(name))
        if register is None or register.storage is not Storage.EEPROM:
            raise ConfigError(path, "registers", str(name), value, "an EEPROM register by name")
        known = isinstance(value, int) and not isinstance(value, bool)
        if not (known and register.minimum <= value <= register.maximum):
            expected = f"a whole number from {register.minimum} to {register.maximum}"
            raise ConfigError(path, "registers", str(name), value, expected)
    return dict(table)


def _numbers(document: Any, part: str, kind: Any, path: Path) -> dict[str, float]:
    names = [field.name for field in fields(kind)]
    _check_names(document[part], names, path, part)
    result: dict[str, float] = {}
    for name in names:
        low, high = _RANGES.get(name, (0.0, _HUGE))
        param = Param(name, 0.0, f"see class {kind.__name__}", low, high)
        result[name] = float(param.check(f"{path}: {part}", document[part][name]))
    return result


def _check_names(table: Any, names: list[str], path: Path, where: str) -> None:
    if not isinstance(table, dict):
        raise ConfigError(path, "", where or "document", table, f"a table of {', '.join(names)}")
    for name in names:
        if name not in table:
            raise ConfigError(path, where, name, MISSING, "a number" if where else "a table")
    for name in table:
        if name not in names:
            raise ConfigError(path, where, str(name), table[name], f"only {', '.join(names)}")
