"""A robot's pose as a frame on `/tf`, for RViz, Nav2 and all who follow tf2."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TransformStamped

TOPIC, DEPTH = "/tf", 100


class TransformBroadcaster:
    """Broadcasts the frame of an Odometry message while somebody listens.

    The messages of tf2 come with an installed ROS 2, not with the wheels: without them nobody can
    listen, and nothing is sent.

    Args:
        node: Whose publisher it is.
        message_class: tf2_msgs/TFMessage; None where it is not installed.
    """

    def __init__(self, node: Any, message_class: Any) -> None:
        self._class = message_class
        self._publisher = (
            node.create_publisher(message_class, TOPIC, DEPTH) if message_class else None
        )

    def send(self, odometry: Any) -> None:
        """Send pose, time and frames of a nav_msgs/Odometry."""
        if self._publisher is not None and self._publisher.get_subscription_count():
            self._publisher.publish(self._class(transforms=[transform_of(odometry)]))


def tf_message_class() -> Any:
    """tf2_msgs/TFMessage; None where it is not installed."""
    try:
        from tf2_msgs.msg import TFMessage
    except ImportError:
        return None
    return TFMessage


def transform_of(odometry: Any) -> TransformStamped:
    """The transform from a nav_msgs/Odometry's frame to its child."""
    pose = odometry.pose.pose
    message = TransformStamped(header=odometry.header, child_frame_id=odometry.child_frame_id)
    translation = message.transform.translation
    translation.x, translation.y, translation.z = pose.position.x, pose.position.y, pose.position.z
    message.transform.rotation = pose.orientation
    return message
