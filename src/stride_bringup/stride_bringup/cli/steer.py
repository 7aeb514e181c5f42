"""`stride steer`: one steering command to a running robot."""

from __future__ import annotations

import math
import time

import click

from stride_base.click_types import TIME
from stride_base.errors import ConfigError, RefusedError, StrideError
from stride_base.progress_display import Display, quiet_option

#: Matching of publisher and subscriptions is looked at this often, s.
POLL_PERIOD = 0.05
#: Everybody who listens is known when nobody new was found for so long, s. A recorder or a viewer is
#: discovered a little before or after the robot.
SETTLING = 0.25


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("value", type=str)
@click.option("--namespace", default="", help="Namespace of the robot.")
@click.option(
    "--timeout", type=TIME, default=5.0, show_default=True, help="How long to wait for it, s."
)
@quiet_option
def steer(value: str, namespace: str, timeout: float, quiet: bool) -> None:
    """Steer: VALUE from -1 to 1, 0 is straight on."""
    command = steering_value(value)
    with Display(quiet) as progress:
        progress("waiting for the robot")
        publish_steering(command, namespace, timeout)
    click.echo(f"steering {command:g}")


def steering_value(text: str) -> float:
    """A steering command; ConfigError unless it is a number from -1 to 1."""
    try:
        command = float(text)
    except ValueError:
        command = math.nan
    if not -1.0 <= command <= 1.0:
        raise ConfigError("steer", "", "VALUE", text, "a number from -1 to 1")
    return command


def publish_steering(command: float, namespace: str, timeout: float) -> None:
    """Publish once, and only when everybody who listens can hear it.

    Raises:
        RefusedError: nobody listens within `timeout` s.
        StrideError: it was sent, but not taken.
    """
    import rclpy
    from rclpy.duration import Duration
    from rclpy.qos import QoSProfile
    from std_msgs.msg import Float64

    from stride_base.domain import check_domain
    from stride_bringup.stack_options import canonical_namespace

    space = canonical_namespace(namespace)
    check_domain()
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node("stride_steer", context=context, namespace=space)
        # With a history of one, the middleware asks at once who has it, and not seconds later.
        publisher = node.create_publisher(Float64, "steering", QoSProfile(depth=1))
        end = time.monotonic() + timeout
        matched, since = 0, time.monotonic()
        while True:
            now = time.monotonic()
            count = publisher.get_subscription_count()
            if count != matched:
                matched, since = count, now
            # Of several who listen, one may be matched later than another.
            known = len(node.get_subscriptions_info_by_topic("steering"))
            if 1 <= known <= matched and now - since >= SETTLING:
                break
            if now >= end:
                raise RefusedError(f"nobody listens to {space}/steering: is the robot up?")
            time.sleep(POLL_PERIOD)
        publisher.publish(Float64(data=command))
        if not publisher.wait_for_all_acked(Duration(seconds=timeout)):
            raise StrideError(f"steering was sent to {space}/steering, but nobody confirmed it")
        node.destroy_node()
    finally:
        context.try_shutdown()
