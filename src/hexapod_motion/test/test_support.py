"""Which feet carry the robot, and how far it is from tipping over."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.body_pose import rotation
from hexapod_motion.geometry import Geometry
from hexapod_motion.support import contacts, stability_margin

CENTER = np.zeros(3)
FL, ML, RL, FR, MR, RR = range(6)


def lifted(geometry: Geometry, *limbs: int, by: float = 30.0) -> np.ndarray:
    feet = BodyFrame(geometry).stand.copy()
    feet[list(limbs), 2] += by
    return feet


def test_the_margin_is_the_distance_to_the_nearest_edge() -> None:
    square = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.1, 0.2]])
    assert stability_margin(square, np.zeros(2)) == pytest.approx(1.0)
    assert stability_margin(square, np.array([0.7, 0.0])) == pytest.approx(0.3)
    assert stability_margin(square, np.array([1.5, 0.0])) == pytest.approx(-0.5)


@pytest.mark.parametrize("feet", [np.zeros((0, 2)), np.eye(2), np.array([[0, 0], [1, 1], [2, 2]])])
def test_fewer_than_three_corners_carry_nothing(feet: np.ndarray) -> None:
    assert stability_margin(feet.astype(float), np.zeros(2)) == -math.inf


def test_a_tripod_stands_on_its_three_feet(geometry: Geometry) -> None:
    down = contacts(lifted(geometry, ML, FR, RR), CENTER)
    assert down.tolist() == [True, False, True, False, True, False]


def test_standing_is_on_all_six(geometry: Geometry) -> None:
    assert contacts(BodyFrame(geometry).stand, CENTER).all()


@given(roll=st.floats(-0.3, 0.3), pitch=st.floats(-0.3, 0.3))
def test_a_tilted_body_still_stands_on_all_planted_feet(
    geometry: Geometry, roll: float, pitch: float
) -> None:
    turn = rotation(np.array([0.0, 0.0, 0.0, roll, pitch, 0.0]))
    feet = BodyFrame(geometry).stand @ turn
    assert contacts(feet, CENTER).all()
    feet[FR] += turn.T @ [0.0, 0.0, 25.0]
    assert contacts(feet, CENTER).tolist() == [True, True, True, False, True, True]


def test_without_a_front_and_a_middle_leg_it_sinks_onto_the_lower_one(geometry: Geometry) -> None:
    feet = lifted(geometry, FL, by=40.0)
    feet[ML, 2] += 20.0
    center = np.array([30.0, 40.0, 0.0])
    down = contacts(feet, center)
    assert down[ML] and not down[FL]


def test_a_centre_outside_all_feet_stands_nowhere(geometry: Geometry) -> None:
    feet = lifted(geometry, FL)
    assert not contacts(feet, np.array([400.0, 0.0, 0.0])).any()
