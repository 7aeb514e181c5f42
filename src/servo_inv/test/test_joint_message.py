"""Which wanted joint states are taken, and what a refusal says."""

import array
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servo_inv.joint_message import read_joints
from stride_base.errors import RefusedError

NAN, INF = math.nan, math.inf


def test_a_full_message_is_taken_as_it_is() -> None:
    command = read_joints(["a", "b"], [0.1, -0.2], [1.0, 2.0], [0.3, 0.4])
    assert command.names == ("a", "b")
    assert command.position.tolist() == [0.1, -0.2]
    assert command.velocity.tolist() == [1.0, 2.0] and command.has_velocity
    assert command.effort.tolist() == [0.3, 0.4] and command.has_effort
    assert not command.wheels.any()


def test_empty_velocity_and_effort_mean_not_given_and_read_as_zeros() -> None:
    command = read_joints(["a", "b"], [0.1, -0.2], [], [])
    assert command.velocity.tolist() == [0.0, 0.0] and not command.has_velocity
    assert command.effort.tolist() == [0.0, 0.0] and not command.has_effort


def test_a_wheel_has_a_velocity_and_no_position() -> None:
    command = read_joints(["leg", "wheel"], [0.1, NAN], [0.0, 3.0], [])
    assert command.wheels.tolist() == [False, True]


def test_the_command_does_not_change_with_the_message_it_came_from() -> None:
    position = array.array("d", [0.1, 0.2])
    command = read_joints(["a", "b"], position, [], [])
    position[0] = 9.0
    assert command.position[0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        command.position[0] = 9.0


def test_known_names_are_taken_over_only_where_they_are_the_same() -> None:
    known = ("a", "b")
    assert read_joints(["a", "b"], [0, 0], [], [], known).names is known
    assert read_joints(["b", "a"], [0, 0], [], [], known).names == ("b", "a")
    with pytest.raises(RefusedError, match="'a' is named twice"):
        read_joints(["a", "a"], [0, 0], [], [], known)


@pytest.mark.parametrize(
    ("names", "position", "velocity", "effort", "reason"),
    [
        ([], [], [], [], "names no joints"),
        (["a", ""], [0, 0], [], [], "joint 1 has an empty name"),
        (["a", "b", "a"], [0, 0, 0], [], [], "joint 'a' is named twice"),
        (["a", "b"], [], [], [], "position has 0 values for 2 joints"),
        (["a", "b"], [0], [], [], "position has 1 values for 2 joints"),
        (["a", "b"], [0, 0, 0], [], [], "position has 3 values for 2 joints"),
        (["a", "b"], [0, 0], [0], [], "velocity has 1 values for 2 joints"),
        (["a", "b"], [0, 0], [], [0, 0, 0], "effort has 3 values for 2 joints"),
        (["a", "b"], [0, INF], [], [], "position of joint 'b' is inf"),
        (["a", "b"], [0, -INF], [0, 1], [], "position of joint 'b' is -inf"),
        (["a", "b"], [0, NAN], [], [], "position of joint 'b' is nan"),
        (["a", "b"], [0, NAN], [0, NAN], [], "velocity of joint 'b' is nan"),
        (["a", "b"], [0, NAN], [0, INF], [], "velocity of joint 'b' is inf"),
        (["a", "b"], [0, 0], [NAN, 0], [], "velocity of joint 'a' is nan"),
        (["a", "b"], [0, 0], [], [NAN, 0], "effort of joint 'a' is nan"),
        (["a", "b"], [0, NAN], [0, 1], [0, NAN], "effort of joint 'b' is nan"),
        (["a", "b"], [0, 0], [], [0, -INF], "effort of joint 'b' is -inf"),
    ],
)
def test_bad_messages_are_refused_whole_with_the_reason(
    names: list[str],
    position: list[float],
    velocity: list[float],
    effort: list[float],
    reason: str,
) -> None:
    with pytest.raises(RefusedError, match=reason):
        read_joints(names, position, velocity, effort)


NUMBERS = st.lists(st.floats(), max_size=4)


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=4), NUMBERS, NUMBERS, NUMBERS)
def test_whatever_is_taken_is_complete_and_finite_but_for_the_positions_of_wheels(
    names: list[str], position: list[float], velocity: list[float], effort: list[float]
) -> None:
    try:
        command = read_joints(names, position, velocity, effort)
    except RefusedError:
        return
    shape = (len(names),)
    assert shape > (0,) and len(set(names) - {""}) == len(names)
    for vector in (command.position, command.velocity, command.effort, command.wheels):
        assert vector.shape == shape
    assert (np.isfinite(command.position) != command.wheels).all()
    assert np.isfinite(command.velocity).all() and np.isfinite(command.effort).all()
    assert command.has_velocity or not command.wheels.any()
