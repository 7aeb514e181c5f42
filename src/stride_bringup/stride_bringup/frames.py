"""The robot for RViz: whether to publish what it looks like, and how its frames hang together.

REP-105: `odom` -> `base_link` is what odometry knows, and nothing here is the parent of `odom`, so that
a localisation can be. RViz looks at everything from `odom`, which hence exists in every stack.
"""

from __future__ import annotations

from collections.abc import Callable

from stride_base.errors import RefusedError
from stride_bringup.node_kinds import ODOMETRY
from stride_bringup.robots import Robot
from stride_bringup.stack import Stack, frame_prefix

STATE_PUBLISHER = "robot_state_publisher"
STATIC_PUBLISHER = ("tf2_ros", "static_transform_publisher")
RVIZ = "rviz2"
ODOM, BASE, WORLD = "odom", "base_link", "world"


def publishes_description(choice: str, robot: Robot, is_installed: Callable[[str], bool]) -> bool:
    """Whether robot_state_publisher starts.

    Args:
        choice: ``on``, ``off``, or ``auto``: where it can.
        is_installed: Whether there is a package of a name.

    Raises:
        RefusedError: ``on``, and it cannot.
    """
    has_file = robot.description_file.is_file()
    if choice == "on":
        require(STATE_PUBLISHER, is_installed)
        if not has_file:
            raise RefusedError(f"{robot.folder} has no {robot.description_file.name} to publish")
    return choice != "off" and has_file and is_installed(STATE_PUBLISHER)


def require(package: str, is_installed: Callable[[str], bool]) -> None:
    """Refuse, with the way to get it, if `package` is not installed."""
    if not is_installed(package):
        name = package.replace("_", "-")
        raise RefusedError(
            f"package {package} is not installed: sudo apt install ros-$ROS_DISTRO-{name}"
        )


def joining_transforms(stack: Stack) -> tuple[tuple[str, str], ...]:
    """Frames (parent, child) that nobody measures against each other, and are taken for the same.

    The true pose of a simulated robot is in `world`, where it starts at the origin as in `odom`. A real
    robot without odometry does not get anywhere.
    """
    prefix = frame_prefix(stack.options.namespace)
    if stack.options.sim_socket:
        return ((f"{prefix}{ODOM}", f"{prefix}{WORLD}"),)
    if stack.options.motion not in ODOMETRY:
        return ((f"{prefix}{ODOM}", f"{prefix}{BASE}"),)
    return ()


def rviz_text(template: str, namespace: str) -> str:
    """RViz's configuration for a robot in `namespace`; topics in it are relative."""
    prefix = frame_prefix(namespace)
    # RViz puts a slash behind its prefix, robot_state_publisher does not.
    text = template.replace('TF Prefix: ""', f'TF Prefix: "{prefix.rstrip("/")}"')
    return text.replace(f"Fixed Frame: {ODOM}", f"Fixed Frame: {prefix}{ODOM}")
