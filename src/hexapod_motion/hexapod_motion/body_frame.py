"""The one place where limb frames become the body's frame and back.

A limb's frame has x outward on both sides, y up, z forward; the body's frame is that of REP-103, x
forward, y left, z up, from the middle between the coxa joints. Both in mm.
"""

from __future__ import annotations

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.geometry import Geometry


class BodyFrame:
    """Conversions of one robot.

    Attributes:
        stand: (6, 3) feet when standing, in the body's frame, mm.
        center_of_gravity: (3,) in the body's frame, mm.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._left = geometry.left
        self._ahead = geometry.mounts[:, 1]
        self._aside = -geometry.mounts[:, 0]
        self.stand = self.from_limbs(geometry.stand)
        right, up, ahead = geometry.center_of_gravity
        self.center_of_gravity = np.array([ahead, -right, up])

    def from_limbs(self, points: FloatArray) -> FloatArray:
        """(..., 6, 3) points in the body's frame for points in limb frames."""
        out = np.empty(points.shape)
        out[..., 0] = points[..., 2] + self._ahead
        out[..., 1] = points[..., 0] * self._left + self._aside
        out[..., 2] = points[..., 1]
        return out

    def to_limbs(self, points: FloatArray) -> FloatArray:
        """(..., 6, 3) points in limb frames for points in the body's frame."""
        out = np.empty(points.shape)
        out[..., 2] = points[..., 0] - self._ahead
        out[..., 0] = (points[..., 1] - self._aside) * self._left
        out[..., 1] = points[..., 2]
        return out
