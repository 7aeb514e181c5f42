"""Foot <-> joint angles of all limbs in one call (seed, part 3 of the articles; spec of the package).

Everything is in the limb's own frame: x outward, y up, z forward, mm; angles in degrees. The solution
is the one with the knee up. Leading axes are free, so the frames of a whole path fit in one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import JOINTS, BoolArray, FloatArray
from hexapod_motion.geometry import Geometry

#: How far past a bound rounding may carry a point that lies on it: mm and degrees.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Angles:
    """Joint angles, and whether they can be had. Never NaN.

    Args:
        values: (..., 6, 3) degrees; for a foot out of reach those of the leg stretched or folded
            towards it.
        distance: (..., 6) femur axis to foot, mm.
        reachable: (..., 6) whether the links are long enough, and the foot far enough away.
        within: (..., 6, 3) whether each angle is within its limits.
        geometry: Whose limbs.
    """

    values: FloatArray
    distance: FloatArray
    reachable: BoolArray
    within: BoolArray
    geometry: Geometry

    @property
    def possible(self) -> BoolArray:
        """(..., 6) whether the limb can be there."""
        return self.reachable & self.within.all(axis=-1)

    @property
    def all_possible(self) -> bool:
        """Whether all limbs can be there, in all frames."""
        return bool(self.reachable.all() and self.within.all())

    def reason(self, *index: int) -> str:
        """Why the limb at `index` (frame ..., limb) cannot be there; empty: it can."""
        geometry, distance = self.geometry, float(self.distance[index])
        if not self.reachable[index]:
            near = distance < geometry.nearest
            bound = geometry.nearest if near else geometry.farthest
            word = "near" if near else "far"
            edge = "least" if near else "most"
            return f"too {word}: {distance:.1f} mm from the femur's axis, at {edge} {bound:g} mm"
        parts = []
        for joint, name in enumerate(JOINTS):
            if not self.within[(*index, joint)]:
                low, high = geometry.limits[joint]
                angle = float(self.values[(*index, joint)])
                parts.append(f"{name} at {angle:.1f} deg, beyond {low:g} to {high:g} deg")
        return " and ".join(parts)


class Kinematics:
    """Inverse and forward kinematics of one robot; all that does not change is computed once."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        heading = np.radians(geometry.coxa_zero)
        self._cos, self._sin = np.cos(heading), np.sin(heading)
        self._low, self._high = geometry.limits[:, 0] - SLACK, geometry.limits[:, 1] + SLACK
        self._near, self._far = geometry.nearest - SLACK, geometry.farthest + SLACK
        femur, tibia = geometry.femur, geometry.tibia
        self._difference = femur * femur - tibia * tibia
        self._sum = femur * femur + tibia * tibia
        self._twice = 2.0 * femur * tibia

    def inverse(self, points: FloatArray) -> Angles:
        """Joint angles for finite feet.

        With r the horizontal and y the vertical distance from the femur's axis, d = hypot(r, y):
        coxa = heading - coxa_zero; femur = femur_zero - alpha - atan2(y, r);
        tibia = gamma - tibia_zero; alpha is the angle between femur and d, gamma the knee's.

        Args:
            points: (..., 6, 3) mm.
        """
        geometry = self.geometry
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        outward = x * self._cos + z * self._sin
        forward = z * self._cos - x * self._sin
        r = np.hypot(outward, forward) - geometry.coxa
        square = r * r + y * y
        distance = np.sqrt(square)
        # Out of reach and at distance 0 the cosines lie beyond 1 and are clipped.
        long = np.maximum(distance, 1e-9)
        cos_alpha = (self._difference + square) / (2.0 * geometry.femur * long)
        cos_gamma = (self._sum - square) / self._twice
        values = np.empty(points.shape)
        values[..., 0] = np.arctan2(forward, outward)
        values[..., 1] = -np.arccos(np.clip(cos_alpha, -1.0, 1.0)) - np.arctan2(y, r)
        values[..., 2] = np.arccos(np.clip(cos_gamma, -1.0, 1.0))
        np.degrees(values, out=values)
        values[..., 1] += geometry.femur_zero
        values[..., 2] -= geometry.tibia_zero
        reachable = (distance >= self._near) & (distance <= self._far)
        within = (values >= self._low) & (values <= self._high)
        return Angles(values, distance, reachable, within, geometry)

    def forward(self, angles: FloatArray) -> FloatArray:
        """(..., 6, 3) feet in mm for (..., 6, 3) joint angles in degrees."""
        geometry = self.geometry
        heading = np.radians(angles[..., 0] + geometry.coxa_zero)
        elevation = np.radians(geometry.femur_zero - angles[..., 1])
        below = elevation - np.pi + np.radians(angles[..., 2] + geometry.tibia_zero)
        r = geometry.coxa + geometry.femur * np.cos(elevation) + geometry.tibia * np.cos(below)
        y = geometry.femur * np.sin(elevation) + geometry.tibia * np.sin(below)
        return np.stack([r * np.cos(heading), y, r * np.sin(heading)], axis=-1)
