"""Diagnostics of a node: once a second, and at once where there is news."""

import os
import time
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from stride_base.diagnostics import Level, Report
from stride_base.stride_node import StrideNode

DEADLINE = 20.0


class Teller(StrideNode):
    """Counts how often it was asked for news."""

    def __init__(self, context: Context) -> None:
        super().__init__("teller", (), context=context, use_global_arguments=False)
        self.told = 0

    def news(self) -> list[Report]:
        self.told += 1
        return [Report("", Level.OK, "news")]


@pytest.fixture
def context() -> Iterator[Context]:
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(args=[], context=context, domain_id=1 + os.getpid() % 100)
    yield context
    context.try_shutdown()


def test_news_are_told_at_once_and_what_comes_right_behind_them_together_a_little_later(
    context: Context,
) -> None:
    node = Teller(context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    for _ in range(50):
        node.tell_soon()
    assert node.told == 1
    end = time.monotonic() + DEADLINE
    while node.told < 2:
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.1)
    executor.spin_once(timeout_sec=0.0)
    assert node.told == 2
    executor.shutdown()
    node.destroy_node()
