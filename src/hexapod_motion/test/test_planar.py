"""Moves of the body over the ground, and twists."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexapod_motion.planar import LEVER, STILL, PlanarMove, Twist

places = st.builds(complex, st.floats(-500, 500), st.floats(-500, 500))
twists = st.builds(Twist, places, st.floats(-2, 2))
times = st.floats(0, 2)


@given(twists, times, places)
def test_seen_before_is_the_inverse_of_seen_after(
    twist: Twist, time: float, place: complex
) -> None:
    move = PlanarMove.along(twist, time)
    assert move.seen_before(move.seen_after(place)) == pytest.approx(place, abs=1e-6)


@given(twists, times, times)
def test_moves_along_one_twist_add_up(twist: Twist, one: float, two: float) -> None:
    together = PlanarMove.along(twist, one).then(PlanarMove.along(twist, two))
    whole = PlanarMove.along(twist, one + two)
    assert together.shift == pytest.approx(whole.shift, abs=1e-6)
    assert together.turn == pytest.approx(whole.turn, abs=1e-9)


@given(twists, places)
def test_a_place_goes_by_with_its_velocity(twist: Twist, place: complex) -> None:
    step = 1e-6
    after = PlanarMove.along(twist, step).seen_after(place)
    assert (place - after) / step == pytest.approx(twist.at(place), abs=1e-2)


def test_a_turn_to_the_left_carries_the_front_to_the_left() -> None:
    move = PlanarMove.along(Twist(0j, 1.0), math.pi / 2)
    assert move.seen_before(100 + 0j) == pytest.approx(100j)
    assert move.seen_after(100 + 0j) == pytest.approx(-100j)


def test_driving_in_a_circle_comes_back() -> None:
    move = PlanarMove.along(Twist(100 + 0j, 0.5), 4.0 * math.pi)
    assert move.shift == pytest.approx(0j, abs=1e-9)


@given(twists, twists, st.floats(0.01, 100.0))
def test_a_ramp_goes_straight_to_the_goal_and_not_too_fast(a: Twist, b: Twist, most: float) -> None:
    change = Twist(a.ramped(b, most).velocity - a.velocity, a.ramped(b, most).turn - a.turn)
    assert change.size <= most * (1 + 1e-9)
    for _ in range(3):
        whole = Twist(b.velocity - a.velocity, b.turn - a.turn).size
        a = a.ramped(b, most)
        left = Twist(b.velocity - a.velocity, b.turn - a.turn).size
        assert left == pytest.approx(max(0.0, whole - most), abs=1e-6)


@given(twists, st.floats(0.01, 1000.0))
def test_braking_stays_on_the_arc_until_it_rests(twist: Twist, most: float) -> None:
    slower = twist.braked(most)
    if twist.size <= most:
        assert slower == STILL and not slower
    else:
        assert slower.size == pytest.approx(twist.size - most, abs=1e-6)
        assert slower.velocity * twist.turn == pytest.approx(twist.velocity * slower.turn, abs=1e-6)


def test_a_turn_counts_at_the_lever() -> None:
    assert Twist(0j, -1.0).size == LEVER and Twist(3 + 4j, 0.0).size == 5.0
