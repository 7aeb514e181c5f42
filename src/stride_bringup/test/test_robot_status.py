"""What a terminal shows of a robot."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from stride_bringup.robot_status import JOINT_COLUMNS, JointStatus, RobotStatus, missing_nodes

BUS = {
    "cycle": "512",
    "wanted rate (Hz)": "50",
    "achieved rate (Hz)": "49.98",
    "missed cycles": "3",
}


@pytest.fixture
def joint() -> JointStatus:
    return JointStatus("s1_roll", 1, 0.1, math.nan, 0.12, -0.251, 11.96, 31.0, 1, 0, 0, 0.004)


def test_the_line_says_cycle_rate_missed_and_steering() -> None:
    robot = RobotStatus("")
    robot.take("/sts3215_driver: bus", 0, "running", BUS)
    robot.take("/gait_controller", 0, "walking", {"command": "0.5"})
    assert robot.line() == "cycle 512 | 49.98 of 50 Hz | missed 3 | steering 0.5 | walking"


def test_trouble_on_the_bus_is_in_the_line() -> None:
    robot = RobotStatus("")
    robot.take(
        "/sts3215_driver: bus", 2, "port /dev/x was lost", {**BUS, "achieved rate (Hz)": "nan"}
    )
    assert robot.line().endswith("bus: port /dev/x was lost")
    assert "- of 50 Hz" in robot.line()


def test_before_anything_is_heard_nothing_is_invented() -> None:
    assert RobotStatus("").line() == "cycle - | - of - Hz | missed - | steering - | starting"


@pytest.mark.parametrize(
    "name", ["/right/gait_controller", "/left/a/gait_controller", "/leftover/x"]
)
def test_other_robots_do_not_mix_in(name: str) -> None:
    robot = RobotStatus("/left")
    robot.take(name, 0, "walking", {"command": "1"})
    assert robot.parts == {}
    robot.take("/left/gait_controller", 0, "walking", {"command": "-1"})
    assert "steering -1" in robot.line()


def test_missing_nodes_are_named_by_what_they_do() -> None:
    assert missing_nodes(["gait_controller", "servo_inv_lead", "sts3215_driver"]) == []
    assert missing_nodes(["gait_controller", "stride_status"]) == [
        "no inverse servo model (servo_inv_lead or servo_inv_7param)",
        "no driver (sts3215_driver)",
    ]


def test_a_joint_has_a_cell_for_each_column(joint: JointStatus) -> None:
    cells = dict(zip(JOINT_COLUMNS, joint.cells(), strict=True))
    assert cells["position (rad)"] == "0.120"
    assert cells["load"] == "-0.25"
    assert cells["status"] == "ok"
    assert cells["torque"] == "on"
    assert not joint.troubled


def test_a_wheel_shows_its_goal_speed(joint: JointStatus) -> None:
    wheel = replace(joint, goal=math.nan, goal_velocity=4.0)
    assert "4.00 rad/s" in wheel.cells()


def test_what_was_not_measured_is_a_dash_and_never_a_zero() -> None:
    nan = math.nan
    unknown = JointStatus("s1", 1, nan, nan, nan, nan, nan, nan, 255, 0, 1, math.inf)
    cells = dict(zip(JOINT_COLUMNS, unknown.cells(), strict=True))
    assert {cells[c] for c in ("goal (rad)", "position (rad)", "load", "voltage (V)")} == {"-"}
    assert (cells["age (s)"], cells["status"], cells["torque"]) == ("never", "missing", "?")
    assert unknown.troubled


def test_flags_are_words(joint: JointStatus) -> None:
    hot = replace(joint, flags=37)
    assert "voltage, temperature, overload" in hot.cells()
    assert hot.troubled
