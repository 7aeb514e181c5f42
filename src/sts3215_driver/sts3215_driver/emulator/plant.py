"""What the servos move: the abstract `Plant`, and a bench on which each servo has its own load.

A plant knows bodies, motors and the supply. It knows nothing of registers: the emulated firmware
gives it a duty per servo, and reads back position, velocity, current and voltage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np

from stride_base.errors import ConfigError
from sts3215_driver.emulator import dc_motor
from sts3215_driver.emulator.arrays import Array, Switches, filled
from sts3215_driver.emulator.profile import Profile

_STRONGEST = 1000.0


@dataclass
class PlantState:
    """How the servos stand, arrays (n,). Positive is the direction in which positions grow.

    Args:
        position: Angle of the shaft, rad, continuous over turns; 0 where the servo is mounted.
        velocity: rad/s.
        current: Through each motor, A.
        voltage: At each servo, V.
    """

    position: Array
    velocity: Array
    current: Array
    voltage: Array


@dataclass(frozen=True)
class Load:
    """What hangs on one servo; SI units.

    Args:
        torque: Constant external torque, positive towards growing positions.
        inertia: Moment of inertia on top of the servo's own.
        gravity: m*g*l of an arm that is level at 0 rad: adds the torque -gravity * cos(position).
        friction: Dry friction on top of the servo's own; a large one blocks the joint.

    Raises:
        ConfigError: a value is not finite, or an inertia or friction is negative.
    """

    torque: float = 0.0
    inertia: float = 0.0
    gravity: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            low = 0.0 if field.name in ("inertia", "friction") else -_STRONGEST
            if not low <= value <= _STRONGEST:
                expected = f"a number from {low:g} to {_STRONGEST:g} in SI units"
                raise ConfigError("load", "", field.name, value, expected)

    def changed(self, values: Mapping[str, float]) -> Load:
        """This load with some values changed, e.g. `{"torque": 0.5}`.

        Raises:
            ConfigError: a load has no such value, or not within these limits.
        """
        known = [field.name for field in fields(Load)]
        for name, value in values.items():
            if name not in known:
                raise ConfigError("load", "", name, value, f"one of {', '.join(known)}")
        return replace(self, **values)


class Plant(Protocol):
    """Bodies that servos drive."""

    state: PlantState
    #: Voltage of the unloaded supply, V.
    supply: float

    def place(self, index: int, position: float) -> None:
        """Turn the shaft of servo number `index` by hand to `position` (rad), at rest."""

    def load(self, index: int) -> Load:
        """The load on servo number `index`."""

    def set_load(self, index: int, load: Load) -> None:
        """Hang another load on servo number `index`; its speed stays."""

    def advance(self, dt: float, duty: Array, connected: Switches) -> None:
        """Move on by `dt` (s).

        Args:
            duty: Drive of each motor, -1 to 1 of the voltage, (n,).
            connected: Whether the bridge holds the motor's terminals; if not, it runs free.
        """


class BenchPlant:
    """Every servo screwed to a bench with a load of its own, on a common supply.

    Args:
        profile: Motor and electronics.
        count: Number of servos.
        supply: Voltage of the unloaded supply, V; the profile's if left out.
    """

    def __init__(self, profile: Profile, count: int, supply: float | None = None) -> None:
        electronics = profile.electronics
        self.supply = electronics.supply_voltage if supply is None else supply
        self.state = PlantState(
            filled(count), filled(count), filled(count), filled(count, self.supply)
        )
        self._motor = profile.motor
        self._supply_resistance = electronics.supply_resistance
        self._free = profile.motor.viscous
        self._held = self._free + dc_motor.back_emf_damping(profile.motor)
        self._torque_per_volt = profile.motor.torque_constant / profile.motor.resistance
        self._loads = [Load()] * count
        self._torque = filled(count)
        self._inertia = filled(count, profile.motor.armature)
        self._gravity = filled(count)
        self._friction = filled(count)

    def place(self, index: int, position: float) -> None:
        """See `Plant.place`."""
        self.state.position[index] = position
        self.state.velocity[index] = 0.0

    def load(self, index: int) -> Load:
        """See `Plant.load`."""
        return self._loads[index]

    def set_load(self, index: int, load: Load) -> None:
        """See `Plant.set_load`."""
        self._loads[index] = load
        self._torque[index] = load.torque
        self._inertia[index] = self._motor.armature + load.inertia
        self._gravity[index] = load.gravity
        self._friction[index] = load.friction

    def advance(self, dt: float, duty: Array, connected: Switches) -> None:
        """See `Plant.advance`."""
        state = self.state
        velocity = state.velocity
        volts = dc_motor.supply_voltage(
            self._motor, self.supply, self._supply_resistance, duty, velocity, connected
        )
        torque = (self._torque_per_volt * volts) * duty * connected + self._torque
        torque -= self._gravity * np.cos(state.position)
        damping = np.where(connected, self._held, self._free)
        friction = dc_motor.dry_friction(self._motor, velocity) + self._friction
        velocity = dc_motor.step_velocity(velocity, torque, damping, friction, self._inertia, dt)
        state.velocity = velocity
        state.position = state.position + dt * velocity
        state.current = dc_motor.current(self._motor, volts, duty, velocity) * connected
        state.voltage.fill(volts)
