"""The node on real topics, in one process with a stand-in for its neighbours."""

import math
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from hexapod_motion.geometry import Geometry
from hexapod_motion.joint_effort import load_joint_effort
from hexapod_motion.joint_effort_node import JointEffortNode
from stride_base.errors import RefusedError
from stride_base.stride_node import LOOP_QOS

DEADLINE = 30.0


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(args=[], context=context, domain_id=1 + (os.getpid() + 25) % 100)
    yield context
    context.try_shutdown()


class Neighbours:
    """Motion engine and inverse model of one node."""

    def __init__(self, context: Context, robot: Path) -> None:
        overrides = [Parameter("robot", value=str(robot))]
        # Of its own, so that nothing is heard of a test before.
        space = f"/effort_{uuid.uuid4().hex}"
        self.node = JointEffortNode(context=context, namespace=space, parameter_overrides=overrides)
        own = Node("neighbours", context=context, namespace=space)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.executor.add_node(own)
        self.frames: list[JointState] = []
        self.wanted = own.create_publisher(JointState, "joints_wanted", LOOP_QOS)
        self.fixed = own.create_subscription(
            JointState, "joints_fixed", self.frames.append, LOOP_QOS
        )
        self.spin_until(lambda: own.count_publishers("joints_fixed") > 0)
        self.spin_until(lambda: self.wanted.get_subscription_count() == 1)

    def spin_until(self, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "the event did not come"
            self.executor.spin_once(timeout_sec=0.1)

    def ask(self, message: JointState) -> JointState:
        """Publish a frame and wait for what becomes of it."""
        count = len(self.frames)
        # The first may be lost while the ends still find each other.
        while len(self.frames) == count:
            self.wanted.publish(message)
            self.executor.spin_once(timeout_sec=0.1)
        return self.frames[-1]


def test_a_frame_goes_through_with_efforts_and_all_else_as_it_was(
    context: Context, robot_folder: Path, geometry: Geometry
) -> None:
    wanted = JointState(name=list(geometry.joint_names), position=[0.01 * n for n in range(18)])
    wanted.velocity = [0.5] * 18
    wanted.header.stamp.sec = 7
    frame = Neighbours(context, robot_folder).ask(wanted)
    efforts = load_joint_effort(robot_folder).of(geometry.joint_names, wanted.position)
    assert list(frame.effort) == pytest.approx(efforts)
    assert (frame.header, frame.name) == (wanted.header, wanted.name)
    assert (frame.position, frame.velocity) == (wanted.position, wanted.velocity)


def test_a_frame_without_a_pose_goes_through_without_effort(
    context: Context, robot_folder: Path, geometry: Geometry
) -> None:
    neighbours = Neighbours(context, robot_folder)
    wanted = JointState(name=list(geometry.joint_names), position=[math.nan] + [0.0] * 17)
    assert len(neighbours.ask(wanted).effort) == 0
    assert neighbours.node.refusals.counts["joints_wanted"] >= 1


def test_without_a_robot_it_does_not_start(context: Context) -> None:
    with pytest.raises(RefusedError, match="no robot 'crab'"):
        JointEffortNode(context=context, parameter_overrides=[Parameter("robot", value="crab")])
