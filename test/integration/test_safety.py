"""Stop, torque, timeouts and lost ports of a running robot."""

from __future__ import annotations

import math
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness import PATIENCE, Emulated, Robot
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoGoal
from servo_interfaces.srv import CalibrateZero

ROBOTS = Path(__file__).parents[2] / "config" / "robots"


def test_stop_takes_torque_off_all_and_goals_do_not_bring_it_back(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        answer = robot.call(robot.probe.stop, Trigger.Request())
        assert answer.success and answer.message == "torque is off on all 18 servos"
        assert hexapod.torque() == {0}
        goal = ServoGoal(name=["fl_coxa"], position=[0.3], duration=[0.1], velocity=[math.nan])
        for _ in range(10):
            robot.probe.goals.publish(goal)
            robot.next("joint_states", 2)
        assert hexapod.torque() == {0}
        assert set(robot.next("servo_states")[0].torque) == {0}


def test_stop_names_who_does_not_answer_and_frees_the_others(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        hexapod.do("power", 5, "off")
        answer = robot.call(robot.probe.stop, Trigger.Request())
        assert not answer.success
        assert "servo 5 (ml_femur) does not answer" in answer.message
        assert {hexapod.registers(i)["torque_enable"] for i in range(1, 19) if i != 5} == {0}


def test_torque_comes_back_where_the_robot_lies(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        robot.call(robot.probe.torque, SetBool.Request(data=False))
        for servo_id in range(1, 19):
            hexapod.do("turn", servo_id, 2048 + 20 * servo_id)
        robot.next("joint_states", 5)
        answer = robot.call(robot.probe.torque, SetBool.Request(data=True))
        assert answer.success
        pose: dict[str, float] = {}
        for message in robot.next("joint_states", 40):
            for name, position in zip(message.name, message.position, strict=True):
                # The way back to the gait is approached at 0.5 rad/s: 0.01 rad a cycle.
                assert abs(position - pose.get(name, position)) < 0.05
                pose[name] = position
        robot.wait_until_walking()


def test_ending_the_stack_takes_torque_off(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        assert hexapod.torque() == {1}
    assert hexapod.torque() == {0}


def test_a_lost_port_is_found_again_and_the_robot_walks_on_from_where_it_is(
    hexapod: Emulated,
) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        hexapod.do("unplug")
        robot.wait_for(
            lambda: robot.diagnostic("sts3215_driver", "bus").get("state") == "port lost",
            "the loss to be reported",
        )
        for servo_id in range(1, 19):
            hexapod.do("turn", servo_id, 2100)
        hexapod.do("replug")
        first = robot.next("servo_states")[0]
        robot.wait_for(
            lambda: robot.diagnostic("sts3215_driver", "bus").get("reconnects") == "1",
            "the port to be found",
        )
        assert all(abs(age) < 0.1 for age in first.age)
        robot.wait_until_walking()
        assert hexapod.torque() == {1}


def test_a_silent_servo_is_reported_with_its_age_and_the_others_walk_on(
    hexapod: Emulated,
) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        hexapod.do("power", 9, "off")
        part = "servo rl_tibia"
        report = robot.wait_for(
            lambda: "for" in robot.diagnostic("sts3215_driver", part).get("message", "")
            and robot.diagnostic("sts3215_driver", part),
            "the report",
        )
        assert float(report["age (s)"]) > 0
        joints = robot.next("joint_states", 3)[-1]
        assert "rl_tibia" not in joints.name and len(joints.name) == 17


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("how", [[], ["--processes"]], ids=["composed", "processes"])
def test_a_signal_ends_stride_up_with_torque_off(
    hexapod: Emulated, number: signal.Signals, how: list[str]
) -> None:
    command = [sys.executable, "-m", "stride_bringup", "up", "--port", str(hexapod.link)]
    command += ["--viewer", "off", *how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        for _attempt in range(600):
            if hexapod.torque() == {1} and hexapod.registers(1)["goal_speed"] > 0:
                break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
        else:
            pytest.fail("the robot did not start")
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0
    assert hexapod.torque() == {0}


def test_a_second_stride_up_says_that_one_runs(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        command = [sys.executable, "-m", "stride_bringup", "up", "--port", str(hexapod.link)]
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_calibration_over_the_service_writes_the_zeros_and_goes_on_with_them(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "seed"
    shutil.copytree(ROBOTS / "seed_example", folder)
    file = folder / "control.json"
    before = file.read_text()
    with (
        Emulated(tmp_path / "bus", file) as emulated,
        Robot(emulated, str(folder)) as robot,
    ):
        robot.wait_until_walking()
        request = CalibrateZero.Request()
        refused = robot.call(robot.probe.calibrate, request)
        assert not refused.success and "torque is on" in refused.message
        assert file.read_text() == before
        robot.call(robot.probe.torque, SetBool.Request(data=False))
        emulated.do("turn", 1, 2100)
        emulated.do("turn", 2, 1990)
        answer = robot.call(robot.probe.calibrate, request)
        assert answer.success, answer.message
        assert list(answer.zero) == [2100, 1990]
        assert file.read_text() == before.replace("2048", "2100", 1).replace("2048", "1990", 1)
        joints = robot.next("joint_states", 40)[-1]
        assert emulated.torque() == {0}
        assert all(abs(angle) < 0.01 for angle in list(joints.position)[:2])
