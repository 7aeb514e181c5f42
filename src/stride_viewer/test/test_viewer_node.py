"""The node on real DDS, beside a stand-in for the robot's nodes; waits for events, with a deadline."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Pose, Twist
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Float64, String
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoStates
from servo_interfaces.srv import SelectSequence
from stride_base.ending import Ending
from stride_base.running import running
from stride_base.stride_node import LOOP_QOS
from stride_viewer.answer import Answer
from stride_viewer.pilot import Velocity
from stride_viewer.viewer_node import LATCHED, ViewerNode

DEADLINE = 30.0
NAMESPACE = "/left"


class Stack(Node):
    """Topics and services of a driver and of hexapod_motion."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("hexapod_motion", **node_arguments)
        self.heard: dict[str, list[Any]] = {}
        for topic, kind in (("steering", Float64), ("cmd_vel", Twist), ("body_pose", Pose)):
            self.heard[topic] = []
            self.create_subscription(kind, topic, self.heard[topic].append, LOOP_QOS)
        self.joints = self.create_publisher(JointState, "joint_states", LOOP_QOS)
        self.states = self.create_publisher(ServoStates, "servo_states", LOOP_QOS)
        self.battery = self.create_publisher(BatteryState, "battery_state", LOOP_QOS)
        self.description = self.create_publisher(String, "robot_description", LATCHED)
        self.description.publish(String(data="<robot/>"))
        self.torque = True
        self.stop = self.create_service(Trigger, "sts3215_driver/stop", self._on_stop)
        self.create_service(SetBool, "sts3215_driver/set_torque", self._on_torque)
        self.create_service(SelectSequence, "hexapod_motion/select_sequence", self._on_sequence)
        self.declare_parameter("gait", "tripod")
        self.add_on_set_parameters_callback(self._on_parameters)

    def close(self) -> None:
        """Nothing to undo."""

    def _on_stop(self, _request: Any, response: Any) -> Any:
        self.torque = False
        response.success, response.message = True, "torque is off"
        return response

    def _on_torque(self, request: Any, response: Any) -> Any:
        self.torque = request.data
        response.success, response.message = True, "torque is on"
        return response

    def _on_sequence(self, request: Any, response: Any) -> Any:
        response.accepted, response.reason = request.name == "UP", f"asked for {request.name}"
        return response

    def _on_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        known = all(parameter.value in ("tripod", "wave") for parameter in parameters)
        return SetParametersResult(successful=known, reason="" if known else "no such gait")


@pytest.fixture(scope="module")
def nodes() -> Iterator[tuple[Stack, ViewerNode]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(1 + (os.getpid() + 30) % 100))
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        with running([Stack, ViewerNode], Ending(), namespace=NAMESPACE) as (stack, viewer):
            yield stack, viewer


def wait_for(condition: Callable[[], Any], what: str, again: Callable[[], Any] = bool) -> Any:
    """The first true value of `condition`; calls `again` before each look."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        again()
        if value := condition():
            return value
        asyncio.run(asyncio.sleep(0.02))
    raise AssertionError(f"waited in vain for {what}")


def ask(request: Callable[[], Coroutine[Any, Any, Answer]], accepted: bool = True) -> Answer:
    """Ask until the services are known; refusals that are the robot's own count at once."""
    answers: list[Answer] = []

    def again() -> None:
        answers.append(asyncio.run(request()))

    wait_for(lambda: not answers[-1].message.startswith("nobody offers"), "a service", again)
    assert answers[-1].accepted is accepted
    return answers[-1]


def test_only_the_newest_messages_are_taken_when_asked_for(nodes: Any) -> None:
    stack, viewer = nodes
    steps = iter(range(10_000))

    def publish() -> None:
        for _ in range(3):
            stack.joints.publish(JointState(name=["hip"], position=[float(next(steps))]))
        viewer.poll(viewer.time())

    wait_for(lambda: viewer.telemetry.measured, "a joint", publish)
    assert viewer.telemetry.heard["joint_states"] <= viewer.time()
    before = viewer.telemetry.measured["hip"]
    asyncio.run(asyncio.sleep(0.1))
    assert viewer.telemetry.measured["hip"] == before, "nobody polled"


def test_a_description_that_was_published_before_is_found(nodes: Any) -> None:
    _stack, viewer = nodes
    wait_for(
        lambda: viewer.telemetry.urdf == "<robot/>",
        "the description",
        lambda: viewer.poll(viewer.time()),
    )


def test_diagnostics_of_the_robot_in_the_namespace_are_heard_and_not_its_own(nodes: Any) -> None:
    _stack, viewer = nodes
    viewer.publish_diagnostics()
    viewer.poll(viewer.time())
    assert ("stride_viewer", "") not in viewer.telemetry.parts


def test_commands_reach_the_robot(nodes: Any) -> None:
    stack, viewer = nodes
    wait_for(lambda: stack.heard["steering"], "steering", lambda: viewer.steer(0.5))
    wait_for(
        lambda: stack.heard["cmd_vel"], "cmd_vel", lambda: viewer.drive(Velocity(0.1, 0.2, 0.3))
    )
    wait_for(
        lambda: stack.heard["body_pose"],
        "body_pose",
        lambda: viewer.hold_body((0.0, 0.0, 0.02), (0.0, 0.0, 0.2)),
    )
    assert stack.heard["steering"][-1].data == 0.5
    velocity = stack.heard["cmd_vel"][-1]
    assert (velocity.linear.x, velocity.linear.y, velocity.angular.z) == (0.1, 0.2, 0.3)
    pose = stack.heard["body_pose"][-1]
    assert pose.position.z == 0.02
    assert pose.orientation.z == pytest.approx(0.0998334)


def test_stop_asks_the_driver_and_says_what_it_said(nodes: Any) -> None:
    stack, viewer = nodes
    stack.heard["cmd_vel"].clear()
    assert ask(viewer.stop) == Answer(True, "torque is off")
    assert stack.torque is False
    wait_for(lambda: stack.heard["cmd_vel"], "a zero velocity")
    assert stack.heard["cmd_vel"][-1] == Twist()
    assert ask(lambda: viewer.set_torque(True)) == Answer(True, "torque is on")
    assert stack.torque is True


def test_sequences_and_gaits_are_asked_for_and_reasons_come_back(nodes: Any) -> None:
    _stack, viewer = nodes
    assert ask(lambda: viewer.select_sequence("UP")).message == "asked for UP"
    assert ask(lambda: viewer.select_sequence("DANCE"), False).message == "asked for DANCE"
    assert ask(lambda: viewer.set_gait("wave")).message == "gait wave"
    assert ask(lambda: viewer.set_gait("gallop"), False).message == "no such gait"


def test_a_service_that_nobody_offers_is_named(nodes: Any) -> None:
    _stack, viewer = nodes
    answer = asyncio.run(viewer.reset_fault())
    assert answer == Answer(False, f"nobody offers {NAMESPACE}/hexapod_motion/reset_fault")
