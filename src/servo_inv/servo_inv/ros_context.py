"""ROS for the time of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.context import Context

from servo_inv.model_client import ModelClient
from stride_base.domain import check_domain


@contextmanager
def ros_context() -> Iterator[Context]:
    """A ROS context of the command's own."""
    check_domain()
    context = Context()
    rclpy.init(args=[], context=context)
    try:
        yield context
    finally:
        context.try_shutdown()


@contextmanager
def running_robot(namespace: str, node: str) -> Iterator[ModelClient]:
    """A client of the inverse model node `node`."""
    with ros_context() as context, ModelClient(context, namespace, node) as client:
        yield client
