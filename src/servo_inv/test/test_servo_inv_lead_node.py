"""The node `servo_inv_lead` on real DDS."""

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from node_user import DOMAIN, User, local_context
from rclpy.context import Context
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from servo_inv.servo_inv_lead_node import ServoInvLeadNode
from stride_base.errors import ConfigError


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with local_context() as context:
        yield context


@pytest.fixture
def start(context: Context, request: pytest.FixtureRequest) -> Iterator[Callable[..., User]]:
    users: list[User] = []

    def make(**settings: object) -> User:
        namespace = f"/robot_{os.getpid()}_{request.node.name.split('[')[0]}"
        users.append(User(ServoInvLeadNode, context, namespace, settings))
        return users[-1]

    yield make
    for user in users:
        user.close()


def test_one_joints_fixed_gives_one_goals_with_its_stamp(start: Callable[..., User]) -> None:
    user = start(period=0.02, lead=0.03)
    message = JointState(name=["a", "b"], position=[0.5, -0.5])
    message.header.stamp.sec, message.header.stamp.nanosec = 12, 34
    user.joints.publish(message)
    user.spin_until(lambda: len(user.goals) > 0)
    goals = user.goals[0]
    assert (goals.header.stamp.sec, goals.header.stamp.nanosec) == (12, 34)
    assert goals.name == ["a", "b"]
    assert goals.position.tolist() == [0.5, -0.5]
    assert goals.duration.tolist() == pytest.approx([0.05, 0.05])
    assert all(math.isnan(value) for value in goals.velocity)
    user.answer([0.5, -0.5])
    assert len(user.goals) == 2


def test_a_message_without_stamp_is_answered_with_the_present_time(
    start: Callable[..., User],
) -> None:
    user = start()
    before = user.own.get_clock().now().nanoseconds
    stamp = user.answer([0.1]).header.stamp
    assert before <= stamp.sec * 10**9 + stamp.nanosec <= user.own.get_clock().now().nanoseconds


def test_ticks_mark_the_cycles_and_publish_nothing(start: Callable[..., User]) -> None:
    user = start(period=0.02, lead=0.03)
    user.step(1)
    user.answer([0.10])
    user.step(2)
    assert user.answer([0.12]).position[0] == pytest.approx(0.15, abs=1e-12)
    assert user.answer([0.14]).position[0] == pytest.approx(0.20, abs=1e-12)
    user.step(4)
    assert user.answer([0.18]).position[0] == pytest.approx(0.21, abs=1e-12)
    assert len(user.goals) == 4


def test_bad_messages_publish_nothing_are_counted_and_change_nothing(
    start: Callable[..., User],
) -> None:
    user = start(period=0.02, lead=0.02)
    user.answer([0.1, 0.1])
    user.publish([0.2, math.nan])
    user.publish([0.2, math.inf])
    user.publish([0.2, 0.2], effort=[math.nan, 0.0])
    user.publish([0.2, 0.2], velocity=[0.0])
    user.joints.publish(JointState(name=["a", "a"], position=[0.2, 0.2]))
    goals = user.answer([0.2, 0.1])
    assert goals.position.tolist() == pytest.approx([0.3, 0.1], abs=1e-12)
    assert len(user.goals) == 2
    user.wait_for_status("input", "joints_fixed", "5")
    user.wait_for_status("", "messages", "2")


def test_wheels_and_other_joints_go_through_the_same_message(start: Callable[..., User]) -> None:
    user = start(period=0.02, lead=0.02)
    user.answer([0.1, math.nan], velocity=[0.0, 2.0])
    goals = user.answer([0.2, math.nan], velocity=[0.0, 3.0])
    assert goals.position.tolist() == pytest.approx([0.3, math.nan], nan_ok=True)
    assert goals.velocity.tolist() == pytest.approx([math.nan, 3.0], nan_ok=True)
    goals = user.answer([0.2])
    assert goals.name == ["a"] and goals.position.tolist() == [0.2]
    assert len(goals.duration) == len(goals.velocity) == 1
    user.wait_for_status("", "joint_changes", "1")


def test_period_and_lead_change_while_running_or_are_refused(start: Callable[..., User]) -> None:
    user = start(period=0.02, lead=0.0)
    assert user.answer([0.1]).duration[0] == pytest.approx(0.02)
    good = [Parameter("period", value=0.04), Parameter("lead", value=0.02)]
    assert user.node.set_parameters_atomically(good).successful
    for name, value in (("period", 0.0), ("lead", -0.1), ("lead", math.nan), ("period", "fast")):
        bad = [Parameter("lead" if name == "period" else "period", value=1.0)]
        result = user.node.set_parameters_atomically([*bad, Parameter(name, value=value)])
        assert not result.successful and f"'{name}'" in result.reason
    goals = user.answer([0.2])
    assert goals.position[0] == pytest.approx(0.2 + 0.1 * 0.5, abs=1e-12)
    assert goals.duration[0] == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("name", "value"),
    [("period", 0.0), ("period", -0.02), ("period", math.nan), ("lead", -0.01), ("lead", "soon")],
)
def test_bad_parameters_keep_the_node_from_starting(
    context: Context, name: str, value: object
) -> None:
    with pytest.raises(ConfigError, match=f"servo_inv_lead: '{name}' is .*; expected a number"):
        ServoInvLeadNode(context=context, parameter_overrides=[Parameter(name, value=value)])


def test_the_program_ends_with_one_sentence_on_a_bad_parameter() -> None:
    program = "from servo_inv.servo_inv_lead_node import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "--ros-args", "-p", "period:=0.0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
    )
    assert ended.returncode == 1
    assert ended.stderr == (
        "servo_inv_lead: 'period' is 0.0; expected a number greater than 0 (control period, s)\n"
    )
