"""Servo profiles: the physical servo, the ideal one of the arm's model, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from stride_base.errors import ConfigError
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.plant import BenchPlant, Load
from sts3215_driver.emulator.profile import load_profile
from sts3215_driver.emulator.servo_bank import ServoBank

PROFILES = Path(__file__).parents[1] / "sts3215_driver" / "emulator" / "profiles"


def held(profile: str, torque: float) -> tuple[ServoBank, BenchPlant]:
    """A servo that holds its place against a torque, after 2 s."""
    bank = build_bus(Setup(profile=profile)).bank
    plant = bank.plant
    assert isinstance(plant, BenchPlant)
    bank.advance(0.0)
    bank.servos[0].write(42, (2048).to_bytes(2, "little"))
    bank.servos[0].write(40, b"\x01")
    plant.set_load(0, Load(torque=torque))
    bank.advance(2.0)
    return bank, plant


def stiffness(profile: str) -> float:
    """Change of torque over change of place, without what friction holds, N m/rad."""
    near, far = held(profile, 0.5)[1], held(profile, 1.5)[1]
    return float(1.0 / (far.state.position[0] - near.state.position[0]))


def test_the_physical_servo_is_as_stiff_as_was_measured() -> None:
    assert stiffness("sts3215") == pytest.approx(0.166 * 32 * 1.169 * 7.4 / 2.4814, rel=0.05)


def test_the_arms_model_has_the_gain_and_the_limit_of_its_file() -> None:
    assert stiffness("so101") == pytest.approx(998.22, rel=0.11)
    bank, plant = held("so101", 2.5)
    assert abs(plant.state.position[0]) < np.radians(0.2)
    assert plant.state.voltage[0] == pytest.approx(12.0)
    assert bank.servos[0].memory.get("servo_status") == 0
    bank, plant = held("so101", 3.2)
    assert plant.state.velocity[0] > 0.1


def test_its_damping_is_that_of_its_file() -> None:
    plant = BenchPlant(load_profile("so101"), 1)
    duty = -0.92891156 * np.array([0.5])
    plant.state.velocity[:] = 0.5
    plant.advance(0.002, duty, np.array([True]))
    braking = (0.5 - plant.state.velocity[0]) / 0.002 * (0.028 + 0.002 * 0.6)
    assert braking == pytest.approx(2.731 * 0.5 + 0.6 * 0.5 + 0.052, rel=0.02)


@pytest.mark.parametrize(
    ("registers", "message"),
    [
        ({"p_gian": 3}, "'p_gian' is 3; expected an EEPROM register by name"),
        ({"goal_position": 3}, "expected an EEPROM register by name"),
        ({"p_gain": 999}, "expected a whole number from 0 to 254"),
        (["p_gain"], "expected a table of EEPROM registers"),
    ],
)
def test_registers_of_a_profile_are_checked(
    tmp_path: Path, registers: object, message: str
) -> None:
    document = yaml.safe_load((PROFILES / "sts3215.yaml").read_text())
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({**document, "registers": registers}))
    with pytest.raises(ConfigError, match=message):
        load_profile(path)


def test_a_server_that_was_stopped_leaves_the_time_out() -> None:
    bus = build_bus(Setup())
    bank = bus.bank
    bank.advance(0.0)
    bank.advance(0.1)
    bank.skip(0.2, 0.25)
    assert bank.skipped == 0.0
    bank.skip(10.0, 0.25)
    assert bank.skipped == pytest.approx(9.9)
    bank.advance(10.1)
    assert bank.elapsed == pytest.approx(0.2, abs=0.003)
    assert Commands(bus).execute("state 1", 10.1)["ok"]


def test_further_commands_can_be_added() -> None:
    commands = Commands(build_bus(Setup()), more={"greet": lambda words: " ".join(words)})
    assert commands.execute("greet a b", 0.0)["result"] == "a b"
