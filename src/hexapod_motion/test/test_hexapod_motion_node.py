"""The node on real DDS, in one process with a user of it; waits for events, with a deadline."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Pose, Twist
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, UInt64
from std_srvs.srv import Trigger

from hexapod_motion.cli.sequence import ask
from hexapod_motion.geometry import Geometry
from hexapod_motion.hexapod_motion_node import HexapodMotionNode
from hexapod_motion.motion_types import State
from servo_interfaces.srv import SelectSequence
from stride_base.errors import ConfigError, RefusedError
from stride_base.stride_node import LOOP_QOS

DEADLINE = 30.0
DOMAIN = 1 + (os.getpid() + 50) % 100


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    context = Context()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        rclpy.init(args=[], context=context, domain_id=DOMAIN)
        yield context
        context.try_shutdown()


class User:
    """Plays driver and user of one node."""

    def __init__(self, context: Context, namespace: str, **settings: Any) -> None:
        overrides = [Parameter(name, value=value) for name, value in settings.items()]
        self.node = HexapodMotionNode(
            context=context, namespace=namespace, parameter_overrides=overrides
        )
        self.own = Node("user", context=context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.own)
        self.frames: list[JointState] = []
        self.odom: list[Odometry] = []
        self.status: dict[str, dict[str, str]] = {}
        self.messages: dict[str, str] = {}
        self.number = 0
        own = self.own
        self.steps = own.create_publisher(UInt64, "sync_step", LOOP_QOS)
        self.joints = own.create_publisher(JointState, "joint_states", LOOP_QOS)
        self.cmd_vel = own.create_publisher(Twist, "cmd_vel", LOOP_QOS)
        self.steering = own.create_publisher(Float64, "steering", LOOP_QOS)
        self.body_pose = own.create_publisher(Pose, "body_pose", LOOP_QOS)
        own.create_subscription(JointState, "joints_fixed", self.frames.append, LOOP_QOS)
        own.create_subscription(Odometry, "odom", self.odom.append, LOOP_QOS)
        own.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, LOOP_QOS)
        self.select_client = own.create_client(SelectSequence, "hexapod_motion/select_sequence")
        self.reset_client = own.create_client(Trigger, "hexapod_motion/reset_fault")
        topics = (f"{namespace}/joints_fixed", f"{namespace}/odom", "/diagnostics")
        ends = [p for p in self.node.publishers if p.topic_name in topics]
        assert len(ends) == 3
        ends += [self.steps] if settings.get("clock_source") != "timer" else []
        ends += [self.joints, self.cmd_vel, self.steering, self.body_pose]
        self.spin_until(lambda: all(end.get_subscription_count() for end in ends))
        self.spin_until(self.select_client.service_is_ready)
        self.spin_until(self.reset_client.service_is_ready)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.status |= {s.name: {v.key: v.value for v in s.values} for s in message.status}
        self.messages |= {s.name: s.message for s in message.status}

    def spin_until(self, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "the event did not come"
            self.executor.spin_once(timeout_sec=0.1)

    def step(self, ticks: int = 1) -> JointState:
        """Publish ticks one by one, each when the last one was answered."""
        for _ in range(ticks):
            self.number += 1
            count = len(self.frames)
            self.steps.publish(UInt64(data=self.number))
            self.spin_until(lambda: len(self.frames) > count)  # noqa: B023
        return self.frames[-1]

    def run_core(self, ticks: int) -> None:
        """Step the core directly: what needs no messages needs no waiting for them."""
        for _ in range(ticks):
            self.number += 1
            self.node.motion.step(self.number)

    def call(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self.spin_until(future.done)
        return future.result()

    def select(self, name: str) -> Any:
        return self.call(self.select_client, SelectSequence.Request(name=name))

    def stand(self) -> None:
        self.step()
        assert self.select("UP").accepted
        self.run_core(160)

    def drive(self, x: float, y: float = 0.0, turn: float = 0.0) -> None:
        message = Twist()
        message.linear.x, message.linear.y, message.angular.z = x, y, turn
        self.cmd_vel.publish(message)

    def refused(self, topic: str) -> int:
        return self.node.refusals.counts.get(topic, 0)


@pytest.fixture
def start(
    context: Context, request: pytest.FixtureRequest, robot_folder: Path
) -> Iterator[Callable[..., User]]:
    users: list[User] = []

    def make(suffix: str = "", **settings: Any) -> User:
        namespace = f"/robot_{os.getpid()}_{request.node.name.split('[')[0]}{suffix}"
        settings = {"robot": str(robot_folder), "start": "assumed", **settings}
        users.append(User(context, namespace, **settings))
        return users[-1]

    yield make
    for user in users:
        user.executor.shutdown()
        user.own.destroy_node()
        user.node.destroy_node()


def test_one_sync_step_gives_one_frame_of_eighteen_joints(
    start: Callable[..., User], geometry: Geometry
) -> None:
    user = start()
    frame = user.step()
    assert tuple(frame.name) == geometry.joint_names
    assert len(frame.position) == len(frame.velocity) == 18 and len(frame.effort) == 0
    assert frame.header.stamp.sec > 0
    user.step(4)
    assert len(user.frames) == 5


def test_it_starts_from_the_measured_pose(start: Callable[..., User], geometry: Geometry) -> None:
    user = start(start="auto")
    assert user.node.motion.state is State.WAITING
    user.joints.publish(JointState(name=list(geometry.joint_names), position=[0.1] * 18))
    user.spin_until(lambda: not user.node.motion.measured.missing)
    frame = user.step()
    assert frame.position.tolist() == pytest.approx([0.1] * 18, abs=0.01)


def test_sequences_are_selected_by_service_with_an_answer(start: Callable[..., User]) -> None:
    user = start()
    user.step()
    answer = user.select("DIRECT_MOVEMENT")
    assert not answer.accepted
    assert answer.reason == "DIRECT_MOVEMENT may not follow DOWN; UP, NONE may"
    assert user.select("UP").accepted
    before = user.frames[-1].position
    after = user.step(10).position
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) > 0.05


def test_cmd_vel_walks_when_standing_and_is_refused_on_the_floor(
    start: Callable[..., User],
) -> None:
    user = start()
    user.step()
    user.drive(0.08)
    user.spin_until(lambda: user.refused("cmd_vel") == 1)
    user.stand()
    user.drive(0.08, 0.0, 0.1)
    user.spin_until(lambda: bool(user.node.motion.commands.twist))
    user.run_core(60)
    user.step(3)
    assert user.node.motion.state is State.WALK
    odom = user.odom[-1]
    assert odom.twist.twist.linear.x == pytest.approx(0.08, abs=1e-3)
    assert odom.twist.twist.angular.z == pytest.approx(0.1, abs=1e-3)
    assert odom.header.frame_id == "odom" and odom.child_frame_id == "base_link"
    assert odom.pose.pose.position.z == pytest.approx(0.085, abs=1e-6)
    assert odom.pose.covariance[0] > 0.0
    user.run_core(400)
    assert user.node.motion.walker.resting


def test_frames_of_odometry_begin_with_the_prefix(start: Callable[..., User]) -> None:
    user = start(frame_prefix="left/")
    user.step()
    user.spin_until(lambda: bool(user.odom))
    assert user.odom[-1].header.frame_id == "left/odom"
    assert user.odom[-1].child_frame_id == "left/base_link"


def test_messages_that_are_not_finite_are_refused(start: Callable[..., User]) -> None:
    user = start()
    user.stand()
    user.drive(float("nan"))
    user.spin_until(lambda: user.refused("cmd_vel") == 1)
    user.steering.publish(Float64(data=float("inf")))
    user.spin_until(lambda: user.refused("steering") == 1)
    pose = Pose()
    pose.orientation.w = 0.5
    user.body_pose.publish(pose)
    user.spin_until(lambda: user.refused("body_pose") == 1)
    user.joints.publish(JointState(name=["fl_coxa"], position=[float("nan")]))
    user.spin_until(lambda: user.refused("joint_states") == 1)
    user.step(3)
    assert user.node.motion.state is State.SEQUENCE


def test_the_body_pose_is_in_metres(start: Callable[..., User]) -> None:
    user = start()
    user.stand()
    pose = Pose()
    pose.position.z, pose.orientation.y, pose.orientation.w = 0.01, 0.0399893, 0.9992001
    user.body_pose.publish(pose)
    user.spin_until(lambda: user.node.motion.state is State.WALK)
    user.run_core(500)
    user.step()
    wanted = [0.0, 0.0, 10.0, 0.0, 0.08, 0.0]
    assert user.node.motion.walker.pose == pytest.approx(wanted, abs=1e-4)
    user.spin_until(lambda: len(user.odom) > 0 and user.odom[-1].pose.pose.position.z > 0.09)
    assert user.odom[-1].pose.pose.orientation.y == pytest.approx(0.04, abs=1e-3)


def test_parameters_change_while_it_walks_or_are_refused(start: Callable[..., User]) -> None:
    user = start()
    user.stand()
    good = [Parameter("gait", value="wave"), Parameter("step_height", value=0.02)]
    assert user.node.set_parameters_atomically(good).successful
    assert user.node.motion.walker.settings.gait == "wave"
    assert user.node.motion.walker.settings.step_height == pytest.approx(20.0)
    for name, value, reason in (
        ("gait", "gallop", "there is no gait 'gallop'"),
        ("step_height", 0.15, "steps 150 mm high in 0.40 s are faster than the joints"),
        ("command_timeout", -1.0, "command_timeout"),
        ("rate", 50.0, "read-only"),
    ):
        result = user.node.set_parameters_atomically([Parameter(name, value=value)])
        assert not result.successful and reason in result.reason.replace("read only", "read-only")
    assert user.node.motion.walker.settings.gait == "wave"
    live = [Parameter("command_timeout", value=1.5), Parameter("sequence_speed", value=0.5)]
    assert user.node.set_parameters_atomically(live).successful
    assert user.node.motion.commands.settings.timeout == 1.5
    assert user.node.motion.player.speed == 0.5


def test_diagnostics_name_state_sequence_iteration_and_missed_frames(
    start: Callable[..., User],
) -> None:
    user = start()
    user.stand()
    user.select("ROTATE_LEFT")
    user.run_core(60)
    user.number += 3
    user.step()
    name = user.node.get_fully_qualified_name()
    user.node.publish_diagnostics()
    user.spin_until(lambda: user.status.get(name, {}).get("missed frames") == "3")
    status = user.status[name]
    assert (status["state"], status["sequence"], status["iteration"]) == (
        "sequence",
        "ROTATE_LEFT",
        "1",
    )
    assert float(status["stability margin (mm)"]) > 50.0
    assert user.messages[name] == "ROTATE_LEFT, main; 3 frames were missed"
    user.node.publish_diagnostics()
    user.spin_until(lambda: "no tick since the last report" in user.messages[name])
    assert "callback median (us)" in user.status[f"{name}: frames"]


def test_pages_are_told_at_once_what_may_be_asked_for(start: Callable[..., User]) -> None:
    user = start()
    user.step()
    name = user.node.get_fully_qualified_name()
    user.spin_until(lambda: user.status.get(f"{name}: sequences", {}).get("UP") == "ready")
    sequences, commands = user.status[f"{name}: sequences"], user.status[f"{name}: commands"]
    assert list(sequences) == list(user.node.motion.allowed())
    assert user.select("WAVE").reason == sequences["WAVE"]
    assert commands["cmd_vel"] == "the robot lies on the floor; ask for the sequence UP first"
    assert user.status[f"{name}: gaits"]["tripod"] == "in use"
    assert user.node.set_parameters([Parameter("gait", value="wave")])[0].successful
    user.spin_until(lambda: user.status[f"{name}: gaits"]["wave"] == "in use")
    user.stand()
    user.step()
    user.spin_until(lambda: user.status[f"{name}: commands"]["cmd_vel"] == "ready")
    assert user.status[f"{name}: commands"]["body_pose"] == "ready"
    assert user.status[f"{name}: sequences"]["WAVE"] == "ready"


def test_reset_fault_without_a_fault_says_so(start: Callable[..., User]) -> None:
    user = start()
    answer = user.call(user.reset_client, Trigger.Request())
    assert (answer.success, answer.message) == (False, "there is no fault")


def test_two_robots_in_namespaces_do_not_hear_each_other(start: Callable[..., User]) -> None:
    one, two = start("_one"), start("_two")
    one.stand()
    two.step()
    assert one.node.motion.posture is not two.node.motion.posture
    one.drive(0.05)
    one.spin_until(lambda: bool(one.node.motion.commands.twist))
    two.step(3)
    assert not two.node.motion.commands.twist and two.refused("cmd_vel") == 0


def test_a_timer_can_be_the_clock(start: Callable[..., User]) -> None:
    user = start(clock_source="timer", start="auto", rate=100.0, publish_odom=True)
    user.spin_until(lambda: len(user.frames) >= 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gait": "gallop"}, "'gait' is 'gallop'; expected one of tripod, ripple, wave, amble"),
        ({"rate": 0.0}, "'rate' is 0.0; expected a number from 1 to 1000"),
        ({"robot": "/nowhere/at/all"}, "the robot's folder /nowhere/at/all does not exist"),
        ({"clock_source": "moon"}, "'clock_source' is 'moon'; expected one of sync_step, timer"),
    ],
)
def test_bad_parameters_keep_the_node_from_starting(
    context: Context, robot_folder: Path, settings: dict[str, Any], message: str
) -> None:
    values = {"robot": str(robot_folder), **settings}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    with pytest.raises((ConfigError, RefusedError), match=message):
        HexapodMotionNode(context=context, parameter_overrides=overrides)


def test_the_program_ends_with_one_sentence_on_a_bad_robot() -> None:
    program = "from hexapod_motion.hexapod_motion_node import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "--ros-args", "-p", "robot:=/nowhere/at/all"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
    )
    assert ended.returncode == 1
    assert ended.stderr == "the robot's folder /nowhere/at/all does not exist\n"


def test_the_command_says_that_no_hexapod_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    with pytest.raises(RefusedError, match="nobody answers to /nobody/hexapod_motion/select_seq"):
        ask("UP", "nobody", 0.2)
