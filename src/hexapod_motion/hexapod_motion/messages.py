"""Messages that need more than copying: metres and quaternions to millimetres and angles, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_pose import roll_pitch_yaw
from hexapod_motion.odometry import (
    HEIGHT_SIGMA,
    SPEED_SIGMA,
    TILT_SIGMA,
    TURN_SIGMA,
    Odometry,
)
from stride_base.errors import RefusedError

#: Quaternions may be this far from length 1.
_UNIT = 0.01


def pose_of(message: Any) -> FloatArray:
    """(6,) body pose, mm and rad, of a geometry_msgs/Pose against the standing body.

    Raises:
        RefusedError: it is not finite, or its orientation is no unit quaternion.
    """
    place = message.position
    position = np.array([place.x, place.y, place.z])
    if not np.isfinite(position).all():
        raise RefusedError(f"its position is not finite: {position.tolist()}")
    return np.concatenate([1000.0 * position, _angles(message.orientation)])


def tilt_of(message: Any) -> tuple[float, float]:
    """Roll and pitch, rad, of a sensor_msgs/Imu.

    Raises:
        RefusedError: it has no orientation, or one that is no unit quaternion.
    """
    if message.orientation_covariance[0] == -1.0:
        raise RefusedError("it has no orientation")
    roll, pitch, _yaw = _angles(message.orientation)
    return roll, pitch


def _angles(orientation: Any) -> tuple[float, float, float]:
    x, y, z, w = orientation.x, orientation.y, orientation.z, orientation.w
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not abs(length - 1.0) <= _UNIT:
        raise RefusedError(f"its orientation is no unit quaternion: ({x}, {y}, {z}, {w})")
    return roll_pitch_yaw(x / length, y / length, z / length, w / length)


def fill_odometry(message: Any, odometry: Odometry, roll: float, pitch: float) -> None:
    """Write an estimate into a nav_msgs/Odometry."""
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    position.x, position.y, position.z = odometry.x, odometry.y, odometry.z
    sr, cr = math.sin(roll / 2.0), math.cos(roll / 2.0)
    sp, cp = math.sin(pitch / 2.0), math.cos(pitch / 2.0)
    sy, cy = math.sin(odometry.yaw / 2.0), math.cos(odometry.yaw / 2.0)
    orientation.x = sr * cp * cy - cr * sp * sy
    orientation.y = cr * sp * cy + sr * cp * sy
    orientation.z = cr * cp * sy - sr * sp * cy
    orientation.w = cr * cp * cy + sr * sp * sy
    pose, twist = message.pose.covariance, message.twist.covariance
    pose[0] = pose[7] = odometry.xy_variance
    pose[14] = HEIGHT_SIGMA**2
    pose[21] = pose[28] = TILT_SIGMA**2
    pose[35] = odometry.yaw_variance
    message.twist.twist.linear.x = odometry.forward
    message.twist.twist.linear.y = odometry.left
    message.twist.twist.angular.z = odometry.turn
    twist[0] = twist[7] = SPEED_SIGMA**2
    twist[14] = twist[21] = twist[28] = SPEED_SIGMA**2
    twist[35] = TURN_SIGMA**2
