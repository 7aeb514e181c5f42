"""From steering to bytes on the bus: what the gait wants is what the servos get."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from harness import Emulated, Robot

from gait_controller import control_file
from gait_controller.cpg import Cpg

ROBOTS = Path(__file__).parents[2] / "config" / "robots"
HEXAPOD = ROBOTS / "hexapod" / "control.json"


def reference_ranges(steering: float) -> np.ndarray:
    """Lowest and highest angle of each joint in a cycle, (2, n) rad, without ROS."""
    control = control_file.load(HEXAPOD)
    cpg = Cpg(control)
    load = np.zeros(len(control.servos))
    rows = [cpg.step(load, steering).position.copy() for _ in range(400)]
    walked = np.array(rows[200:])
    return np.array([walked.min(axis=0), walked.max(axis=0)])


def measured_ranges(robot: Robot) -> np.ndarray:
    """The same from the goals that go to the driver, over one and a half cycles of the gait."""
    rows = np.array([message.position for message in robot.next("goals", 75)])
    return np.array([rows.min(axis=0), rows.max(axis=0)])


def test_steering_changes_the_goal_registers_as_the_reference_predicts(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        for steering in (0.0, 1.0, -1.0):
            robot.steer(steering)
            # The rate limit needs half a second from end to end.
            robot.next("goals", 60)
            np.testing.assert_allclose(
                measured_ranges(robot), reference_ranges(steering), atol=0.02
            )
        states = robot.newest("servo_states")
        table = {servo.name: servo for servo in control_file.load(HEXAPOD).servos}
        hexapod.do("state")
        for name, servo_id, goal in zip(states.name, states.id, states.goal_position, strict=True):
            servo = table[name]
            register = hexapod.registers(servo_id)["goal_position"]
            steps = servo.zero + servo.sign * goal * 4096 / math.tau
            # One message is up to 40 ms older than the register.
            assert abs(register - steps) < 150
            assert hexapod.registers(servo_id)["torque_enable"] == 1


def test_joints_follow_the_goals(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        robot.next("goals", 50)
        wanted = measured_ranges(robot)
        # On a busy machine a reading may be missing; then the message has fewer joints.
        messages = [m for m in robot.next("joint_states", 90) if len(m.name) == 18]
        measured = np.array([message.position for message in messages])
        swing = wanted[1] - wanted[0]
        np.testing.assert_allclose(np.ptp(measured, axis=0), swing, atol=0.08)


def test_one_frame_per_sync_step_and_no_step_twice(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        robot.next("joints_fixed", 100)
        steps = [message.data for message in robot.probe.log["sync_step"]]
        assert steps == sorted(set(steps))
        frames = len(robot.probe.log["joints_fixed"])
        assert frames <= len(steps) + 1


def test_load_shifts_the_phase_of_the_loaded_joint(tmp_path: Path) -> None:
    """Two equal joints with feedback walk alike until one of them carries a load."""
    folder = twin_robot(tmp_path)
    with (
        Emulated(tmp_path / "bus", folder / "control.json") as emulated,
        Robot(emulated, str(folder)) as robot,
    ):
        robot.wait_until_walking()

        def difference() -> float:
            rows = np.array([message.position for message in robot.next("goals", 60)])
            return float(np.abs(rows[:, 0] - rows[:, 1]).max())

        robot.next("goals", 60)
        alike = difference()
        emulated.do("load", 2, 1.6)
        robot.next("goals", 120)
        shifted = difference()
        assert alike < 0.06
        assert shifted > alike + 0.04


def twin_robot(folder: Path) -> Path:
    """A robot of two equal joints with load feedback."""
    import json

    joint = {
        "mode": "position", "amp1": 0.4, "phase1": 0.0, "offset": 0.0, "amp2": 0.0, "phase2": 0.0,
        "sigma": 2.0, "steer_gain": 0.0, "steer_shift": 0.0, "sign": 1, "zero": 2048,
        "min": -1.0, "max": 1.0,
    }  # fmt: skip
    control = {
        "format": 3, "robot": "twins", "fitness": 0, "control_hz": 50, "ramp_time": 0.5,
        "load_full_scale": 0.7, "frequency": 1.0,
        "servos": [{"id": 1, "name": "left", **joint}, {"id": 2, "name": "right", **joint}],
    }  # fmt: skip
    robot = folder / "twins"
    robot.mkdir()
    (robot / "control.json").write_text(json.dumps(control))
    (robot / "robot.yaml").write_text((ROBOTS / "seed_example" / "robot.yaml").read_text())
    return robot


def test_bad_steering_is_refused_and_the_last_command_stays(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        robot.steer(1.0)
        robot.next("goals", 60)
        before = measured_ranges(robot)
        for value in (math.nan, math.inf, -math.inf):
            robot.steer(value)
        robot.wait_for(
            lambda: robot.diagnostic("gait_controller").get("steering") == "3", "three refusals"
        )
        np.testing.assert_allclose(measured_ranges(robot), before, atol=0.02)


def test_steering_beyond_the_range_is_clipped(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod") as robot:
        robot.wait_until_walking()
        robot.steer(7.0)
        robot.next("goals", 60)
        np.testing.assert_allclose(measured_ranges(robot), reference_ranges(1.0), atol=0.02)


def test_two_robots_in_namespaces_do_not_hear_each_other(tmp_path: Path) -> None:
    with (
        Emulated(tmp_path / "a", HEXAPOD) as bus_a,
        Emulated(tmp_path / "b", HEXAPOD) as bus_b,
        Robot(bus_a, "hexapod", namespace="a") as robot_a,
        Robot(bus_b, "hexapod", namespace="b") as robot_b,
    ):
        robot_a.wait_until_walking()
        robot_b.wait_until_walking()
        robot_a.steer(1.0)
        robot_a.next("goals", 60)
        np.testing.assert_allclose(measured_ranges(robot_a), reference_ranges(1.0), atol=0.02)
        np.testing.assert_allclose(measured_ranges(robot_b), reference_ranges(0.0), atol=0.02)


@pytest.mark.parametrize("rate", [100.0])
def test_another_rate_keeps_the_frequency_of_the_gait(hexapod: Emulated, rate: float) -> None:
    with Robot(hexapod, "hexapod", rate=rate) as robot:
        robot.wait_until_walking()
        robot.next("goals", 100)
        rows = np.array([message.position for message in robot.next("goals", 300)])
        coxa = rows[:, 0] - rows[:, 0].mean()
        crossings = np.flatnonzero((coxa[:-1] < 0) & (coxa[1:] >= 0))
        period = np.diff(crossings).mean() / rate
        assert period == pytest.approx(1.0, abs=0.05)
