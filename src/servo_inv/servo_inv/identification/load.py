"""What the load asks of the joint while it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.joint_message import FloatArray
from stride_base.errors import ConfigError

GRAVITY = 9.81


@dataclass(frozen=True)
class PointLoad:
    """A mass at the end of an arm that moves in a vertical plane.

    Args:
        mass: kg.
        arm: m.
        level: Joint angle at which the arm is level and positive torque lifts it, rad.

    Raises:
        ConfigError: a number that is not finite, or a mass below 0.
    """

    mass: float
    arm: float
    level: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mass", "arm", "level"):
            value = getattr(self, name)
            if not np.isfinite(value) or (name == "mass" and value < 0.0):
                raise ConfigError("load", "", name, value, "a finite number, a mass of at least 0")

    def effort(self, position: FloatArray, acceleration: FloatArray) -> FloatArray:
        """(m,) N m that hold and accelerate the load."""
        gravity = GRAVITY * np.cos(position - self.level)
        return self.mass * self.arm * (gravity + self.arm * acceleration)
