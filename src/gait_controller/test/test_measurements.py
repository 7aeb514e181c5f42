"""What a joint_states message is good for, and for how long."""

import math
from typing import Any

import numpy as np
import pytest

from gait_controller.measurements import Measurements
from stride_base.errors import RefusedError

NAMES = ["a", "b", "w"]


@pytest.fixture
def measured() -> Measurements:
    return Measurements(NAMES, [False, False, True], stall_torque=2.94, oldest=2)


def test_nothing_is_known_at_first(measured: Measurements) -> None:
    assert np.isnan(measured.position()).all() and np.isnan(measured.load()).all()


def test_effort_over_stall_torque_is_the_load(measured: Measurements) -> None:
    measured.update(NAMES, [0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [2.94, -0.294, 0.0])
    measured.advance(1)
    np.testing.assert_allclose(measured.load(), [1.0, -0.1, 0.0])
    np.testing.assert_allclose(measured.position(), [0.1, 0.2, 0.3])


def test_joints_count_by_name_and_not_by_place(measured: Measurements) -> None:
    measured.update(["w", "b", "a"], [3.0, 2.0, 1.0], [], [0.3, 0.2, 0.1])
    measured.advance(1)
    assert measured.position().tolist() == [1.0, 2.0, 3.0]


def test_a_joint_that_is_not_named_keeps_its_value_until_it_is_too_old(
    measured: Measurements,
) -> None:
    measured.update(NAMES, [0.1, 0.2, 0.3], [], [1.0, 1.0, 1.0])
    known = []
    for _ in range(5):
        measured.advance(1)
        known.append(~np.isnan(measured.load()))
        measured.update(["a"], [0.1], [], [1.0])
    assert [row[0] for row in known] == [True] * 5
    assert [row[1] for row in known] == [True, True, True, False, False]


def test_an_empty_array_says_nothing_of_its_quantity(measured: Measurements) -> None:
    measured.update(NAMES, [0.1, 0.2, 0.3], [], [])
    measured.advance(1)
    assert np.isnan(measured.load()).all() and not np.isnan(measured.position()).any()
    measured.update(NAMES, [], [], [0.0, 0.0, 0.0])
    assert measured.position().tolist() == [0.1, 0.2, 0.3]


def test_a_wheel_may_have_no_position(measured: Measurements) -> None:
    measured.update(NAMES, [0.1, 0.2, math.nan], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    measured.advance(1)
    assert measured.position()[:2].tolist() == [0.1, 0.2]


@pytest.mark.parametrize(
    ("names", "position", "velocity", "effort", "reason"),
    [
        (["a", "b"], [0.1], [], [], "1 values of position for 2 names"),
        (["a", "b"], [0.1, 0.2, 0.3], [], [], "3 values of position for 2 names"),
        (["a", "b"], [], [0.1], [], "1 values of velocity for 2 names"),
        (["a", "b"], [], [], [0.1], "1 values of effort for 2 names"),
        ([], [0.1], [], [], "1 values of position for 0 names"),
        (["a", "b"], [0.1, math.nan], [], [], "position of b is nan"),
        (["a", "b"], [-math.inf, 0.1], [], [], "position of a is -inf"),
        (["a", "w"], [0.1, math.inf], [], [], "position of w is inf"),
        (["a", "b"], [0.1, 0.1], [math.nan, 0.0], [], "velocity of a is nan"),
        (["a", "w"], [0.1, 0.1], [], [0.1, math.nan], "effort of w is nan"),
        (["a", "b"], [0.1, 0.1], [], [math.inf, 0.1], "effort of a is inf"),
        (["a", "x"], [0.1, 0.1], [], [], "unknown joint x"),
        (["a", "a"], [0.1, 0.1], [], [], "a joint is named twice"),
    ],
)
def test_a_message_with_a_fault_is_refused_whole(
    measured: Measurements, names: list[str], position: Any, velocity: Any, effort: Any, reason: str
) -> None:
    measured.update(NAMES, [1.0, 2.0, 3.0], [], [0.0, 0.0, 0.0])
    with pytest.raises(RefusedError, match=reason):
        measured.update(names, position, velocity, effort)
    measured.advance(1)
    assert measured.position().tolist() == [1.0, 2.0, 3.0]
    assert measured.load().tolist() == [0.0, 0.0, 0.0]


def test_a_good_message_is_taken_after_a_refused_one(measured: Measurements) -> None:
    with pytest.raises(RefusedError):
        measured.update(["a", "x"], [0.1, 0.1], [], [])
    measured.update(["a"], [0.5], [], [])
    measured.advance(1)
    assert measured.position()[0] == 0.5


def test_forgotten_is_unknown(measured: Measurements) -> None:
    measured.update(NAMES, [1.0, 2.0, 3.0], [], [0.0, 0.0, 0.0])
    measured.forget()
    measured.advance(1)
    assert np.isnan(measured.position()).all() and np.isnan(measured.load()).all()
