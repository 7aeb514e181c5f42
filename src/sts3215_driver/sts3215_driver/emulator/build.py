"""Puts an emulated bus together from words, as the command line and tests give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from stride_base.errors import ConfigError
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.faults import parse_fault
from sts3215_driver.emulator.firmware import parse_firmware
from sts3215_driver.emulator.options import number, parse_options
from sts3215_driver.emulator.plant import BenchPlant, Plant
from sts3215_driver.emulator.profile import Profile, load_profile
from sts3215_driver.emulator.servo_bank import ServoBank
from sts3215_driver.emulator.servo_file import Joint, start_pose
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME, Storage


@dataclass(frozen=True)
class Setup:
    """Everything that can be chosen; see `sts3215_emulator --help`."""

    joints: Iterable[Joint] = (Joint(1),)
    pose: str = "zero"
    baud: int = BAUD_RATES[0]
    wire_time: bool = True
    profile: str = "sts3215"
    voltage: float | None = None
    loads: Sequence[str] = ()
    settings: Sequence[str] = ()
    firmware: str = ""
    faults: Sequence[str] = ()
    seed: int = 0


class MakePlant(Protocol):
    """Makes what the servos move; a BenchPlant does by itself."""

    def __call__(self, profile: Profile, joints: Sequence[Joint], supply: float | None) -> Plant:
        """A plant for `joints`, with a supply of `supply` V (the profile's if None)."""


def bench_plant(profile: Profile, joints: Sequence[Joint], supply: float | None) -> Plant:
    """Every servo on a bench."""
    return BenchPlant(profile, len(joints), supply)


def build_bus(setup: Setup, make_plant: MakePlant = bench_plant) -> EmulatedBus:
    """A bus as chosen.

    Args:
        setup: The choice.
        make_plant: What the servos move.

    Raises:
        ConfigError, FileError: a choice that makes no sense.
    """
    joints = list(setup.joints)
    if setup.baud not in BAUD_RATES:
        rates = ", ".join(map(str, BAUD_RATES))
        raise ConfigError("emulator", "", "baud", setup.baud, f"one of {rates} bit/s")
    profile = load_profile(setup.profile)
    plant = make_plant(profile, joints, setup.voltage)
    bank = ServoBank(
        [joint.id for joint in joints],
        _eeprom(joints, setup, profile),
        profile,
        parse_firmware(parse_options(setup.firmware, "firmware")),
        plant,
        [joint.zero for joint in joints],
    )
    for index, steps in enumerate(start_pose(joints, setup.pose, setup.seed)):
        bank.place(index, steps)
    for words in setup.loads:
        who, options = _addressed(words, "load")
        values = {name: number("load", name, text) for name, text in options.items()}
        for index in _indices(joints, who, words):
            plant.set_load(index, plant.load(index).changed(values))
    faults = [parse_fault(text, setup.seed + n) for n, text in enumerate(setup.faults, 1)]
    return EmulatedBus(bank, setup.baud, setup.wire_time, faults=faults, seed=setup.seed)


def _eeprom(joints: Sequence[Joint], setup: Setup, profile: Profile) -> list[dict[str, int]]:
    result = [
        {
            **profile.registers,
            "id": joint.id,
            "baud_code": BAUD_RATES.index(setup.baud),
            "operating_mode": int(joint.wheel),
        }
        for joint in joints
    ]
    for words in setup.settings:
        who, options = _addressed(words, "set")
        for name, text in options.items():
            register = BY_NAME.get(name)
            if register is None or register.storage not in (Storage.EEPROM, Storage.FACTORY):
                raise ConfigError("set", words, "register", name, "an EEPROM register by name")
            value = number("set", name, text)
            if not (value.is_integer() and register.minimum <= value <= register.maximum):
                expected = f"a whole number from {register.minimum} to {register.maximum}"
                raise ConfigError("set", words, name, text, expected)
            for index in _indices(joints, who, words):
                result[index][name] = int(value)
    return result


def _addressed(words: str, option: str) -> tuple[str, dict[str, str]]:
    who, colon, rest = words.partition(":")
    if not colon:
        raise ConfigError(option, "", "option", words, "ID:name=value,... or all:name=value,...")
    return who.strip(), parse_options(rest, option)


def _indices(joints: Sequence[Joint], who: str, words: str) -> list[int]:
    chosen = [index for index, joint in enumerate(joints) if who == "all" or who == str(joint.id)]
    if not chosen:
        raise ConfigError("emulator", words, "id", who, "the id of a servo that exists, or all")
    return chosen
