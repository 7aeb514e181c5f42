"""A DC motor behind a gear, with friction that really sticks; arrays are (n,), SI units.

    current = (voltage * duty - ke * velocity) / resistance
    torque  = kt * current
    friction = viscous * velocity
               + sign(velocity) * (Coulomb + Stribeck * exp(-|velocity / qs|^delta))

Source: `sts3215` profile of the actuator specification (identified with BAM, model M2).
"""

from __future__ import annotations

import numpy as np

from sts3215_driver.emulator.arrays import Array, Switches
from sts3215_driver.emulator.profile import Motor


def current(motor: Motor, voltage: float | Array, duty: Array, velocity: Array) -> Array:
    """Current through a driven motor, A: the bridge puts `duty` of `voltage` on it."""
    result: Array = (voltage * duty - motor.back_emf_constant * velocity) / motor.resistance
    return result


def dry_friction(motor: Motor, velocity: Array) -> Array:
    """Magnitude of the dry friction torque, N m: largest at rest, then Coulomb alone."""
    slip = np.abs(velocity / motor.stribeck_velocity) ** motor.stribeck_exponent
    result: Array = motor.coulomb + motor.stribeck * np.exp(-slip)
    return result


def back_emf_damping(motor: Motor) -> float:
    """Damping of a motor whose terminals are held at a voltage, N m s/rad."""
    return motor.torque_constant * motor.back_emf_constant / motor.resistance


def step_velocity(
    velocity: Array, torque: Array, damping: Array, friction: Array, inertia: Array, dt: float
) -> Array:
    """Velocity after `dt`: explicit in the torque, implicit in damping and dry friction.

    A body at rest stays exactly at rest until torque exceeds friction, without chatter, and a
    moving one stops instead of turning round.

    Args:
        velocity: rad/s.
        torque: All torques that do not depend on velocity, N m.
        damping: N m s/rad.
        friction: Magnitude of dry friction, N m.
        inertia: kg m^2.
        dt: s.
    """
    momentum = inertia * velocity + dt * torque
    left = np.maximum(np.abs(momentum) - dt * friction, 0.0)
    result: Array = np.copysign(left, momentum) / (inertia + dt * damping)
    return result


def supply_voltage(
    motor: Motor,
    open_circuit: float,
    resistance: float,
    duty: Array,
    velocity: Array,
    connected: Switches,
) -> float:
    """Voltage at the servos, V, when all of them draw on one supply with an inner resistance.

    A bridge takes duty * current from the supply (or gives it back when braking), and the current
    depends on the voltage in turn; both are linear, so this is exact.
    """
    used = duty * connected
    conductance = float(used @ used) / motor.resistance
    generated = float(used @ velocity) * motor.back_emf_constant / motor.resistance
    return (open_circuit + resistance * generated) / (1.0 + resistance * conductance)
