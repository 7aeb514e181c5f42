"""The formula of the 7-parameter model, for n joints at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from servo_inv.joint_message import FloatArray
from servo_inv.servo_model import ServoModel


def stack_models(models: Sequence[ServoModel]) -> FloatArray:
    """(7, n) parameters in joint units, divided by kp: the rows of `JointSide`."""
    return np.array([model.joint_side() for model in models]).T.copy()


def offset_at(
    parameters: FloatArray,
    velocity: FloatArray,
    acceleration: FloatArray | float,
    effort: FloatArray,
    voltage: float,
    dead_zone: float,
) -> FloatArray:
    """How far the goals must lie from the wanted positions, (n,) rad.

    Args:
        parameters: (7, n), from `stack_models`.
        velocity: (n,) rad/s.
        acceleration: (n,) rad/s^2, or one number for all.
        effort: (n,) N m.
        voltage: V, > 0.
        dead_zone: Speed up to which there is no dry friction to overcome, rad/s, >= 0.
    """
    viscous, inertia, coulomb, stribeck, torque, stribeck_velocity, exponent = parameters
    speed = np.abs(velocity)
    direction = np.copysign(speed > dead_zone, velocity)
    share = np.exp(-((speed / stribeck_velocity) ** exponent))
    drive = viscous * velocity + inertia * acceleration + torque * effort
    drive += direction * (coulomb + stribeck * share)
    drive /= voltage
    return drive
