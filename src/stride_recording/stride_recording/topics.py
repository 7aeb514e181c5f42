"""Which topics a recording holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from stride_base.errors import RefusedError

#: What a robot publishes and takes, in its namespace.
ROBOT_TOPICS = (
    "sync_step",
    "steering",
    "cmd_vel",
    "body_pose",
    "joints_wanted",
    "joints_fixed",
    "goals",
    "joint_states",
    "servo_states",
    "servo_model",
    "battery_state",
    "odom",
    "imu",
    "ground_truth",
    "robot_description",
    "simulated_robot/push",
    "simulated_robot/tilt",
    "simulated_robot/load",
    "sts3215_driver/transition_event",
)
#: What all robots share.
COMMON_TOPICS = ("/diagnostics", "/rosout", "/tf", "/tf_static")


def full_name(topic: str, namespace: str) -> str:
    """`topic` with its namespace; it is absolute already if it begins with a slash.

    Raises:
        RefusedError: it is no topic's name.
    """
    from rclpy.exceptions import InvalidTopicNameException
    from rclpy.validate_full_topic_name import validate_full_topic_name

    full = topic if topic.startswith("/") else f"{namespace}/{topic}"
    try:
        validate_full_topic_name(full)
    except (InvalidTopicNameException, UnicodeEncodeError) as error:
        raise RefusedError(f"{topic!r} is no name of a topic") from error
    return full


def default_topics(namespace: str) -> tuple[str, ...]:
    """Full names of what a robot's recording holds.

    Args:
        namespace: Canonical: empty, or with one slash in front.
    """
    return (*(f"{namespace}/{topic}" for topic in ROBOT_TOPICS), *COMMON_TOPICS)


def hidden(topic: str) -> bool:
    """Whether a topic is ROS 2's own, e.g. of an action: a part of its name begins with ``_``."""
    return any(part.startswith("_") for part in topic.split("/"))


def to_record(
    present: Iterable[tuple[str, Collection[str]]], wanted: Collection[str] | None
) -> dict[str, str]:
    """Type of each topic that is there and wanted; the first by name where publishers disagree.

    Args:
        present: Topics of the ROS graph with their types.
        wanted: Full names; None for all that are not hidden.
    """
    return {
        topic: min(types)
        for topic, types in present
        if types and (not hidden(topic) if wanted is None else topic in wanted)
    }
