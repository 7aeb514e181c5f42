"""`stride walk`: a velocity for a running hexapod, until it has walked long enough or Ctrl-C."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import click

from stride_base.click_types import FINITE, TIME
from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent
from stride_base.progress_display import Display, quiet_option

#: A command is sent this often, s; well below the node's command_timeout.
PERIOD = 0.1
#: A report that is older may be of the time before the first command, s.
GRACE = 0.3


@click.command()
@click.option("--vx", type=FINITE, default=0.0, help="Forward, m/s.")
@click.option("--vy", type=FINITE, default=0.0, help="To the left, m/s.")
@click.option("--yaw", type=FINITE, default=0.0, help="Turn to the left, rad/s.")
@click.option("--duration", type=TIME, default=0.0, help="How long, s; 0 for until Ctrl-C.")
@click.option("--namespace", default="", help="Namespace of the robot.")
@click.option(
    "--timeout", type=TIME, default=5.0, show_default=True, help="How long to wait for it, s."
)
@quiet_option
def walk(
    vx: float,
    vy: float,
    yaw: float,
    duration: float,
    namespace: str,
    timeout: float,
    quiet: bool,
) -> None:
    """Walk; the robot must stand (`stride sequence UP`). It stops when this command ends."""
    with Display(quiet) as progress:
        seconds = duration if duration > 0.0 else math.inf
        drive((vx, vy, yaw), seconds, namespace, timeout, progress)
    click.echo("stopped")


def drive(
    velocity: tuple[float, float, float],
    duration: float,
    namespace: str,
    timeout: float,
    progress: Progress = silent,
) -> None:
    """Send a velocity for `duration` s, then zeros, also after Ctrl-C.

    Args:
        velocity: Forward and left, m/s, and turn, rad/s.
        duration: How long, s.
        namespace: Of the robot; empty for none.
        timeout: How long to wait for somebody who listens, s.
        progress: Is told of the walk, in s.

    Raises:
        RefusedError: nobody listens, or the robot does not walk.
    """
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import Twist
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor

    from stride_base.domain import check_domain
    from stride_base.stride_node import LOOP_QOS

    space = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
    # A context of its own has no signal handlers: Ctrl-C leaves it whole, for the last message.
    check_domain()
    context = Context()
    rclpy.init(args=[], context=context)
    try:
        node = rclpy.create_node("stride_walk", namespace=space, context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        publisher = node.create_publisher(Twist, "cmd_vel", LOOP_QOS)
        end = time.monotonic() + timeout
        progress("waiting for the robot")
        while not publisher.get_subscription_count():
            if time.monotonic() >= end:
                raise RefusedError(
                    f"nobody listens to {space}/cmd_vel: is the robot up, with --motion hexapod?"
                )
            time.sleep(PERIOD)
        heard: list[Any] = []
        node.create_subscription(DiagnosticArray, "/diagnostics", heard.append, 10)
        message, begin = Twist(), time.monotonic()
        message.linear.x, message.linear.y, message.angular.z = velocity
        with contextlib.suppress(KeyboardInterrupt):
            whole = duration if math.isfinite(duration) else None
            while (walked := time.monotonic() - begin) < duration:
                progress("walking", walked, whole)
                publisher.publish(message)
                time.sleep(PERIOD)
                heard.clear()
                executor.spin_once(timeout_sec=0.0)
                why = why_not_walking(heard, f"{space}/hexapod_motion")
                if why and any(velocity) and time.monotonic() - begin > GRACE:
                    raise RefusedError(f"the robot does not walk: {why}; does it stand?")
        publisher.publish(Twist())
        time.sleep(PERIOD)
        executor.shutdown()
        node.destroy_node()
    finally:
        context.try_shutdown()


def why_not_walking(heard: list[Any], node: str) -> str:
    """What `node` says it does instead of walking; empty if it walks or said nothing.

    Args:
        heard: diagnostic_msgs/DiagnosticArray, oldest first.
        node: Full name of the motion engine.
    """
    for message in heard:
        for status in message.status:
            state = {item.key: item.value for item in status.values}.get("state")
            if status.name == node and state != "walk":
                return str(status.message)
    return ""
