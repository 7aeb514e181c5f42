"""The one place where the articles' degrees become the radians of ROS and back.

    rad = sign * (degrees - degrees when standing) * pi / 180

Coxa positive is counter-clockwise seen from above, femur positive lifts the leg, tibia positive opens
the knee; all joints at 0 rad is the standing pose. Signs and the standing pose are data of the geometry
file. Names and order: `Geometry.joint_names`.
"""

from __future__ import annotations

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Kinematics


class JointFrame:
    """Conversions of one robot.

    Attributes:
        limits: (18, 2) lowest and highest position of each joint, rad.
        speed: Fastest joint, rad/s.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._zero = Kinematics(geometry).inverse(geometry.stand).values
        self._scale = geometry.joint_signs * (np.pi / 180.0)
        ends = (geometry.limits[None] - self._zero[..., None]) * self._scale[..., None]
        self.limits: FloatArray = np.sort(ends, axis=-1).reshape(-1, 2)
        self.speed = float(np.radians(geometry.joint_speed))

    def to_ros(self, angles: FloatArray) -> FloatArray:
        """(..., 18) rad for (..., 6, 3) degrees."""
        return ((angles - self._zero) * self._scale).reshape(*angles.shape[:-2], -1)

    def from_ros(self, positions: FloatArray) -> FloatArray:
        """(..., 6, 3) degrees for (..., 18) rad."""
        return (
            positions.reshape(*positions.shape[:-1], *self._zero.shape) / self._scale + self._zero
        )
