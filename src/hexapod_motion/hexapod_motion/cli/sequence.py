"""`stride sequence`: ask a running hexapod for a sequence."""

from __future__ import annotations

import time

import click

from stride_base.click_types import TIME
from stride_base.errors import RefusedError
from stride_base.progress_display import Display, quiet_option

#: The answer is looked for this often, s.
POLL_PERIOD = 0.05


@click.command()
@click.argument("name")
@click.option("--namespace", default="", help="Namespace of the robot.")
@click.option(
    "--timeout", type=TIME, default=5.0, show_default=True, help="How long to wait for it, s."
)
@quiet_option
def sequence(name: str, namespace: str, timeout: float, quiet: bool) -> None:
    """Ask for the sequence NAME; NONE stops. Exit code 1 and the reason if it is refused."""
    with Display(quiet) as progress:
        progress("waiting for the robot")
        answer = ask(name, namespace, timeout)
    click.echo(answer)


def ask(name: str, namespace: str, timeout: float) -> str:
    """Call select_sequence; what will happen.

    Raises:
        RefusedError: the request is refused, or nobody answers within `timeout` s.
    """
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor

    from servo_interfaces.srv import SelectSequence
    from stride_base.domain import check_domain

    service = "hexapod_motion/select_sequence"
    space = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
    check_domain()
    context = Context()
    rclpy.init(args=[], context=context)
    try:
        node = rclpy.create_node("stride_sequence", namespace=space, context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        client = node.create_client(SelectSequence, service)
        if not client.wait_for_service(timeout):
            raise RefusedError(
                f"nobody answers to {space}/{service}: is the robot up, with --motion hexapod?"
            )
        future = client.call_async(SelectSequence.Request(name=name))
        end = time.monotonic() + timeout
        while not future.done() and time.monotonic() < end:
            executor.spin_once(timeout_sec=POLL_PERIOD)
        response = future.result() if future.done() else None
        executor.shutdown()
        node.destroy_node()
    finally:
        context.try_shutdown()
    if response is None:
        raise RefusedError(f"{space}/{service} did not answer within {timeout:g} s")
    if not response.accepted:
        raise RefusedError(f"{name} is refused: {response.reason}")
    return str(response.reason)
