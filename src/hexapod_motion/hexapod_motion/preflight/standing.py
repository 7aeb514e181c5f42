"""Which feet stand in each frame of a path, how well, and what the body does over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import BoolArray, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry
from hexapod_motion.support import TOUCHING, contacts, stability_margin


@dataclass(frozen=True, eq=False)
class Standing:
    """The ground under n frames.

    Args:
        feet: (n, 6, 3) in the body's frame, mm.
        down: (n, 6) which feet stand; none while the body lies on its underside.
        lies: (n,) whether it lies.
        margin: (n,) static stability margin, mm; infinite while it lies, -infinite when it tips.
        tilt: (n,) how far the body leans against the ground under the feet, rad.
        slip: (n - 1, 6) how far each standing foot is dragged between two frames, mm.
        shift: (n - 1,) how the body moves between two frames, x forward + i y left, mm.
        turn: (n - 1,) how it turns, rad.
    """

    feet: FloatArray
    down: BoolArray
    lies: BoolArray
    margin: FloatArray
    tilt: FloatArray
    slip: FloatArray
    shift: FloatArray
    turn: FloatArray


def standing(frames: FloatArray, geometry: Geometry, body: BodyFrame) -> Standing:
    """Follow (n, 6, 3) frames in limb frames, mm."""
    feet, center = body.from_limbs(frames), body.center_of_gravity
    lies = feet[..., 2].min(axis=1) > geometry.floor - TOUCHING
    down = np.zeros(feet.shape[:2], dtype=np.bool_)
    margin, tilt = np.full(len(feet), np.inf), np.zeros(len(feet))
    for index in np.flatnonzero(~lies).tolist():
        down[index] = contacts(feet[index], center)
        normal = _normal(feet[index, down[index]])
        tilt[index] = np.arccos(min(normal[2], 1.0))
        places = _seen_along(normal, np.concatenate([feet[index, down[index]], center[None]]))
        margin[index] = stability_margin(places[:-1], places[-1])
    slip, shift, turn = _moves(feet, down)
    return Standing(feet, down, lies, margin, tilt, slip, shift, turn)


def _normal(feet: FloatArray) -> FloatArray:
    """(3,) upward normal of the ground under (n, 3) standing feet."""
    if len(feet) < 3 or np.ptp(feet[:, 2]) < 1e-9:
        return np.array([0.0, 0.0, 1.0])
    normal = np.linalg.svd(feet - feet.mean(axis=0))[2][2]
    return np.asarray(normal * np.sign(normal[2]))


def _seen_along(normal: FloatArray, points: FloatArray) -> FloatArray:
    """(n, 2) places of (n, 3) points on the ground with that normal."""
    ahead = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    ahead /= np.linalg.norm(ahead)
    return np.asarray(points @ np.stack([ahead, np.cross(normal, ahead)], axis=1))


def _moves(feet: FloatArray, down: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Best rigid moves of the body over the feet that stand in both of two frames (Kabsch 1976)."""
    old, new = feet[:-1], feet[1:]
    weight = (down[:-1] & down[1:]).astype(float)[..., None]
    count = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    middle_old = (weight * old).sum(axis=1, keepdims=True) / count
    middle_new = (weight * new).sum(axis=1, keepdims=True) / count
    a, b = weight * (old - middle_old), weight * (new - middle_new)
    u, _s, vt = np.linalg.svd(np.swapaxes(a, 1, 2) @ b)
    flip = np.ones((len(u), 3))
    flip[:, 2] = np.linalg.det(u @ vt)
    # Turns a place in the new frame's axes into the old one's.
    turn = u @ (flip[..., None] * vt)
    turned = new @ np.swapaxes(turn, 1, 2)
    shift = middle_old - middle_new @ np.swapaxes(turn, 1, 2)
    slip = np.linalg.norm(turned + shift - old, axis=2) * weight[..., 0]
    moved = weight.sum(axis=(1, 2)) >= 2.0
    across = np.where(moved, shift[:, 0, 0] + 1j * shift[:, 0, 1], 0.0)
    angle = np.where(moved, np.arctan2(turn[:, 1, 0], turn[:, 0, 0]), 0.0)
    return slip, across, angle
