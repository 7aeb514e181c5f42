"""What must hold for every gait and any sequence of commands."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from walk_recorder import GAITS, GEOMETRY, WalkRecorder

from hexapod_motion.planar import STILL, Twist
from stride_base.errors import RefusedError

velocity = st.floats(-400.0, 400.0)
twists = st.builds(
    lambda x, y, turn: Twist(complex(x, y), turn), velocity, velocity, st.floats(-1.5, 1.5)
)
commands = st.one_of(st.just(STILL), twists, st.just(Twist(200 + 0j, 0.0)))
poses = st.builds(
    lambda *values: np.array(values),
    *[st.floats(-40.0, 40.0)] * 3,
    *[st.floats(-0.25, 0.25)] * 3,
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "gait": st.sampled_from(sorted(GAITS)),
        "step_height": st.floats(10.0, 35.0),
        "stance_width": st.floats(-10.0, 30.0),
        "cycle_time": st.floats(0.7, 2.0),
    },
)
gaits = st.sampled_from(sorted(GAITS))
EXAMPLES = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_end(walk: WalkRecorder) -> None:
    """Let go; every property that shows at the end or over the whole walk."""
    lifts = walk.lifts()
    walk.walker.command(STILL)
    walk.until_settled()
    assert max(np.subtract(walk.lifts(), lifts)) <= 1
    assert all(leg.height == 0.0 for leg in walk.walker.state.legs)
    for _leg, planned, landed in walk.landings:
        assert abs(planned - landed) < 1e-6
    assert max(walk.ground_speeds, default=0.0) < 5.0


@EXAMPLES
@given(gaits, st.lists(st.tuples(commands, st.integers(1, 150)), min_size=1, max_size=8))
def test_any_commands_keep_the_robot_on_its_feet(gait: str, script: Any) -> None:
    walk = WalkRecorder(gait)
    for command, frames in script:
        walk.walker.command(command)
        walk.run(frames)
    check_end(walk)
    assert walk.joint_speed <= GEOMETRY.joint_speed
    assert walk.jolts < 160.0


@EXAMPLES
@given(
    gaits,
    st.lists(st.tuples(commands, changes, st.integers(1, 150)), min_size=1, max_size=6),
)
def test_gait_height_and_width_change_on_the_way(gait: str, script: Any) -> None:
    walk = WalkRecorder(gait)
    for command, change, frames in script:
        walk.walker.command(command)
        with suppress(RefusedError):
            walk.walker.change(replace(walk.walker.settings, **change))
        walk.run(frames)
    walk.walker.command(STILL)
    walk.until_settled()
    walk.step()
    assert max(abs(leg.foot - leg.center) for leg in walk.walker.state.legs) <= 0.5
    for _leg, planned, landed in walk.landings:
        assert abs(planned - landed) < 1e-6


@EXAMPLES
@given(
    gaits,
    st.lists(st.tuples(commands, poses, st.integers(1, 120)), min_size=1, max_size=6),
)
def test_the_body_poses_while_walking(gait: str, script: Any) -> None:
    walk = WalkRecorder(gait)
    for command, pose, frames in script:
        walk.walker.command(command)
        walk.walker.hold_pose(pose)
        walk.run(frames)
    walk.walker.command(STILL)
    walk.until_settled()
    wanted = script[-1][1] * walk.walker.pose_part
    assert walk.walker.pose == pytest.approx(wanted, abs=1e-9)


@EXAMPLES
@given(gaits, twists.filter(lambda twist: twist.size > 20.0), st.integers(0, 400))
def test_reversing_the_stick_at_any_moment_walks_back(gait: str, twist: Twist, frames: int) -> None:
    walk = WalkRecorder(gait)
    walk.walker.command(twist)
    walk.run(frames)
    walk.walker.command(twist.times(-1.0))
    walk.run(1200)
    now = walk.walker.state.twist
    assert (now.velocity * twist.velocity.conjugate()).real <= 1e-9
    assert now.turn * twist.turn <= 1e-12
    assert now.size > 5.0
    check_end(walk)
    assert walk.joint_speed <= GEOMETRY.joint_speed
