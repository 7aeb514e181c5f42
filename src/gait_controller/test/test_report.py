"""What `stride check` knows of a control file."""

from typing import Any

import pytest

from gait_controller import control_file
from gait_controller.report import JointAtCommand, WheelAtCommand, report


def test_the_example_needs_no_cut(example: dict[str, Any]) -> None:
    found = report(control_file.parse(example, "robot.json"))
    assert (found.file, found.format, found.robot) == ("robot.json", 3, "8servos-mid-trot")
    assert found.omega == pytest.approx(8.2310, abs=1e-4)
    pitch = found.servos[0]
    assert (pitch.id, pitch.name, pitch.mode, pitch.limits) == (
        *(1, "s8_pitch", "position"),
        (-1.3, 1.3),
    )
    assert pitch.step_limits == (2895, 1201)  # sign -1 turns the range round
    assert [entry.cut for entry in pitch.commands if isinstance(entry, JointAtCommand)] == [1] * 3
    peaks = [e.peak for e in pitch.commands if isinstance(e, JointAtCommand)]
    assert peaks == pytest.approx([0.6 * 0.33 * 8.2310, 0.33 * 8.2310, 1.4 * 0.33 * 8.2310], 1e-4)


def test_a_wheel_is_shown_before_and_after_its_limit(example: dict[str, Any]) -> None:
    wheel = report(control_file.parse(example)).servos[2]
    assert wheel.limits is None and wheel.step_limits is None
    assert wheel.commands == (
        WheelAtCommand(-1.0, 1.5, 1.5),
        WheelAtCommand(0.0, 4.0, 4.0),
        WheelAtCommand(1.0, 6.5, 4.71),
    )


def test_cut_and_speed_under_load_are_shown(example: dict[str, Any]) -> None:
    example["servos"][1]["amp1"] = 0.8
    entry = report(control_file.parse(example)).servos[1].commands[0]
    assert isinstance(entry, JointAtCommand)
    assert entry.gain == 1.25
    assert entry.peak == pytest.approx(8.2310, 1e-4)
    assert entry.cut == pytest.approx(4.71 / 8.2310, 1e-4)
    assert entry.cut_peak == 4.71
    assert entry.loaded_peak == pytest.approx(4.71 * (8.2310 + 1.2) / 8.2310, 1e-4)


def test_clipping_is_the_part_of_the_cycle_that_a_limit_holds(example: dict[str, Any]) -> None:
    example["servos"][1].update(amp1=0.2, offset=0.0, min=-0.9, max=0.1, steer_shift=0.0)
    entry = report(control_file.parse(example)).servos[1].commands[1]
    assert isinstance(entry, JointAtCommand)
    # sin is above 1/2 for a third of a turn.
    assert entry.clipped == pytest.approx(1 / 3, abs=0.005)
    assert (entry.lowest, entry.highest) == pytest.approx((-0.2, 0.2), abs=1e-4)


def test_a_load_that_can_stop_a_leg_is_marked(example: dict[str, Any]) -> None:
    example["servos"][0]["sigma"] = -9.0
    found = report(control_file.parse(example))
    assert [servo.load_can_stop for servo in found.servos] == [True, False, False]
    assert found.warnings and "can stop" in found.warnings[0]


def test_the_fastest_joint_or_wheel_is_found(example: dict[str, Any]) -> None:
    assert report(control_file.parse(example)).fastest == 4.71
    del example["servos"][2]
    assert report(control_file.parse(example)).fastest == pytest.approx(4.089, abs=1e-3)
