"""The steering command: clipped, limited in rate, refused when it is no number, timed out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gait_controller.steering import Steering
from stride_base.errors import RefusedError


def test_without_a_limit_a_command_acts_at_the_next_step() -> None:
    steering = Steering()
    steering.set(-0.7)
    assert steering.value == 0.0
    assert steering.step(0.02) == -0.7 == steering.value


def test_a_step_of_the_command_becomes_a_ramp() -> None:
    steering = Steering(rate_limit=4.0)
    steering.set(1.0)
    ramp = [steering.step(0.02) for _ in range(15)]
    assert ramp[:3] == pytest.approx([0.08, 0.16, 0.24])
    assert ramp[11] == pytest.approx(0.96) and ramp[12:] == [1.0, 1.0, 1.0]
    steering.set(-1.0)
    assert [steering.step(0.02) for _ in range(26)][-2:] == [-1.0, -1.0]


def test_missed_ticks_count_for_the_ramp() -> None:
    steering = Steering(rate_limit=4.0)
    steering.set(1.0)
    assert steering.step(3 * 0.02) == pytest.approx(0.24)


@pytest.mark.parametrize("command", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_no_number_is_refused_and_the_last_one_stays(command: float) -> None:
    steering = Steering()
    steering.set(0.5)
    with pytest.raises(RefusedError, match="not a finite number; the last one stays"):
        steering.set(command)
    assert steering.step(0.02) == 0.5


@pytest.mark.parametrize(("command", "value"), [(1.0001, 1.0), (1e300, 1.0), (-7.0, -1.0)])
def test_a_command_out_of_range_is_clipped(command: float, value: float) -> None:
    steering = Steering()
    steering.set(command)
    assert steering.step(0.02) == value


def test_a_command_times_out_and_returns_to_straight_at_the_limited_rate() -> None:
    steering = Steering(rate_limit=10.0, timeout=0.1)
    steering.set(0.5)
    values = []
    for _ in range(12):
        steering.elapse(0.02)
        values.append(steering.step(0.02))
    assert values[2:5] == [0.5, 0.5, 0.5]
    assert values[5:8] == pytest.approx([0.3, 0.1, 0.0])
    assert steering.timed_out


def test_a_refused_command_does_not_keep_the_last_one_alive() -> None:
    steering = Steering(timeout=0.1)
    steering.set(0.5)
    for _ in range(6):
        steering.elapse(0.02)
        with pytest.raises(RefusedError):
            steering.set(math.nan)
    assert steering.step(0.02) == 0.0


def test_a_new_command_ends_the_time_out() -> None:
    steering = Steering(timeout=0.1)
    steering.elapse(1.0)
    steering.set(-0.25)
    assert steering.step(0.02) == -0.25


def test_a_timeout_of_0_means_never() -> None:
    steering = Steering()
    steering.set(0.5)
    steering.elapse(1e6)
    assert steering.step(0.02) == 0.5 and not steering.timed_out


@given(st.lists(st.floats(), max_size=30), st.floats(0.01, 20.0))
def test_whatever_arrives_the_value_stays_in_range_and_within_the_rate(
    commands: list[float], limit: float
) -> None:
    steering = Steering(rate_limit=limit)
    before = 0.0
    for command in commands:
        try:
            steering.set(command)
        except RefusedError:
            assert not math.isfinite(command)
        value = steering.step(0.02)
        assert -1.0 <= value <= 1.0
        assert abs(value - before) <= limit * 0.02 * (1.0 + 1e-9) + 1e-12
        before = value
