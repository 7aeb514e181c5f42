"""The state machine: waits for the pose, approaches, walks, survives gaps and restarts."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gait_controller import control_file
from gait_controller.controller import Controller, Settings, State
from gait_controller.cpg import Cpg, Targets
from stride_base.diagnostics import Level
from stride_base.errors import RefusedError

EXAMPLE = Path(__file__).resolve().parents[3] / "config/robots/seed_example/control.json"
NAMES = ["s8_pitch", "s4_roll", "s9_wheel"]
POSE = [0.5, -0.3, 9.0]
MEASURED = Settings(start_measured=True)
DT = 0.02


@pytest.fixture
def control(example: dict[str, Any]) -> control_file.ControlFile:
    return control_file.parse(example)


def measure(controller: Controller, load: float = 0.0) -> None:
    controller.on_joint_states(NAMES, POSE, [0.0] * 3, [load * 2.94] * 3)


def approached(control: control_file.ControlFile) -> tuple[Controller, int]:
    """A controller that has just computed the gait's first tick, and the number of that tick."""
    controller = Controller(control, MEASURED)
    for number in range(1000):
        measure(controller)
        frame = controller.on_step(number)
        assert frame is not None
        if controller.state is State.WALKING:
            return controller, number
    raise AssertionError("the approach never ended")


def test_with_the_defaults_it_is_the_files_own_controller(
    control: control_file.ControlFile,
) -> None:
    controller, cpg = Controller(control, Settings()), Cpg(control)
    for number in range(100):
        controller.on_steering(0.5 if number < 50 else -1.0)
        measure(controller, load=0.3)
        frame = controller.on_step(number)
        expected = cpg.step(np.full(3, 0.3), 0.5 if number < 50 else -1.0)
        assert frame is not None
        np.testing.assert_allclose(frame.position, expected.position, atol=1e-12)
        np.testing.assert_allclose(frame.velocity, expected.velocity, atol=1e-12)


def test_no_frame_while_a_joint_has_no_pose(control: control_file.ControlFile) -> None:
    controller = Controller(control, MEASURED)
    for number in range(20):
        controller.on_joint_states(["s8_pitch"], [0.5], [], [])
        assert controller.on_step(number) is None
    report, commands = controller.reports()
    assert report.level is Level.WARN
    assert report.message == "waiting for the pose of s4_roll"
    assert commands.values == {"steering": "waiting for the pose of s4_roll"}


def test_reports_say_from_when_on_steering_has_an_effect(
    control: control_file.ControlFile,
) -> None:
    controller = Controller(control, MEASURED)
    heard = []
    for number in range(400):
        controller.on_joint_states(NAMES[:2], POSE[:2], [], [])
        controller.on_step(number)
        steering = next(r for r in controller.news() if r.part == "commands").values["steering"]
        if steering not in heard:
            heard.append(steering)
    assert heard == ["moving to the first pose of the gait", "ready"]


def test_missed_ticks_are_told_until_the_next_report(control: control_file.ControlFile) -> None:
    controller = Controller(control, Settings())
    controller.on_step(0)
    controller.on_step(4)
    assert "3 ticks were missed" in controller.reports()[0].message
    assert "3 ticks were missed" in controller.news()[0].message
    assert "missed" not in controller.reports()[0].message


def test_a_wheel_needs_no_pose(control: control_file.ControlFile) -> None:
    controller = Controller(control, MEASURED)
    controller.on_joint_states(NAMES[:2], POSE[:2], [], [])
    assert controller.on_step(0) is not None


def test_a_pose_that_is_too_old_is_none(control: control_file.ControlFile) -> None:
    controller = Controller(control, MEASURED)
    controller.on_joint_states(["s8_pitch"], [0.5], [], [])
    for number in range(10):
        assert controller.on_step(number) is None
    controller.on_joint_states(["s4_roll"], [0.5], [], [])
    assert controller.on_step(10) is None


def test_from_the_measured_pose_to_the_gait_without_a_jump(
    control: control_file.ControlFile,
) -> None:
    controller = Controller(control, MEASURED)
    positions, velocities, states = [POSE[:2]], [], []
    for number in range(200):
        measure(controller)
        frame = controller.on_step(number)
        assert frame is not None
        positions.append(frame.position[:2].tolist())
        velocities.append(frame.velocity)
        states.append(controller.state)
    start = states.index(State.WALKING)
    assert states[:start] == [State.APPROACH] * start
    moved = np.abs(np.diff(positions, axis=0))
    assert moved[:start].max() <= 0.5 * DT * (1 + 1e-9)
    # 1.5*0.5 rad / (0.5 rad/s) at 50 Hz.
    assert start == 75
    assert all(velocity[2] == 0.0 for velocity in velocities[: start + 1])
    # The gait's first tick is the pose that was reached.
    assert positions[start] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert positions[start + 1] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_after_the_approach_the_gait_starts_at_its_first_tick(
    control: control_file.ControlFile,
) -> None:
    controller, last = approached(control)
    cpg = Cpg(control)
    cpg.step(np.zeros(3), 0.0)
    for number in range(last + 1, last + 60):
        measure(controller, load=0.1)
        frame = controller.on_step(number)
        assert isinstance(frame, Targets)
        expected = cpg.step(np.full(3, 0.1), 0.0)
        np.testing.assert_allclose(frame.position, expected.position, atol=1e-12)


def test_without_ramp_the_approach_ends_in_the_middle_of_the_motion(
    example: dict[str, Any],
) -> None:
    example["ramp_time"] = 0
    control = control_file.parse(example)
    controller = Controller(control, MEASURED)
    frames = []
    for number in range(200):
        measure(controller)
        frame = controller.on_step(number)
        assert frame is not None
        frames.append(frame.position[:2])
    moved = np.abs(np.diff(frames, axis=0)).max(axis=1)
    assert moved[:74].max() <= 0.5 * DT * (1 + 1e-9)
    assert moved.max() <= 4.71 * DT


def test_the_approach_speed_can_change_on_the_way(control: control_file.ControlFile) -> None:
    controller = Controller(control, MEASURED)
    controller.approach_speed = 0.05
    measure(controller)
    first = controller.on_step(0)
    assert first is not None
    controller.approach_speed = 0.1
    last = first
    for number in range(1, 60):
        measure(controller)
        frame = controller.on_step(number)
        assert frame is not None
        assert np.abs(frame.position - last.position)[:2].max() <= 0.1 * DT * (1 + 1e-9)
        last = frame
    assert controller.state is State.APPROACH


def test_missed_ticks_do_not_hurry_the_approach(control: control_file.ControlFile) -> None:
    controller = Controller(control, MEASURED)
    measure(controller)
    last = controller.on_step(0)
    for number in range(3, 150, 3):
        measure(controller)
        frame = controller.on_step(number)
        assert frame is not None and last is not None
        if controller.state is State.APPROACH:
            assert np.abs(frame.position - last.position)[:2].max() <= 0.5 * DT * (1 + 1e-9)
        last = frame


@pytest.mark.parametrize("jump", [2, 3, 6])
def test_up_to_five_missed_ticks_are_integrated(
    control: control_file.ControlFile, jump: int
) -> None:
    whole, jumping = Controller(control, Settings()), Controller(control, Settings())
    for number in range(29 + jump):
        for controller in (whole, jumping):
            measure(controller)
            if controller is whole or number < 30:
                controller.on_step(number)
    expected, found = whole.on_step(29 + jump), jumping.on_step(29 + jump)
    assert isinstance(expected, Targets) and isinstance(found, Targets)
    np.testing.assert_allclose(found.theta, expected.theta, atol=1e-12)
    np.testing.assert_allclose(found.position, expected.position, atol=1e-12)
    report = jumping.reports()[0]
    assert report.level is Level.WARN
    assert f"{jump - 1} ticks were missed" in report.message
    assert report.values["missed ticks"] == jump - 1
    assert jumping.reports()[0].level is Level.OK


@pytest.mark.parametrize("jump", [7, 1000, 2**64 - 40])
def test_a_longer_gap_is_reported_and_passes_as_one_tick(
    control: control_file.ControlFile, jump: int
) -> None:
    whole, jumping = Controller(control, Settings()), Controller(control, Settings())
    for number in range(30):
        whole.on_step(number)
        jumping.on_step(number)
    expected, found = whole.on_step(30), jumping.on_step(29 + jump)
    assert isinstance(expected, Targets) and isinstance(found, Targets)
    np.testing.assert_array_equal(found.theta, expected.theta)
    measure(jumping)
    assert jumping.on_step(30 + jump) is not None
    values = jumping.reports()[0].values
    assert values["missed ticks"] == jump - 1
    assert values["gaps of more than 5 ticks"] == 1


def test_a_number_that_falls_starts_again_from_the_measured_pose(
    control: control_file.ControlFile,
) -> None:
    controller, _ = approached(control)
    measure(controller)
    assert controller.on_step(3) is None
    assert controller.state is State.WAITING
    measure(controller)
    frame = controller.on_step(4)
    assert frame is not None and controller.state is State.APPROACH
    assert np.abs(frame.position[:2] - POSE[:2]).max() <= 0.5 * DT
    assert controller.reports()[0].values["driver restarts"] == 1


def test_a_number_that_falls_starts_the_files_own_controller_at_its_first_tick(
    control: control_file.ControlFile,
) -> None:
    controller = Controller(control, Settings())
    for number in range(100):
        controller.on_step(number)
    frame = controller.on_step(0)
    assert isinstance(frame, Targets)
    assert frame.position[:2].tolist() == [0.0, 0.0]


def test_a_joint_without_fresh_load_runs_open_loop_and_is_named(
    control: control_file.ControlFile,
) -> None:
    controller = Controller(control, Settings(load_timeout=0.1))
    opened = []
    for number in range(20):
        if number == 0:
            measure(controller, load=0.3)
        controller.on_joint_states(["s8_pitch"], [0.5], [], [0.3])
        frame = controller.on_step(number)
        assert isinstance(frame, Targets)
        opened.append(frame.open_loop.tolist())
    assert opened[:6] == [[False, False, False]] * 6
    assert opened[6:] == [[False, True, False]] * 14
    report = controller.reports()[0]
    assert report.level is Level.WARN
    assert report.message == "walking, without load feedback at s4_roll"
    assert report.values["ticks with unknown load"] == 14


def test_a_refused_message_changes_nothing(control: control_file.ControlFile) -> None:
    one, other = Controller(control, Settings()), Controller(control, Settings())
    for number in range(50):
        for controller in (one, other):
            controller.on_steering(0.4)
            measure(controller, load=0.2)
        with pytest.raises(RefusedError):
            one.on_steering(math.nan)
        with pytest.raises(RefusedError):
            one.on_joint_states(NAMES, POSE, [], [0.9, math.nan, 0.0])
        left, right = one.on_step(number), other.on_step(number)
        assert left is not None and right is not None
        np.testing.assert_array_equal(left.position, right.position)


def test_a_gap_ages_the_command_by_the_time_that_really_passed(
    control: control_file.ControlFile,
) -> None:
    controller = Controller(control, Settings(steering_timeout=1.0))
    controller.on_steering(1.0)
    controller.on_step(0)
    assert controller.steering.value == 1.0
    controller.on_step(100)
    assert controller.steering.value == 0.0


def test_the_rate_of_the_settings_replaces_that_of_the_file(
    control: control_file.ControlFile,
) -> None:
    assert Controller(control, Settings()).dt == 0.02
    assert Controller(control, Settings(dt=1 / 150)).dt == 1 / 150


def test_warnings_of_the_file_are_reported(example: dict[str, Any]) -> None:
    example["colour"] = "red"
    controller = Controller(control_file.parse(example, "robot.json"), Settings())
    report = controller.reports()[-1]
    assert (report.part, report.level) == ("control file", Level.WARN)
    assert report.message == "robot.json has warnings"
    assert "'colour'" in str(report.values["warning 1"])


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("step"), st.integers(0, 12)),
            st.tuples(st.just("restart"), st.integers(0, 5)),
            st.tuples(st.just("steer"), st.floats()),
            st.tuples(st.just("measure"), st.lists(st.floats(), min_size=3, max_size=3)),
        ),
        max_size=80,
    )
)
def test_whatever_happens_a_frame_is_complete_and_within_the_limits(
    events: list[tuple[str, Any]],
) -> None:
    control = control_file.load(EXAMPLE)
    controller = Controller(control, Settings(start_measured=True, steering_rate_limit=4.0))
    number = 0
    measure(controller)
    for kind, value in events:
        try:
            if kind == "steer":
                controller.on_steering(value)
            elif kind == "measure":
                controller.on_joint_states(NAMES, value, [], [])
        except RefusedError:
            continue
        if kind in ("step", "restart"):
            number = number + value if kind == "step" else value
            frame = controller.on_step(number)
            if frame is None:
                assert controller.state is State.WAITING
                continue
            assert np.isfinite(frame.position[:2]).all() and math.isnan(frame.position[2])
            assert np.isfinite(frame.velocity).all()
            if controller.state is State.WALKING:
                assert np.abs(frame.position[0]) <= 1.3 and np.abs(frame.position[1]) <= 0.9
