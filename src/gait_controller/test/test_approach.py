"""The move from where the robot stands to the first pose of the gait."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gait_controller.approach import Approach
from gait_controller.frame import Frame

DT = 0.02
ANGLE = st.floats(-3.0, 3.0)


def frames_of(approach: Approach, most: int = 100_000) -> list[Frame]:
    frames: list[Frame] = []
    while not approach.done:
        assert len(frames) < most
        frames.append(approach.step())
    return frames


@given(st.lists(st.tuples(ANGLE, ANGLE), min_size=1, max_size=6), st.floats(0.1, 4.0))
def test_every_joint_arrives_together_and_none_is_faster_than_allowed(
    ways: list[tuple[float, float]], speed: float
) -> None:
    start, goal = np.array(ways).T
    poses = [start] + [f.position for f in frames_of(Approach(start, goal, DT, speed))]
    np.testing.assert_allclose(poses[-1], goal, atol=1e-12)
    moved = np.abs(np.diff(poses, axis=0))
    assert moved.max(initial=0.0) <= speed * DT * (1 + 1e-9)
    way = np.abs(goal - start)
    parts = [np.abs(pose - start)[way > 1e-3] / way[way > 1e-3] for pose in poses]
    assert all(np.ptp(part) < 1e-9 for part in parts if len(part))


def test_velocities_are_those_of_the_positions_and_within_the_limit() -> None:
    start, goal = np.array([0.7, -0.3, 0.0]), np.array([0.1, 0.2, 0.0])
    frames = frames_of(Approach(start, goal, 0.001, 0.5))
    for before, frame, after in zip(frames, frames[1:], frames[2:-1], strict=False):
        middle = (after.position - before.position) / (2 * 0.001)
        np.testing.assert_allclose(frame.velocity, middle, atol=1e-5)
    assert all(np.abs(frame.velocity).max() <= 0.5 * (1 + 1e-9) for frame in frames)


def test_it_ends_at_rest() -> None:
    frames = frames_of(Approach(np.array([0.4, -0.2]), np.array([0.0, 0.1]), DT, 0.5))
    assert frames[-1].velocity.tolist() == [0.0, 0.0]
    assert frames[-1].position.tolist() == [0.0, 0.1]


def test_wheels_stand_still() -> None:
    approach = Approach(np.array([0.4, 2.7]), np.array([0.0, math.nan]), DT, 0.5)
    for frame in frames_of(approach):
        assert math.isnan(frame.position[1]) and frame.velocity[1] == 0.0
        assert not math.isnan(frame.position[0])


def test_the_first_frame_starts_from_the_measured_pose_without_a_jump() -> None:
    first = Approach(np.array([1.0, -1.0]), np.zeros(2), DT, 0.5).step()
    assert np.abs(first.position - [1.0, -1.0]).max() < 0.001


@pytest.mark.parametrize("goal", [[0.3, math.nan], [math.nan, math.nan]])
def test_a_robot_that_stands_there_already_need_not_move(goal: list[float]) -> None:
    approach = Approach(np.array([0.3, 1.0]), np.array(goal), DT, 0.5)
    assert approach.done and approach.remaining == 0.0
    assert approach.step().velocity.tolist() == [0.0, 0.0]


def test_the_speed_can_be_lowered_on_the_way() -> None:
    approach = Approach(np.array([1.0]), np.array([0.0]), DT, 2.0)
    poses = [approach.step().position[0] for _ in range(10)]
    approach.speed = 0.1
    poses += [frame.position[0] for frame in frames_of(approach)]
    assert np.abs(np.diff(poses[9:])).max() <= 0.1 * DT * (1 + 1e-9)
    assert poses[-1] == 0.0


def test_remaining_time_counts_down_to_0() -> None:
    approach = Approach(np.array([1.0]), np.array([0.0]), DT, 0.5)
    assert approach.remaining == pytest.approx(3.0)
    assert len(frames_of(approach)) in (150, 151)
    assert approach.remaining == 0.0
