"""From goals and positions to signals: the servo's target, derivatives, gaps."""

import numpy as np
import pytest

from servo_inv.identification.recording import JointRecord
from servo_inv.identification.signals import (
    FASTEST_TARGET,
    first_derivative,
    internal_target,
    second_derivative,
    signals_of,
    smoothed,
    smoothing_kernel,
)

T = 0.02


def target(goal: list[float], duration: float, goal_age: float = 0.0) -> list[float]:
    time = np.arange(len(goal)) * T
    durations = np.full(len(goal), duration)
    return internal_target(time, np.array(goal), durations, goal_age).tolist()


def test_a_target_is_at_its_goal_when_the_next_one_comes() -> None:
    assert target([0.0, 0.01, 0.03, 0.03], T) == pytest.approx([0.0, 0.0, 0.01, 0.03])


def test_a_goal_with_more_time_is_reached_later_at_constant_speed() -> None:
    expected = [0.0, 0.0, 0.01, 0.02, 0.03, 0.04, 0.04]
    assert target([0.0, *[0.04] * 6], 4 * T) == pytest.approx(expected)


def test_a_new_goal_starts_from_where_the_target_is() -> None:
    # Half of 0.04 is done when the new goal comes, and half of the way back.
    assert target([0.0, 0.04, 0.0, 0.0, 0.0], 2 * T) == pytest.approx([0.0, 0.0, 0.02, 0.01, 0.0])


def test_a_target_is_never_faster_than_the_servo() -> None:
    step = FASTEST_TARGET * T
    assert target([0.0, *[2.5 * step] * 4], T) == pytest.approx(
        [0.0, 0.0, step, 2 * step, 2.5 * step]
    )


@pytest.mark.parametrize(
    ("goal_age", "expected"),
    [(0.005, [0.0, 0.005, 0.02, 0.02]), (-0.005, [0.0, 0.0, 0.015, 0.02])],
)
def test_a_goal_may_be_older_or_younger_than_the_reading(
    goal_age: float, expected: list[float]
) -> None:
    assert target([0.0, 0.02, 0.02, 0.02], T, goal_age) == pytest.approx(expected)


def test_derivatives_are_exact_for_polynomials() -> None:
    t = np.arange(30) * T
    values = 1.0 + 2.0 * t - 3.0 * t**2 + 4.0 * t**3
    inner = slice(2, -2)
    first, second = first_derivative(values, T), second_derivative(values, T)
    assert first[inner] == pytest.approx((2.0 - 6.0 * t + 12.0 * t**2)[inner])
    assert second[inner] == pytest.approx((-6.0 + 24.0 * t)[inner])
    assert first[:2].tolist() == first[-2:].tolist() == [0.0, 0.0]


def test_smoothing_keeps_lines_and_adds_no_delay() -> None:
    kernel = smoothing_kernel(2.0)
    assert kernel.sum() == pytest.approx(1.0) and len(kernel) == 13
    line = np.linspace(0.0, 5.0, 50)
    assert smoothed(line, kernel)[6:-6] == pytest.approx(line[6:-6])
    assert smoothing_kernel(0.0).tolist() == [1.0]


def record(time: np.ndarray) -> JointRecord:
    wave = np.sin(time)
    ones = np.ones_like(time)
    return JointRecord("a", time, wave, T * ones, wave, 7.4 * ones, effort=2.0 * wave)


def test_signals_are_those_of_the_motion() -> None:
    signals = signals_of(record(np.arange(500) * T), 0.0, 0.04)
    inner = slice(20, -20)
    time = signals.time[inner]
    smoothing = signals.smooth(np.sin(signals.time))[inner] / np.sin(time)
    assert smoothing == pytest.approx(smoothing.mean(), rel=1e-3)
    factor = smoothing.mean()
    assert signals.velocity[inner] == pytest.approx(factor * np.cos(time), abs=1e-6)
    assert signals.acceleration[inner] == pytest.approx(-factor * np.sin(time), abs=1e-6)
    assert signals.effort is not None
    assert signals.effort[inner] == pytest.approx(2.0 * factor * np.sin(time), abs=1e-9)
    assert signals.target[inner] == pytest.approx(factor * np.sin(time - T), abs=1e-4)
    assert signals.whole[inner].all()


def test_missing_readings_tear_the_samples_around_them() -> None:
    time = np.arange(500) * T
    signals = signals_of(record(np.delete(time, [250, 251])), 0.0, 0.03)
    torn = np.flatnonzero(~signals.whole)
    inside = torn[(torn > 50) & (torn < 450)]
    assert inside.min() < 248 and inside.max() > 253
    assert inside.max() - inside.min() < 30
