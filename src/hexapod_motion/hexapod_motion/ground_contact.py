"""Feet against the level ground in the present frame: what odometry and diagnostics look at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import LIMBS, BoolArray, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.body_pose import POSE_SIZE, rotation
from hexapod_motion.joint_frame import JointFrame
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import State
from hexapod_motion.sequences import Posture
from hexapod_motion.support import contacts, stability_margin


@dataclass(frozen=True, eq=False)
class GroundContact:
    """Where the feet are under the body.

    Args:
        feet: (6, 3) in the body's axes turned level, its heading kept, mm.
        standing: (6,) which feet stand; none where it is not known, or where the body lies.
        roll, pitch: Tilt of the body, rad.
    """

    feet: FloatArray
    standing: BoolArray
    roll: float
    pitch: float


class ContactObserver:
    """Looks at the frames of one `Motion`.

    Args:
        motion: What makes the frames.
        measured: Take measured joints instead of the commanded frame.
    """

    def __init__(self, motion: Motion, measured: bool = False) -> None:
        self._motion, self._measured = motion, measured
        self._kinematics = Kinematics(motion.geometry)
        self._frame = JointFrame(motion.geometry)
        self._body = BodyFrame(motion.geometry)

    def look(self) -> GroundContact:
        """Feet and contacts now."""
        motion = self._motion
        feet = self._body.from_limbs(self._points())
        none = np.zeros(LIMBS, dtype=np.bool_)
        if motion.state is State.WALK:
            tilt = np.zeros(POSE_SIZE)
            tilt[3:5] = motion.walker.pose[3:5]
            level = feet @ rotation(tilt).T
            standing = motion.walker.down
            if self._measured:
                # Real feet land and lift later than commanded: servos lag by up to 0.1 s.
                standing = contacts(feet, self._body.center_of_gravity)
            return GroundContact(level, standing, float(tilt[3]), float(tilt[4]))
        if motion.state is State.SEQUENCE and motion.posture is not Posture.FLOOR:
            return GroundContact(feet, contacts(feet, self._body.center_of_gravity), 0.0, 0.0)
        return GroundContact(feet, none, 0.0, 0.0)

    def margin(self) -> float:
        """Static stability margin now, mm; NaN where feet do not carry the robot."""
        if self._motion.state is State.WALK:
            return self._motion.walker.margin()
        contact = self.look()
        if not contact.standing.any():
            return math.nan
        places = contact.feet[contact.standing, :2]
        return stability_margin(places, self._body.center_of_gravity[:2])

    def _points(self) -> FloatArray:
        position = self._motion.measured.position if self._measured else None
        if position is None:
            return self._kinematics.forward(self._motion.limbs.angles)
        return self._kinematics.forward(self._frame.from_ros(position))
