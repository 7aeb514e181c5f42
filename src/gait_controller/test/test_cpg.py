"""The vectorised CPG: equal to a plain loop over the servos, and right at its edges."""

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gait_controller import control_file
from gait_controller.cpg import Cpg
from stride_base.errors import RefusedError

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "cpg_tick.py"
specification = importlib.util.spec_from_file_location("cpg_tick", BENCHMARK)
assert specification is not None and specification.loader is not None
cpg_tick = importlib.util.module_from_spec(specification)
specification.loader.exec_module(cpg_tick)

Document = dict[str, Any]


def number(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


ANGLE = number(-7.0, 7.0)
LIMIT = number(-3.1, 3.1)


@st.composite
def position_servo(draw: st.DrawFn) -> Document:
    low, high = sorted([draw(LIMIT), draw(LIMIT)])
    return {
        "mode": "position",
        "amp1": draw(number(0.0, 2.0)),
        "phase1": draw(ANGLE),
        "offset": draw(number(-2.0, 2.0)),
        "amp2": draw(number(0.0, 2.0)),
        "phase2": draw(ANGLE),
        "sigma": draw(st.just(0.0) | number(-20.0, 20.0)),
        "steer_gain": draw(number(-3.0, 3.0)),
        "steer_shift": draw(number(-1.0, 1.0)),
        "sign": draw(st.sampled_from([1, -1])),
        "zero": 2048,
        "min": low,
        "max": high,
    }


WHEEL_SERVO = st.fixed_dictionaries(
    {
        "mode": st.just("wheel"),
        "speed": number(-9.0, 9.0),
        "steer_shift": number(-9.0, 9.0),
        "sign": st.sampled_from([1, -1]),
    }
)


@st.composite
def robot(draw: st.DrawFn) -> Document:
    servos = draw(st.lists(position_servo() | WHEEL_SERVO, min_size=1, max_size=5))
    for index, servo in enumerate(servos):
        servo.update(id=index + 1, name=f"j{index}")
    return {
        "format": 3,
        "robot": "any",
        "fitness": 0,
        "control_hz": draw(st.sampled_from([10, 50, 150, 1000])),
        "ramp_time": draw(st.just(0.0) | number(0.001, 1.0)),
        "load_full_scale": draw(number(0.1, 1.0)),
        "frequency": draw(st.just(0.0) | number(0.01, 4.0)),
        "servos": servos,
    }


@settings(deadline=None, max_examples=60)
@given(robot(), st.data())
def test_any_robot_moves_as_the_plain_loop_over_its_servos(
    document: Document, data: st.DataObject
) -> None:
    control = control_file.parse(document)
    count = len(control.servos)
    load = st.lists(st.just(math.nan) | number(-1.1, 1.1), min_size=count, max_size=count)
    cpg, plain = Cpg(control), cpg_tick.PlainCpg(control)
    for _ in range(20):
        loads, command = data.draw(load), data.draw(number(-1.5, 1.5))
        targets = cpg.step(np.array(loads), command)
        positions, velocities = plain.step(loads, command)
        np.testing.assert_allclose(targets.position, positions, rtol=0, atol=1e-9)
        np.testing.assert_allclose(targets.velocity, velocities, rtol=1e-9, atol=1e-7)
        for servo, unknown, is_open in zip(control.servos, loads, targets.open_loop, strict=True):
            has_feedback = servo.mode == "position" and servo.sigma != 0.0
            assert is_open == (has_feedback and math.isnan(unknown))


def drawn(control: control_file.ControlFile, ticks: int, load: float = 0.0) -> np.ndarray:
    cpg = Cpg(control)
    return np.array(
        [cpg.step(np.full(len(control.servos), load), 0.0).position for _ in range(ticks)]
    )


def test_the_first_tick_is_0_rad_within_the_limits(example: Document) -> None:
    example["servos"][1]["min"] = 0.25
    first = Cpg(control_file.parse(example)).step(np.zeros(3), 0.0)
    assert first.position[:2].tolist() == [0.0, 0.25]
    assert math.isnan(first.position[2]) and first.velocity[2] == 0.0


def test_without_ramp_the_first_tick_has_full_size(example: Document) -> None:
    example["ramp_time"] = 0
    first = Cpg(control_file.parse(example)).step(np.zeros(3), 0.0)
    theta = 2 * math.pi * 1.31 / 50
    assert first.position[1] == pytest.approx(0.1 + 0.2 * math.sin(theta + 5.71), abs=1e-12)
    assert first.velocity[2] == 4.0


def test_velocity_is_the_rate_of_change_of_the_target_also_in_the_ramp(example: Document) -> None:
    example["control_hz"] = 1000
    example["servos"][0]["sigma"] = example["servos"][1]["sigma"] = 0
    cpg = Cpg(control_file.parse(example))
    frames = [cpg.step(np.zeros(3), 0.4) for _ in range(1200)]
    position = np.array([frame.position[:2] for frame in frames])
    velocity = np.array([frame.velocity[:2] for frame in frames])
    middle = (position[2:] - position[:-2]) * 500
    away_from_the_ramps_end = np.r_[0:495, 505:1198]
    error = np.abs(middle - velocity[1:-1])[away_from_the_ramps_end]
    assert error.max() < 2e-4


def test_velocity_follows_the_phase_that_the_load_slows_down(example: Document) -> None:
    example["control_hz"] = 1000
    cpg = Cpg(control_file.parse(example))
    frames = [cpg.step(np.full(3, 0.5), 0.0) for _ in range(1200)]
    position = np.array([frame.position[:2] for frame in frames])
    velocity = np.array([frame.velocity[:2] for frame in frames])
    error = np.abs((position[2:] - position[:-2]) * 500 - velocity[1:-1])[505:]
    assert error.max() < 2e-3


def test_a_joint_that_a_limit_holds_has_no_velocity(example: Document) -> None:
    example["servos"][1].update(min=-0.01, max=0.01)
    cpg = Cpg(control_file.parse(example))
    frames = [cpg.step(np.zeros(3), 0.0) for _ in range(200)]
    held = [frame for frame in frames if abs(frame.position[1]) == 0.01]
    assert len(held) > 100
    assert all(frame.velocity[1] == 0.0 for frame in held)


def test_unknown_load_is_open_loop_and_not_a_load_of_zero_that_was_measured(
    example: Document,
) -> None:
    cpg = Cpg(control_file.parse(example))
    targets = cpg.step(np.array([math.nan, 0.3, math.nan]), 0.0)
    assert targets.open_loop.tolist() == [True, False, False]
    assert targets.theta[0] == pytest.approx(2 * math.pi * 1.31 / 50, abs=1e-12)
    assert targets.theta[1] != pytest.approx(2 * math.pi * 1.31 / 50, abs=1e-6)
    assert cpg.step(np.zeros(3), 0.0).open_loop.tolist() == [False, False, False]


def test_a_load_beyond_full_scale_counts_as_full_scale(example: Document) -> None:
    one, more = (Cpg(control_file.parse(example)) for _ in range(2))
    for _ in range(30):
        left, right = one.step(np.full(3, 0.7), 0.0), more.step(np.full(3, 1.02), 0.0)
        np.testing.assert_array_equal(left.theta, right.theta)


def test_missed_ticks_are_integrated(example: Document) -> None:
    control = control_file.parse(example)
    whole, jumping = Cpg(control), Cpg(control)
    load = np.array([0.2, -0.4, 0.0])
    for ticks in (1, 3, 1, 6, 2):
        for _ in range(ticks):
            expected = whole.step(load, 0.0)
        found = jumping.step(load, 0.0, ticks)
        np.testing.assert_allclose(found.theta, expected.theta, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.position, expected.position, rtol=0, atol=1e-12)


@pytest.mark.parametrize("command", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_no_number_is_refused_and_changes_nothing(
    example: Document, command: float
) -> None:
    control = control_file.parse(example)
    cpg, other = Cpg(control), Cpg(control)
    for _ in range(30):
        cpg.step(np.zeros(3), 0.5)
        other.step(np.zeros(3), 0.5)
    with pytest.raises(RefusedError, match="not a finite number"):
        cpg.step(np.zeros(3), command)
    np.testing.assert_array_equal(
        cpg.step(np.zeros(3), 0.5).position, other.step(np.zeros(3), 0.5).position
    )


def test_frames_are_values_that_later_ticks_leave_alone(example: Document) -> None:
    cpg = Cpg(control_file.parse(example))
    frames = [cpg.step(np.zeros(3), 0.0) for _ in range(20)]
    copies = [(f.position.copy(), f.velocity.copy(), f.theta.copy()) for f in frames]
    for _ in range(20):
        cpg.step(np.zeros(3), -1.0)
    for frame, (position, velocity, theta) in zip(frames, copies, strict=True):
        np.testing.assert_array_equal(frame.position, position)
        np.testing.assert_array_equal(frame.velocity, velocity)
        np.testing.assert_array_equal(frame.theta, theta)


def test_reset_begins_anew(example: Document) -> None:
    control = control_file.parse(example)
    cpg = Cpg(control)
    before = [cpg.step(np.full(3, 0.1), 0.2).position for _ in range(40)]
    cpg.reset()
    after = [cpg.step(np.full(3, 0.1), 0.2).position for _ in range(40)]
    np.testing.assert_array_equal(before, after)


def test_another_rate_of_ticks_draws_the_same_motion(example: Document) -> None:
    for servo in example["servos"][:2]:
        servo["sigma"] = 0
    control = control_file.parse(example)
    slow, fast = Cpg(control), Cpg(control, dt=1 / 150)
    for _ in range(100):
        expected = slow.step(np.zeros(3), 0.0)
        found = fast.step(np.zeros(3), 0.0)
        fast.step(np.zeros(3), 0.0, ticks=2)
        # The first tick of each integrates its own dt, and from there on they keep step.
        lag = 2 * math.pi * 1.31 * (1 / 50 - 1 / 150)
        between = found.theta[0] + lag - expected.theta[0]
        assert abs(math.remainder(between, 2 * math.pi)) < 1e-9


def test_targets_never_leave_the_limits(example: Document) -> None:
    example["servos"][0].update(amp1=2.0, amp2=2.0)
    positions = drawn(control_file.parse(example), 300, load=0.5)[:, :2]
    assert positions[:, 0].max() <= 1.3 and positions[:, 0].min() >= -1.3
