"""What the legs can do while walking: how far from its middle each foot may go, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hexapod_motion import swing
from hexapod_motion.arrays import LIMBS, BoolArray, ComplexArray, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.body_pose import to_body
from hexapod_motion.gaits import Gait
from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Kinematics

#: Feet keep this far from what the joints allow, degrees and part of the radius.
ANGLE_MARGIN = 1.0
RADIUS_MARGIN = 0.95
#: Largest radius looked at, mm: beyond it neighbouring legs meet.
WIDEST = 60.0
#: Part of the joints' speed to plan with. The plan is careful: it takes the worst direction at each
#: place, and about a quarter is left for changes of command and of pose.
SPEED_SHARE = 1.0
#: A lifted foot goes this much outward per mm of height, which keeps the knee from folding too far.
OUTWARD = 0.8

_BISECTIONS = 6
_RING = np.exp(1j * np.radians(np.arange(0.0, 360.0, 30.0)))
#: Heights in the air (part of the step), and how far from the middle feet are then (of the radius).
_LAYERS = ((0.0, 1.0), (0.5, 1.0), (0.8, 0.85), (1.0, 0.7))
#: Both halves of a swing are alike.
_PROGRESS = np.linspace(0.05, 0.5, 7).tolist()
_STEP = 0.1


@dataclass(frozen=True, eq=False)
class Stance:
    """Where and how the feet step.

    Args:
        centers: (6,) middle of each foot's steps, x forward + i y left, level frame, mm.
        step_height: How high feet are lifted, mm.
    """

    centers: ComplexArray
    step_height: float


class Workspace:
    """Reach of one robot over level ground."""

    def __init__(self, geometry: Geometry) -> None:
        self._kinematics = Kinematics(geometry)
        self._body = BodyFrame(geometry)
        self._height = geometry.standing_height
        self._limits = geometry.limits + np.array([ANGLE_MARGIN, -ANGLE_MARGIN])
        self._speed = geometry.joint_speed * SPEED_SHARE
        heading = np.radians(geometry.coxa_zero)
        #: (6,) direction from each coxa joint outward, and feet when standing: x forward + i y left.
        self.outward: ComplexArray = np.sin(heading) + 1j * np.cos(heading) * geometry.left
        self.stand: ComplexArray = self._body.stand[:, 0] + 1j * self._body.stand[:, 1]

    def feet_to_limbs(
        self, ground: ComplexArray, height: FloatArray, pose: FloatArray
    ) -> FloatArray:
        """(..., 6, 3) points in limb frames for feet over the ground.

        Args:
            ground: (..., 6) places under the feet's paths, mm; lifted feet are further out.
            height: (..., 6) heights over the ground, mm.
            pose: (6,) the body's pose.
        """
        place = ground + self.outward * (OUTWARD * height)
        points = np.empty((*place.shape, 3))
        points[..., 0] = place.real
        points[..., 1] = place.imag
        points[..., 2] = height
        return self._body.to_limbs(to_body(points, pose, self._height))

    def radii(self, stance: Stance, poses: Sequence[FloatArray]) -> FloatArray:
        """(6,) mm around its centre each foot can go in all directions, in all `poses`; 0: nowhere."""
        low: FloatArray = np.zeros(LIMBS)
        high: FloatArray = np.full(LIMBS, WIDEST)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2.0
            good = self._all_possible(stance, poses, middle)
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return np.asarray(low * RADIUS_MARGIN)

    def fitting_part(self, stance: Stance, pose: FloatArray, radius: float) -> float:
        """How much of `pose` leaves every foot at least `radius` mm: a part from 0 to 1."""
        parts = np.linspace(1.0, 0.0, 21)
        for part in parts:
            if self._all_possible(stance, [pose * part], np.full(LIMBS, radius)).all():
                return float(part)
        return 0.0

    def foot_speeds(
        self, stance: Stance, gait: Gait, poses: Sequence[FloatArray], radius: FloatArray
    ) -> FloatArray:
        """(6,) fastest stance velocity at each foot that the joints can follow in the swing, mm/s.

        Args:
            stance, gait: How it walks.
            poses: Poses of the body to allow for.
            radius: (6,) how far from its centre each foot goes, mm.
        """
        ring = np.concatenate([[0.0], 0.7 * _RING[::3]])
        ground = stance.centers + ring[:, None] * radius
        # Over the ground the foot covers a cycle's way within the swing; seen from the body it is
        # slower by the body's own velocity.
        ahead = np.array([swing.way_speed(s) for s in _PROGRESS])
        ahead = np.abs(ahead / (1.0 - gait.duty_factor) - 1.0)
        up = np.abs([swing.height_speed(s) for s in _PROGRESS])
        up *= stance.step_height / gait.swing_time
        fastest = np.full(LIMBS, np.inf)
        for pose in poses:
            along, rising = self._joint_rates(stance, ground, pose)
            left = self._speed - rising * up[:, None, None, None]
            needed = np.maximum(along * ahead[:, None, None, None], 1e-6)
            speed = left / needed
            fastest = np.minimum(fastest, np.maximum(speed, 0.0).min(axis=(0, 1, 3)))
        return fastest

    def _joint_rates(
        self, stance: Stance, ground: ComplexArray, pose: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Joint degrees per mm (progress, points, 6, 3) of the foot along the ground and of its lift."""
        height = stance.step_height * np.array([swing.height(s) for s in _PROGRESS])
        shifts = np.array([0.0, _STEP, 1j * _STEP, 0.0])
        lifts = np.array([0.0, 0.0, 0.0, _STEP])
        feet = self.feet_to_limbs(
            ground + shifts[:, None, None, None],
            height[:, None, None] + lifts[:, None, None, None],
            pose,
        )
        values = self._kinematics.inverse(feet).values
        rates = np.abs(values[1:] - values[0]) / _STEP
        return np.hypot(rates[0], rates[1]), rates[2]

    def _all_possible(
        self, stance: Stance, poses: Sequence[FloatArray], radius: FloatArray
    ) -> BoolArray:
        layers = np.array(_LAYERS)[:, :, None, None]
        ground = stance.centers + _RING[:, None] * (layers[:, 1] * radius)
        height = layers[:, 0] * stance.step_height
        good = np.ones(LIMBS, dtype=np.bool_)
        for pose in poses:
            angles = self._kinematics.inverse(self.feet_to_limbs(ground, height, pose))
            within = (angles.values >= self._limits[:, 0]) & (angles.values <= self._limits[:, 1])
            good &= (angles.reachable & within.all(axis=-1)).all(axis=(0, 1))
        return good


@dataclass(frozen=True, eq=False)
class StepLimits:
    """What the present stance, gait and pose allow.

    Args:
        radius: (6,) how far from its centre each foot may be on the ground, mm.
        foot_speed: (6,) fastest stance velocity at each foot, mm/s.
    """

    radius: FloatArray
    foot_speed: FloatArray

    @staticmethod
    def of(
        workspace: Workspace, stance: Stance, gait: Gait, poses: Sequence[FloatArray]
    ) -> StepLimits:
        """Limits that hold in all `poses`."""
        # In the air a foot first falls behind, and comes back from beyond the middle's other side.
        radius = workspace.radii(stance, poses) / overshoot(gait)
        by_joints = workspace.foot_speeds(stance, gait, poses, radius)
        by_reach = 2.0 * radius / gait.stance_time
        return StepLimits(radius, np.minimum(by_joints, by_reach))


def overshoot(gait: Gait) -> float:
    """How far from its centre a foot gets in the air, as a multiple of how far on the ground."""
    half, part = gait.duty_factor / 2.0, 1.0 - gait.duty_factor
    places = [swing.way(s) - part * s - half for s in np.linspace(0.0, 1.0, 101).tolist()]
    return max(abs(place) for place in places) / half
