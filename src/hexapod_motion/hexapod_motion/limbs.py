"""The limbs driver: feet into joint angles, all eighteen or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.kinematics import Kinematics


@dataclass(frozen=True)
class Fault:
    """A frame that could not be taken; the joints hold the one before.

    Args:
        limb: Name of the first limb that cannot be there.
        point: Where it should be in its frame, mm.
        where: What asked for it: sequence and iteration, or the gait.
        reason: Why it cannot be there.
    """

    limb: str
    point: tuple[float, float, float]
    where: str
    reason: str

    def __str__(self) -> str:
        x, y, z = self.point
        return (
            f"limb {self.limb} cannot be at ({x:.1f}, {y:.1f}, {z:.1f}) mm in {self.where}: "
            f"{self.reason}; all joints hold until reset_fault"
        )


class LimbsDriver:
    """Keeps the last complete frame.

    Attributes:
        angles: (6, 3) joint angles of that frame, degrees.
    """

    def __init__(self, kinematics: Kinematics, angles: FloatArray) -> None:
        self._kinematics, self.angles = kinematics, angles

    @property
    def points(self) -> FloatArray:
        """(6, 3) feet of the last complete frame, mm."""
        return self._kinematics.forward(self.angles)

    def angles_at(self, points: FloatArray, where: str) -> FloatArray | Fault:
        """(6, 3) joint angles for (6, 3) feet, or why there are none."""
        angles = self._kinematics.inverse(points)
        if angles.all_possible:
            return angles.values
        limb = int(np.argmin(angles.possible))
        x, y, z = points[limb].tolist()
        name = self._kinematics.geometry.names[limb]
        return Fault(name, (x, y, z), where, angles.reason(limb))
