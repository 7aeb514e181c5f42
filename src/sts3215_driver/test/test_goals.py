"""Goal messages are taken whole or not at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from stride_base.errors import RefusedError
from sts3215_driver import servo_table
from sts3215_driver.goals import GoalMerger

NAN = math.nan
TABLE = servo_table.parse(
    {
        "servos": [
            {"id": i, "name": n, "mode": "position", "sign": 1, "zero": 2048, "min": -1, "max": 1}
            for i, n in ((1, "a"), (2, "b"))
        ]
        + [{"id": 3, "name": "w", "mode": "wheel", "sign": 1}]
    },
    "robot.json",
)


def good() -> dict[str, Any]:
    return {
        "names": ["w", "a"],
        "position": [NAN, 0.5],
        "duration": [0.02, 0.04],
        "velocity": [3.0, NAN],
        "now": 7.0,
    }


def test_joints_that_are_not_named_keep_their_goal() -> None:
    merger = GoalMerger(TABLE)
    merger.merge(["b"], [-0.25], [0.1], [NAN], 1.0)
    goals = merger.merge(**good())
    np.testing.assert_equal(goals.position, [0.5, -0.25, NAN])
    np.testing.assert_equal(goals.duration, [0.04, 0.1, 0.02])
    np.testing.assert_equal(goals.velocity, [NAN, NAN, 3.0])
    assert goals.number == 2
    np.testing.assert_equal(goals.received, [7.0, 1.0, 7.0])


def test_a_message_does_not_change_goals_that_were_handed_out() -> None:
    merger = GoalMerger(TABLE)
    first = merger.merge(["a"], [0.1], [0.1], [NAN], 1.0)
    merger.merge(["a"], [0.9], [0.1], [NAN], 1.0)
    assert first.position[0] == 0.1


BAD = [
    ("NaN position", {"position": [NAN, NAN]}, "joint 'a' has position nan"),
    ("infinite position", {"position": [NAN, math.inf]}, "joint 'a' has position inf"),
    ("velocity for a joint", {"velocity": [3.0, 1.0]}, "expected a finite position"),
    ("position for a wheel", {"position": [0.1, 0.5]}, "joint 'w' is a wheel"),
    ("NaN for a wheel", {"velocity": [NAN, NAN]}, "joint 'w' is a wheel"),
    ("zero duration", {"duration": [0.02, 0.0]}, "joint 'a' has duration 0;"),
    ("negative duration", {"duration": [-1.0, 0.1]}, "joint 'w' has duration -1"),
    ("NaN duration", {"duration": [0.02, NAN]}, "joint 'a' has duration nan"),
    ("short position", {"position": [NAN]}, "position has 1 values for 2 joints"),
    ("long velocity", {"velocity": [1.0, NAN, NAN]}, "velocity has 3 values for 2 joints"),
    ("unknown joint", {"names": ["w", "x"]}, "joint 'x' is not in the servo file"),
    ("joint twice", {"names": ["w", "w"]}, "joint 'w' is named twice"),
    ("no joints", {"names": [], "position": [], "duration": [], "velocity": []}, "no joints"),
]


@pytest.mark.parametrize(
    ("change", "reason"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_a_bad_message_is_refused_and_the_last_goals_stay(
    change: dict[str, Any], reason: str
) -> None:
    merger = GoalMerger(TABLE)
    before = merger.merge(**good())
    with pytest.raises(RefusedError, match=reason):
        merger.merge(**{**good(), **change})
    after = merger.merge(["b"], [0.0], [0.1], [NAN], 8.0)
    np.testing.assert_equal(after.position[0], before.position[0])
    assert after.number == before.number + 1


def test_after_a_stop_old_goals_are_gone() -> None:
    merger = GoalMerger(TABLE)
    merger.merge(**good())
    merger.forget()
    goals = merger.merge(["b"], [0.0], [0.1], [NAN], 8.0)
    assert np.isnan(goals.position[0]) and np.isnan(goals.velocity[2])
    assert goals.number == 2
