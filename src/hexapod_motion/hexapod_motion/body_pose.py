"""How the body is held over the feet: offsets from the standing pose, and smooth changes of them."""

from __future__ import annotations

import math

import numpy as np

from hexapod_motion.arrays import FloatArray

#: A pose is x forward, y left, z up (mm), roll, pitch, yaw (rad, turned in this order about fixed axes).
POSE_SIZE = 6
#: Fastest change, mm/s and rad/s, and how briskly a pose is approached, rad/s.
FASTEST = np.array([60.0, 60.0, 60.0, 0.5, 0.5, 0.5])
BRISKNESS = 6.0
_ARRIVED = np.array([1e-3, 1e-3, 1e-3, 1e-5, 1e-5, 1e-5])


def rotation(pose: FloatArray) -> FloatArray:
    """(3, 3) matrix that turns the body's axes to those of the level ground."""
    roll, pitch, yaw = float(pose[3]), float(pose[4]), float(pose[5])
    sr, cr = math.sin(roll), math.cos(roll)
    sp, cp = math.sin(pitch), math.cos(pitch)
    sy, cy = math.sin(yaw), math.cos(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def to_body(points: FloatArray, pose: FloatArray, height: float) -> FloatArray:
    """(..., 3) points over the ground, seen from a body at `pose`.

    Args:
        points: In the level frame under the standing body, z = 0 on the ground, mm.
        pose: (6,) pose.
        height: Height of the standing body over the ground, mm.
    """
    origin = (pose[0], pose[1], pose[2] + height)
    away: FloatArray = points - origin
    return away @ rotation(pose) if pose[3:].any() else away


def roll_pitch_yaw(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """Angles of a unit quaternion, rad."""
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, pitch, yaw


class PoseRamp:
    """A pose on its way to `target`: critically damped, with bounded speed, never a step.

    Attributes:
        value: (6,) present pose.
        target: (6,) wanted pose.
    """

    def __init__(self) -> None:
        self.value: FloatArray = np.zeros(POSE_SIZE)
        self.target: FloatArray = np.zeros(POSE_SIZE)
        self._speed: FloatArray = np.zeros(POSE_SIZE)

    @property
    def arrived(self) -> bool:
        """Whether it rests at the target."""
        return not self._speed.any() and bool((self.value == self.target).all())

    def snapshot(self) -> tuple[FloatArray, FloatArray]:
        """What `restore` needs to undo steps."""
        return self.value, self._speed

    def restore(self, snapshot: tuple[FloatArray, FloatArray]) -> None:
        """Go back to a `snapshot`."""
        self.value, self._speed = snapshot

    def step(self, dt: float, hold: bool = False) -> None:
        """Move on for `dt` s; with `hold` come to rest where it is."""
        if self.arrived:
            return
        away = np.zeros(POSE_SIZE) if hold else self.target - self.value
        pull = BRISKNESS * (BRISKNESS * away - 2.0 * self._speed)
        speed = np.clip(self._speed + dt * pull, -FASTEST, FASTEST)
        value = self.value + dt * speed
        near = (np.abs(self.target - value) < _ARRIVED) & (np.abs(speed) < 100.0 * _ARRIVED)
        self.value = np.where(near, self.target, value)
        self._speed = np.where(near, 0.0, speed)
