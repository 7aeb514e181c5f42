"""A user of an inverse node, in one process with it on real DDS; waits for events, with a deadline."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_msgs.msg import UInt64

from servo_interfaces.msg import ServoGoal
from servo_inv.inverse_servo_node import InverseServoNode
from stride_base.stride_node import LOOP_QOS

DEADLINE = 30.0
DOMAIN = 1 + os.getpid() % 100


@contextmanager
def local_context() -> Iterator[Context]:
    """A ROS context of the test's own, on this machine only."""
    context = Context()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        rclpy.init(args=[], context=context, domain_id=DOMAIN)
        yield context
        context.try_shutdown()


class User:
    """Publishes to the node and keeps what it answers."""

    def __init__(
        self,
        make_node: Callable[..., InverseServoNode],
        context: Context,
        namespace: str,
        settings: Mapping[str, object],
    ) -> None:
        overrides = [Parameter(name, value=value) for name, value in settings.items()]
        self.node = make_node(context=context, namespace=namespace, parameter_overrides=overrides)
        self.own = Node("user", context=context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.own)
        self.goals: list[ServoGoal] = []
        self.status: dict[str, dict[str, str]] = {}
        self.joints = self.own.create_publisher(JointState, "joints_fixed", LOOP_QOS)
        self.steps = self.own.create_publisher(UInt64, "sync_step", LOOP_QOS)
        self.own.create_subscription(ServoGoal, "goals", self.goals.append, LOOP_QOS)
        self.own.create_subscription(
            DiagnosticArray, "/diagnostics", self._on_diagnostics, LOOP_QOS
        )
        wanted = (f"{namespace}/goals", "/diagnostics")
        outputs = [p for p in self.node.publishers if p.topic_name in wanted]
        assert len(outputs) == 2
        self.wait_for_readers(self.joints, self.steps, *outputs)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.status |= {s.name: {v.key: v.value for v in s.values} for s in message.status}

    def spin_until(self, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "the event did not come"
            self.executor.spin_once(timeout_sec=0.1)

    def wait_for_readers(self, *publishers: Publisher) -> None:
        self.spin_until(lambda: all(end.get_subscription_count() for end in publishers))

    def close(self) -> None:
        self.executor.shutdown()
        self.own.destroy_node()
        self.node.destroy_node()

    def step(self, number: int) -> None:
        """Publish a tick, and wait until the node has it: two topics have no order."""
        ticks = self.ticks()
        self.steps.publish(UInt64(data=number))
        self.spin_until(lambda: self.ticks() == ticks + 1)

    def publish(self, position: list[float], **fields: list[float]) -> JointState:
        message = JointState(name=["a", "b"][: len(position)], position=position, **fields)
        self.joints.publish(message)
        return message

    def answer(self, position: list[float], **fields: list[float]) -> ServoGoal:
        count = len(self.goals)
        self.publish(position, **fields)
        self.spin_until(lambda: len(self.goals) > count)
        return self.goals[-1]

    def ticks(self) -> int:
        return int(str(self.node.reports()[0].values["ticks"]))

    def wait_for_status(self, part: str, key: str, value: str) -> None:
        """Until `/diagnostics` shows it of the node, or of a part of it."""
        name = self.node.get_fully_qualified_name() + (f": {part}" if part else "")
        self.node.publish_diagnostics()
        self.spin_until(lambda: self.status.get(name, {}).get(key) == value)
