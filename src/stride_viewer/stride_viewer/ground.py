"""What a legged robot stands on, by its measured joints alone: contacts, polygon, margin, tilt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from hexapod_motion.arrays import BoolArray, FloatArray
from hexapod_motion.support import contacts, hull, stability_margin
from stride_viewer.robot_model import RobotModel

#: A measured foot this near to the plane of the others stands on it, mm: joints have play, legs bend.
TOUCHING = 3.0
MILLIMETRES = 1000.0


@dataclass(frozen=True, eq=False)
class Ground:
    """Feet and ground, in the robot's root link.

    Args:
        feet: (n, 3) lowest points of the feet, m.
        touching: (n,) which of them stand; none where that cannot be told, as for a robot that lies.
        polygon: (k, 3) corners of the support polygon, m.
        center: (3,) centre of mass, m; None: not known.
        margin: Distance of the centre of mass from the polygon's edge, m; NaN: not known.
        height: Of the root link above the ground, m.
        orientation: (4,) of the root link on level ground, without heading: x, y, z, w.
    """

    feet: FloatArray
    touching: BoolArray
    polygon: FloatArray
    center: FloatArray | None
    margin: float
    height: float
    orientation: tuple[float, float, float, float]

    def unknown(self) -> Ground:
        """The same without what only a measured robot can tell: contacts, polygon and margin."""
        touching: BoolArray = np.zeros(len(self.touching), dtype=np.bool_)
        return replace(self, touching=touching, polygon=np.zeros((0, 3)), margin=math.nan)


UP = np.array([0.0, 0.0, 1.0])


def look(model: RobotModel, angles: Mapping[str, float]) -> Ground:
    """Where the ground must be, if a rigid robot stands on a plane with the joints at `angles`."""
    poses = model.poses(angles)
    centers, mass = model.foot_centers(poses), model.center_of_mass(poses)
    radii = np.array([foot.radius for foot in model.feet])
    touching: BoolArray = np.zeros(len(centers), dtype=np.bool_)
    if mass is not None and len(centers) >= 3:
        touching = contacts(MILLIMETRES * centers, MILLIMETRES * mass, TOUCHING)
    up = _normal(centers[touching]) if touching.any() else UP
    feet = centers - radii[:, None] * up
    if touching.any() and _lies(model, feet[touching], up):
        touching[:] = False
        up = UP
        feet = centers - radii[:, None] * up
    level = _levelling(up)
    flat = level.apply(feet) if len(feet) else feet
    polygon: FloatArray = np.zeros((0, 3))
    margin = math.nan
    if touching.any() and mass is not None:
        polygon = _corners(flat[touching], feet[touching])
        margin = stability_margin(flat[touching, :2], level.apply(mass)[:2])
    height = 0.0
    if touching.any():
        height = -float(flat[touching, 2].mean())
    elif len(flat):
        height = -float(np.concatenate([flat, model.body])[:, 2].min())
    x, y, z, w = level.as_quat().tolist()
    return Ground(feet, touching, polygon, mass, margin, height, (x, y, z, w))


def _lies(model: RobotModel, feet: FloatArray, up: FloatArray) -> bool:
    """Whether the body is on the ground that the feet stand on, so that they do not carry it."""
    if not len(model.body):
        return False
    clearance = float((model.body @ up).min() - (feet @ up).mean())
    return clearance * MILLIMETRES <= TOUCHING


def _normal(points: FloatArray) -> FloatArray:
    """Unit normal, upwards, of the plane nearest to (n, 3) points."""
    _, _, axes = np.linalg.svd(points - points.mean(axis=0))
    normal: FloatArray = axes[2] if axes[2][2] >= 0.0 else -axes[2]
    return normal


def _levelling(up: FloatArray) -> Rotation:
    """The shortest rotation that turns `up` upright."""
    axis = np.cross(up, [0.0, 0.0, 1.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return Rotation.identity()
    return Rotation.from_rotvec(axis / sine * math.atan2(sine, float(up[2])))


def _corners(flat: FloatArray, feet: FloatArray) -> FloatArray:
    """Those of (n, 3) `feet` that are corners of the hull of `flat`, the same feet levelled."""
    places = {(float(x), float(y)): foot for (x, y, _), foot in zip(flat, feet, strict=True)}
    return np.array([places[corner] for corner in hull(list(places))]).reshape(-1, 3)
