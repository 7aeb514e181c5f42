"""Inverse statics: the torque with which each joint holds a pose against gravity.

    joint                    n  up, against gravity
      o--- link ---o         tau = -axis . sum over what is beyond the joint of (r - joint) x F
     axis           \\        F = -g m n for the links, +f n for the foot that stands
                     o foot
                     ^ f

The ground pushes straight up, n; f shares the weight so that the robot is in balance. Feet may share
it in many ways; taken is the most even one, in which a foot counts less the higher it is over the
ground. So the torque changes gradually when a foot is planted, and any of these shares holds the pose.
"""

from __future__ import annotations

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry
from hexapod_motion.joint_frame import JointFrame
from hexapod_motion.masses import Masses
from hexapod_motion.support import contacts

GRAVITY = 9.81
#: A foot this high over the ground carries nothing, mm.
AIR = 10.0
#: How much a foot in the air counts all the same: the balance then has a solution for any feet.
_LEAST = 1e-4
_UP = np.array([0.0, 0.0, 1.0])


class Statics:
    """Holding torques of one robot.

    Args:
        geometry: Its shape.
        masses: Its weight.
    """

    def __init__(self, geometry: Geometry, masses: Masses) -> None:
        self.names = geometry.joint_names
        self._geometry, self._masses = geometry, masses
        self._frame = JointFrame(geometry)
        self._mounts = BodyFrame(geometry).from_limbs(np.zeros((6, 3)))
        legs = masses.coxa.mass + masses.femur.mass + masses.tibia.mass
        self.weight = GRAVITY * (masses.body + 6 * legs)

    def effort(self, position: FloatArray) -> FloatArray:
        """(18,) N m in the order and sense of ROS, for (18,) rad: what the servos must exert."""
        geometry, masses = self._geometry, self._masses
        angles = self._frame.from_ros(position)
        heading = np.radians(angles[:, 0] + geometry.coxa_zero)
        elevation = np.radians(geometry.femur_zero - angles[:, 1])
        below = elevation - np.pi + np.radians(angles[:, 2] + geometry.tibia_zero)
        outward = np.stack([np.sin(heading), geometry.left * np.cos(heading), np.zeros(6)], axis=-1)
        along_femur = _raised(outward, elevation)
        along_tibia = _raised(outward, below)
        hips = self._mounts + geometry.coxa * outward
        knees = hips + geometry.femur * along_femur
        balls = knees + (geometry.tibia - masses.foot) * along_tibia
        links = (
            self._mounts + masses.coxa.along * outward,
            hips + masses.femur.along * along_femur,
            knees + masses.tibia.along * along_tibia,
        )
        weights = [GRAVITY * link.mass for link in (masses.coxa, masses.femur, masses.tibia)]
        center = GRAVITY * masses.body * masses.body_at
        for places, weight in zip(links, weights, strict=True):
            center = center + weight * places.sum(axis=0)
        center = center / self.weight
        up = _ground(balls, center)
        feet = balls - masses.foot * up
        push = self._share(feet, center, up)
        # Sums of (r - joint) * force along `up`, from the tip inwards; mm become m.
        arms = np.empty((6, 3, 3))
        for joint, origin in enumerate((self._mounts, hips, knees)):
            moment = push[:, None] * (feet - origin)
            for link in range(joint, 3):
                moment -= weights[link] * (links[link] - origin)
            arms[:, joint] = 0.001 * moment
        lift = np.stack([outward[:, 1], -outward[:, 0], np.zeros(6)], axis=-1)
        axes = np.stack([-geometry.left[:, None] * _UP, lift, lift], axis=1)
        # Angles of this file grow with heading, elevation and knee; those of ROS by their signs.
        axes *= (geometry.joint_signs * np.array([1.0, -1.0, 1.0]))[..., None]
        torque = -np.einsum("ljx,ljx->lj", axes, arms @ _times(up))
        return np.asarray(torque.reshape(-1))

    def _share(self, feet: FloatArray, center: FloatArray, up: FloatArray) -> FloatArray:
        """(6,) N with which the ground pushes each foot; none while the body lies on the ground."""
        heights = feet @ up
        heights -= heights.min()
        counts = np.clip(1.0 - heights / AIR, _LEAST, 1.0)
        below = self._geometry.floor - feet[:, 2].min()
        carried = self.weight * float(np.clip(below / AIR, 0.0, 1.0))
        from_center = 0.01 * (feet - center)
        side = np.array([0.0, up[2], -up[1]]) / np.hypot(up[1], up[2])
        ahead = side @ _times(up)
        balance = np.stack([np.ones(6), from_center @ ahead, from_center @ side])
        wanted = np.array([carried, 0.0, 0.0])
        weighted = balance * counts
        least = 1e-9 * np.eye(3)
        push = weighted.T @ np.linalg.solve(weighted @ balance.T + least, wanted)
        # The ground does not pull: about to tip over, the feet on that side carry everything.
        push = np.maximum(push, 0.0)
        return np.asarray(push * (carried / max(float(push.sum()), 1e-9)))


def _raised(outward: FloatArray, angle: FloatArray) -> FloatArray:
    """(6, 3) directions at `angle` over `outward`."""
    return np.asarray(np.cos(angle)[:, None] * outward + np.sin(angle)[:, None] * _UP)


def _times(vector: FloatArray) -> FloatArray:
    """(3, 3) matrix m for which r @ m is the cross product r x `vector`; np.cross is far slower."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _ground(feet: FloatArray, center: FloatArray) -> FloatArray:
    """Normal of the ground on which the robot stands with its body tilted; z where it does not."""
    standing = feet[contacts(feet, center)]
    if len(standing) < 3:
        return _UP
    flat = standing - standing.mean(axis=0)
    normal = np.linalg.svd(flat, full_matrices=False)[2][2]
    return np.asarray(normal * np.copysign(1.0, normal[2]))
