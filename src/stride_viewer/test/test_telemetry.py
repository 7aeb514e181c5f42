"""The newest of every topic, with its time; unknown stays unknown."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from stride_viewer.telemetry import HISTORY, SAMPLE_PERIOD, Telemetry

NAN = math.nan


def joints(**positions: float) -> Any:
    return SimpleNamespace(name=list(positions), position=list(positions.values()))


def odometry(x: float) -> Any:
    pose = SimpleNamespace(
        position=SimpleNamespace(x=x, y=0.0, z=0.1),
        orientation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0),
    )
    return SimpleNamespace(pose=SimpleNamespace(pose=pose))


def status(name: str, **values: str) -> Any:
    entries = [SimpleNamespace(key=key.replace("_", " "), value=v) for key, v in values.items()]
    one = SimpleNamespace(name=name, level=0, message="", values=entries)
    return SimpleNamespace(status=[one])


def test_the_newest_message_counts_and_its_age_is_known() -> None:
    telemetry = Telemetry()
    assert telemetry.age("joint_states", 5.0) == math.inf
    telemetry.take("joint_states", joints(hip=1.0), 5.0)
    telemetry.take("joint_states", joints(hip=2.0), 6.0)
    assert telemetry.measured == {"hip": 2.0}
    assert telemetry.age("joint_states", 6.5) == 0.5


def test_topics_of_others_are_ignored() -> None:
    telemetry = Telemetry()
    telemetry.take("map", object(), 1.0)
    assert telemetry.heard == {}


def test_diagnostics_of_other_robots_are_ignored() -> None:
    telemetry = Telemetry("/left")
    telemetry.take("/diagnostics", status("/right/sts3215_driver: bus"), 1.0)
    telemetry.take("/diagnostics", status("/left/sts3215_driver: bus", missed_cycles="3"), 1.0)
    assert list(telemetry.parts) == [("sts3215_driver", "bus")]
    assert telemetry.bus_history[-1].missed == 3.0
    assert math.isnan(telemetry.bus_history[-1].late_p99)


def test_diagnostics_of_pages_are_no_sign_of_a_robot() -> None:
    telemetry = Telemetry()
    telemetry.take("/diagnostics", status("/stride_viewer"), 1.0)
    assert telemetry.parts == {}
    assert telemetry.age("/diagnostics", 1.0) == math.inf


def test_the_true_pose_is_preferred_while_it_is_fresh() -> None:
    telemetry = Telemetry()
    telemetry.take("ground_truth", odometry(1.0), 1.0)
    telemetry.take("odom", odometry(2.0), 3.0)
    pose = telemetry.pose(1.5)
    assert pose is not None and pose.topic == "ground_truth"
    pose = telemetry.pose(3.0)
    assert pose is not None and pose.topic == "odom"
    assert telemetry.pose(9.0) is None


def test_history_has_a_row_per_period_and_gaps_where_nothing_is_known() -> None:
    telemetry = Telemetry()
    assert telemetry.sample(0.0) is None
    telemetry.take("joint_states", joints(hip=1.0), 0.0)
    row = telemetry.sample(0.0)
    assert row is not None
    assert row.measured == (1.0,)
    assert all(math.isnan(value) for value in (*row.wanted, *row.load, *row.voltage))
    assert telemetry.sample(SAMPLE_PERIOD / 2) is None
    assert telemetry.sample(SAMPLE_PERIOD) is not None


def test_a_joint_that_did_not_answer_keeps_its_last_place_and_is_a_gap_in_the_history() -> None:
    telemetry = Telemetry()
    telemetry.take("joint_states", joints(hip=1.0, knee=2.0), 0.0)
    telemetry.take("joint_states", joints(hip=1.5), 1.0)
    assert telemetry.measured == {"hip": 1.5, "knee": 2.0}
    row = telemetry.sample(1.0)
    assert row is not None
    assert row.measured[0] == 1.5 and math.isnan(row.measured[1])


def servo(name: str, age: float) -> Any:
    one = {"name": name, "id": 1, "status": 0, "age": age, "flags": 0, "torque": 1}
    readings = ("goal_position", "goal_velocity", "position", "voltage", "temperature", "current")
    values = {**one, **dict.fromkeys(readings, 7.0), "load": 0.5}
    return SimpleNamespace(**{field: [value] for field, value in values.items()})


def test_readings_and_wishes_of_a_stack_that_fell_silent_are_gaps_in_the_history() -> None:
    telemetry = Telemetry()
    telemetry.take("joints_fixed", joints(hip=1.0), 0.0)
    telemetry.take("servo_states", servo("hip", age=0.02), 0.0)
    row = telemetry.sample(0.1)
    assert row is not None
    assert (row.wanted, row.load, row.voltage, row.temperature) == ((1.0,), (0.5,), (7.0,), (7.0,))
    row = telemetry.sample(5.0)
    assert row is not None
    assert all(map(math.isnan, (*row.wanted, *row.load, *row.voltage, *row.temperature)))


def test_readings_of_a_servo_that_does_not_answer_are_gaps_in_the_history() -> None:
    telemetry = Telemetry()
    telemetry.take("servo_states", servo("hip", age=3.0), 0.0)
    row = telemetry.sample(0.0)
    assert row is not None and math.isnan(row.load[0])


def test_a_pose_of_no_numbers_or_without_orientation_is_no_pose() -> None:
    telemetry = Telemetry()
    telemetry.take("odom", odometry(1.0), 0.0)
    telemetry.take("ground_truth", odometry(NAN), 0.0)
    broken = odometry(5.0)
    broken.pose.pose.orientation = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=0.0)
    telemetry.take("ground_truth", broken, 0.0)
    pose = telemetry.pose(0.0)
    assert pose is not None and pose.topic == "odom"


def test_history_is_kept_for_a_minute() -> None:
    telemetry = Telemetry()
    telemetry.take("joint_states", joints(hip=1.0), 0.0)
    for step in range(2000):
        telemetry.sample(step * SAMPLE_PERIOD)
    assert telemetry.history[-1].time - telemetry.history[0].time <= HISTORY
    assert len(telemetry.history) <= HISTORY / SAMPLE_PERIOD + 2


def test_other_joints_begin_another_history() -> None:
    telemetry = Telemetry()
    telemetry.take("joint_states", joints(hip=1.0), 0.0)
    telemetry.sample(0.0)
    telemetry.take("joint_states", joints(hip=1.0, knee=2.0), 1.0)
    telemetry.sample(1.0)
    assert telemetry.names == ("hip", "knee")
    assert len(telemetry.history) == 1


def test_a_clock_that_goes_back_begins_another_history() -> None:
    telemetry = Telemetry()
    telemetry.take("joint_states", joints(hip=1.0), 5.0)
    telemetry.sample(5.0)
    telemetry.sample(1.0)
    assert [row.time for row in telemetry.history] == [1.0]
