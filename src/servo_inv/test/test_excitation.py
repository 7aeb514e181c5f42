"""Motions for identification stay within limits and show the parameters apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servo_inv.identification.excitation import (
    JointLimits,
    Motion,
    design_excitation,
    move_to,
    take_excitation,
)
from servo_inv.identification.load import PointLoad
from stride_base.errors import ConfigError

LOAD = PointLoad(0.3, 0.2)
LIMITS = st.builds(
    lambda lower, width, speed, acceleration: JointLimits(
        lower, lower + width, speed, acceleration
    ),
    st.floats(-3.0, 3.0),
    st.floats(0.05, 3.0),
    st.floats(0.1, 5.0),
    st.floats(1.0, 50.0),
)


@settings(max_examples=30, deadline=None)
@given(LIMITS, st.integers(0, 1000), st.sampled_from([1 / 150, 0.02]))
def test_limits_are_never_exceeded(limits: JointLimits, seed: int, period: float) -> None:
    motion = design_excitation(limits, period, 10.0, seed=seed, candidates=2)
    assert len(motion.position) == pytest.approx(10.0 / period, abs=2)
    assert limits.lower <= motion.position.min() and motion.position.max() <= limits.upper
    assert np.abs(motion.velocity).max() <= limits.speed
    assert np.abs(motion.acceleration).max() <= limits.acceleration
    assert motion.position[[0, -1]] == pytest.approx([limits.centre] * 2, abs=1e-9)
    assert np.abs(motion.velocity[[2, -3]]) == pytest.approx([0.0, 0.0], abs=0.05 * limits.speed)


def test_it_reaches_a_limit_and_has_slow_and_fast_parts() -> None:
    limits = JointLimits(-0.6, 0.6)
    motion = design_excitation(limits, 0.02, load=LOAD)
    assert np.abs(motion.position).max() > 0.9 * limits.upper
    half = len(motion.position) // 2
    assert np.abs(motion.velocity[:half]).max() < 0.4 < np.abs(motion.velocity[half:]).max()


def test_it_tells_apart_what_one_sine_does_not() -> None:
    hanging = PointLoad(0.3, 0.2, level=-np.pi / 2)
    time = np.arange(0.0, 40.0, 0.02)
    sine = Motion.through(0.4 * np.sin(3.0 * time), 0.02)
    designed = design_excitation(JointLimits(), 0.02, load=hanging)
    assert designed.condition(hanging) < 15.0 < sine.condition(hanging)


def test_the_same_seed_gives_the_same_motion() -> None:
    first, second, other = (
        design_excitation(JointLimits(), 0.02, 10.0, seed=seed).position for seed in (5, 5, 6)
    )
    assert first.tolist() == second.tolist() != other.tolist()


def test_more_candidates_are_never_worse() -> None:
    one, many = (
        design_excitation(JointLimits(), 0.02, 20.0, LOAD, candidates=count) for count in (1, 20)
    )
    assert many.condition(LOAD) <= one.condition(LOAD)


@pytest.mark.parametrize(
    ("numbers", "field"),
    [
        ((0.5, 0.5, 1.0, 1.0), "upper"),
        ((np.nan, 0.5, 1.0, 1.0), "lower"),
        ((-0.5, 0.5, 0.0, 1.0), "speed"),
        ((-0.5, 0.5, 1.0, np.inf), "acceleration"),
    ],
)
def test_limits_without_room_are_refused_by_name(numbers: tuple, field: str) -> None:
    with pytest.raises(ConfigError, match=f"limits: '{field}' is"):
        JointLimits(*numbers)


@pytest.mark.parametrize("duration", [0.0, 7.9, np.inf, np.nan])
def test_a_motion_that_is_too_short_is_refused(duration: float) -> None:
    with pytest.raises(ConfigError, match=r"'duration' is .*; expected at least 8 s"):
        design_excitation(JointLimits(), 0.02, duration)


WAVE = 0.5 * np.sin(np.arange(0.0, 10.0, 0.02))


def test_a_motion_of_the_users_own_is_taken_as_it_is() -> None:
    assert take_excitation(WAVE, 0.02, JointLimits()).position is WAVE


@pytest.mark.parametrize(
    ("position", "limits", "message"),
    [
        (WAVE[:300], JointLimits(), "'position' is '300 values'; expected finite positions"),
        (WAVE * np.nan, JointLimits(), "'position' is '500 values'; expected finite positions"),
        (WAVE, JointLimits(-0.4, 0.6), r"'lower' is -0\.4.*; expected nothing beyond -0\.4"),
        (WAVE, JointLimits(-0.6, 0.4), r"'upper' is 0\.4.*; expected nothing beyond 0\.4"),
        (WAVE, JointLimits(speed=0.3), r"'speed' is 0\.4.*; expected nothing beyond 0\.3"),
        (
            WAVE,
            JointLimits(acceleration=0.2),
            r"'acceleration' is .*; expected nothing beyond 0\.2",
        ),
    ],
)
def test_a_motion_beyond_the_limits_is_refused_by_limit(
    position: np.ndarray, limits: JointLimits, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        take_excitation(position, 0.02, limits)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(0.1, 2.0))
def test_a_way_begins_and_ends_at_rest_and_is_not_too_fast(
    start: float, end: float, speed: float
) -> None:
    way = move_to(start, end, 0.02, speed)
    assert way[-1] == pytest.approx(end)
    steps = np.abs(np.diff(np.concatenate([[start], way])))
    assert steps.max(initial=0.0) <= speed * 0.02 + 1e-9


def test_a_load_asks_for_gravity_and_inertia() -> None:
    load = PointLoad(0.3, 0.2, level=0.1)
    efforts = load.effort(np.array([0.1, 0.1 + np.pi / 2]), np.array([2.0, 0.0]))
    assert efforts == pytest.approx([0.3 * 0.2 * 9.81 + 0.3 * 0.04 * 2.0, 0.0], abs=1e-12)
    with pytest.raises(ConfigError, match="load: 'mass' is -1"):
        PointLoad(-1.0, 0.2)
