"""Walking: the rules one by one, with steps that can be counted."""

from dataclasses import replace

import numpy as np
import pytest
from walk_recorder import BODY, DT, GAITS, GEOMETRY, WalkRecorder

from hexapod_motion.planar import STILL, Twist
from stride_base.errors import RefusedError

FORWARD = Twist(100 + 0j, 0.0)
FL, ML, RL, FR, MR, RR = range(6)


def mean_move(walk: WalkRecorder, frames: int) -> tuple[complex, float]:
    """Velocity (mm/s) and turn (rad/s) in the world, over whole cycles at speed."""
    before = walk.place
    walk.run(frames)
    way = (walk.place.shift - before.shift) * before.turn.conjugate()
    turn = walk.place.turn * before.turn.conjugate()
    return way / (frames * DT), float(np.angle(turn)) / (frames * DT)


@pytest.mark.parametrize("gait", sorted(GAITS))
def test_it_walks_at_the_commanded_velocity_within_reach(gait: str) -> None:
    walk = WalkRecorder(gait)
    command = Twist(20 + 10j, 0.03)
    walk.walker.command(command)
    walk.run(600)
    assert walk.walker.state.twist == command


def test_straight_on_is_forward_and_left_is_left() -> None:
    walk = WalkRecorder()
    walk.walker.command(Twist(80 + 0j, 0.0))
    walk.run(300)
    assert walk.place.shift.real > 100.0 and abs(walk.place.shift.imag) < 1e-9
    walk.walker.command(Twist(0 + 80j, 0.0))
    walk.run(600)
    velocity, turn = mean_move(walk, 120)
    assert velocity == pytest.approx(80j, abs=1e-6) and abs(turn) < 1e-12


def test_turning_left_is_counter_clockwise_about_the_middle_of_the_body() -> None:
    walk = WalkRecorder()
    walk.walker.command(Twist(0j, 0.4))
    walk.run(450)
    assert abs(walk.place.shift) < 1e-9
    assert walk.walker.state.twist.turn == pytest.approx(0.4)
    assert 0.4 * 1.5 < float(np.angle(walk.place.turn)) < 0.4 * 3.0


def test_standing_feet_move_against_the_body_on_the_right_side() -> None:
    walk = WalkRecorder()
    walk.walker.command(FORWARD)
    walk.run(400)
    before = BODY.from_limbs(walk.points)
    down = walk.walker.down
    walk.step()
    way = (BODY.from_limbs(walk.points) - before)[down & walk.walker.down]
    assert way[:, 0] == pytest.approx(-100.0 * DT, abs=1e-9)
    assert np.abs(way[:, 1:]).max() < 1e-9


@pytest.mark.parametrize("gait", sorted(GAITS))
def test_legs_lift_in_the_order_of_the_gait(gait: str) -> None:
    walk = WalkRecorder(gait)
    walk.walker.command(Twist(20 + 0j, 0.0))
    walk.run(round(2 * GAITS[gait].cycle_time / DT))
    order: list[int] = []
    before = walk.lifts()
    for _ in range(round(GAITS[gait].cycle_time / DT)):
        walk.step()
        now = walk.lifts()
        order += [leg for leg in range(6) if now[leg] > before[leg]]
        before = now
    assert len(order) == 6
    offsets = GAITS[gait].offsets[order]
    first = int(np.argmin(offsets))
    assert (np.diff(np.roll(offsets, -first)) >= 0.0).all()


@pytest.mark.parametrize(
    ("gait", "feet"), [("tripod", 3), ("ripple", 4), ("wave", 5), ("amble", 4)]
)
def test_feet_on_the_ground_at_speed(gait: str, feet: int) -> None:
    walk = WalkRecorder(gait)
    walk.walker.command(Twist(20 + 0j, 0.0))
    walk.run(300)
    counts = []
    for _ in range(round(GAITS[gait].cycle_time / DT)):
        walk.step()
        counts.append(int(walk.walker.down.sum()))
    assert min(counts) == feet


def test_too_fast_a_command_is_slower_but_goes_the_same_way() -> None:
    walk = WalkRecorder()
    walk.walker.command(Twist(1000 + 500j, 1.0))
    walk.run(900)
    twist = walk.walker.state.twist
    assert twist.velocity.imag / twist.velocity.real == pytest.approx(0.5)
    assert twist.turn / twist.velocity.real == pytest.approx(1.0 / 1000.0)
    assert 80.0 < twist.size < 250.0
    speeds = np.array([abs(twist.at(leg.center)) for leg in walk.walker.state.legs])
    assert (speeds <= walk.walker.limits.foot_speed + 1e-6).all()


def test_a_new_command_is_ramped() -> None:
    walk = WalkRecorder(acceleration=300.0)
    walk.walker.command(Twist(500 + 0j, 0.0))
    last = walk.walker.state.twist
    for _ in range(300):
        walk.step()
        now = walk.walker.state.twist
        assert Twist(now.velocity - last.velocity, now.turn - last.turn).size <= 300.0 * DT + 1e-9
        last = now


@pytest.mark.parametrize("gait", sorted(GAITS))
@pytest.mark.parametrize("moment", [5, 37, 61, 90, 133])
def test_release_in_mid_step_replants_without_a_jump(gait: str, moment: int) -> None:
    walk = WalkRecorder(gait)
    walk.walker.command(Twist(300 + 0j, 0.0))
    walk.run(300 + moment)
    walk.jolts = walk.joint_speed = 0.0
    lifts = walk.lifts()
    walk.walker.command(STILL)
    walk.until_settled()
    assert walk.jolts < 100.0 and walk.joint_speed < GEOMETRY.joint_speed
    assert max(np.subtract(walk.lifts(), lifts)) <= 1
    assert walk.walker.down.all()


def test_after_the_stop_the_feet_are_back_where_they_stood() -> None:
    walk = WalkRecorder()
    walk.walker.command(Twist(90 - 60j, 0.3))
    walk.run(500)
    walk.walker.command(STILL)
    walk.until_settled()
    assert walk.points == pytest.approx(GEOMETRY.stand, abs=0.5)


def test_it_starts_again_after_a_stop() -> None:
    walk = WalkRecorder()
    for _ in range(3):
        walk.walker.command(FORWARD)
        walk.run(300)
        assert walk.walker.state.twist == FORWARD
        walk.walker.command(STILL)
        walk.until_settled()


def test_a_command_again_before_the_stop_is_over_goes_on_walking() -> None:
    walk = WalkRecorder()
    walk.walker.command(FORWARD)
    walk.run(300)
    walk.walker.command(STILL)
    walk.run(20)
    walk.walker.command(FORWARD)
    walk.run(400)
    assert walk.walker.state.twist == FORWARD


def test_without_a_command_nothing_moves() -> None:
    walk = WalkRecorder()
    walk.run(50)
    assert walk.lifts() == [0] * 6 and (walk.points == walk.walker.points()).all()


def test_the_gait_changes_while_walking_and_keeps_going() -> None:
    walk = WalkRecorder("tripod")
    walk.walker.command(Twist(30 + 0j, 0.0))
    walk.run(250)
    walk.walker.change(replace(walk.walker.settings, gait="wave"))
    walk.run(900)
    lowest = 6
    for _ in range(400):
        walk.step()
        lowest = min(lowest, int(walk.walker.down.sum()))
    assert lowest == 5 and walk.walker.state.twist.velocity.real > 25.0


def test_step_height_is_reached_and_changes_at_run_time() -> None:
    walk = WalkRecorder(step_height=15.0)
    walk.walker.command(Twist(60 + 0j, 0.0))

    def top() -> float:
        heights = []
        for _ in range(150):
            walk.step()
            heights.append(max(leg.height for leg in walk.walker.state.legs))
        return max(heights)

    walk.run(100)
    assert top() == pytest.approx(15.0, abs=0.1)
    walk.walker.change(replace(walk.walker.settings, step_height=25.0))
    walk.run(100)
    assert top() == pytest.approx(25.0, abs=0.1)


def test_stance_width_moves_the_feet_out_by_stepping_also_when_standing() -> None:
    walk = WalkRecorder()
    walk.walker.change(replace(walk.walker.settings, stance_width=20.0))
    walk.until_settled()
    assert walk.lifts() == [1] * 6
    out = np.hypot(walk.points[:, 0], walk.points[:, 2]) - np.hypot(
        GEOMETRY.stand[:, 0], GEOMETRY.stand[:, 2]
    )
    assert out == pytest.approx(20.0, abs=0.6)


def test_a_foot_that_happens_to_stand_at_its_new_centre_need_not_step() -> None:
    walk = WalkRecorder()
    walk.walker.change(replace(walk.walker.settings, stance_width=20.0))
    walk.run(1)
    walk.walker.change(replace(walk.walker.settings, stance_width=0.0, gait="wave"))
    walk.until_settled()
    walk.step()
    state = walk.walker.state
    assert state.clock.gait is GAITS["wave"] and 0 in walk.lifts()
    assert all(abs(leg.foot - leg.center) <= 0.5 for leg in state.legs)


def test_settings_that_the_legs_cannot_follow_are_refused_and_change_nothing() -> None:
    walk = WalkRecorder()
    before = walk.walker.settings
    for wrong, message in (
        ({"step_height": 200.0}, "the legs reach only 0 mm around"),
        ({"stance_width": 150.0}, "the legs reach only"),
        ({"cycle_time": 0.1}, "faster than the joints"),
        ({"gait": "gallop"}, "there is no gait 'gallop'; there are tripod, ripple, wave, amble"),
    ):
        with pytest.raises(RefusedError, match=message):
            walk.walker.change(replace(before, **wrong))
    assert walk.walker.settings == before
    walk.walker.command(FORWARD)
    walk.run(200)


def test_a_pose_is_held_on_planted_feet() -> None:
    walk = WalkRecorder()
    pose = np.array([15.0, -10.0, 12.0, 0.05, -0.08, 0.1])
    walk.walker.hold_pose(pose)
    walk.until_settled()
    assert walk.walker.pose == pytest.approx(pose) and walk.walker.pose_part == 1.0
    assert walk.lifts() == [0] * 6
    feet = BODY.from_limbs(walk.points)
    assert feet[:, 2].mean() == pytest.approx(-85.0 - 12.0, abs=1.5)
    # Nose down (pitch > 0 in REP-103 turns x towards -z): front feet are nearer to the body.
    nose = WalkRecorder()
    nose.walker.hold_pose(np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.0]))
    nose.until_settled()
    heights = BODY.from_limbs(nose.points)[:, 2]
    assert heights[FL] > heights[RL] + 20.0 and heights[FR] == pytest.approx(heights[FL], abs=1e-9)


def test_only_as_much_of_a_pose_is_taken_as_the_legs_reach() -> None:
    walk = WalkRecorder()
    walk.walker.hold_pose(np.array([0.0, 0.0, -300.0, 0.0, 0.0, 0.0]))
    walk.until_settled()
    assert 0.0 < walk.walker.pose_part < 0.2
    assert walk.walker.limits.radius.min() >= 9.0


def test_a_pose_that_leaves_less_room_waits_for_shorter_steps() -> None:
    walk = WalkRecorder()
    walk.walker.command(Twist(400 + 0j, 0.0))
    walk.run(400)
    fast = walk.walker.state.twist.size
    walk.walker.hold_pose(np.array([0.0, 0.0, -15.0, 0.0, 0.0, 0.0]))
    walk.run(600)
    assert walk.walker.pose[2] == pytest.approx(-15.0)
    assert walk.walker.state.twist.size < 0.8 * fast
    walk.walker.hold_pose(np.zeros(6))
    walk.run(900)
    assert walk.walker.state.twist.size == pytest.approx(fast, rel=0.01)


def test_parking_ends_in_the_standing_pose_whatever_is_wanted() -> None:
    walk = WalkRecorder(stance_width=20.0)
    walk.until_settled()
    walk.walker.command(FORWARD)
    walk.walker.hold_pose(np.array([0.0, 0.0, 10.0, 0.0, 0.05, 0.0]))
    walk.run(300)
    walk.walker.park()
    for _ in range(1500):
        if walk.walker.parked:
            break
        walk.step()
    assert walk.walker.parked
    assert walk.points == pytest.approx(GEOMETRY.stand, abs=0.6)
    walk.walker.resume()
    walk.run(300)
    assert walk.walker.state.twist == FORWARD


def test_one_step_back_is_exact() -> None:
    walk = WalkRecorder()
    walk.walker.command(FORWARD)
    walk.walker.hold_pose(np.array([5.0, 0.0, 5.0, 0.0, 0.0, 0.0]))
    walk.run(77)
    points = walk.walker.points()
    once = walk.walker.step(DT)
    walk.walker.back()
    assert (walk.walker.points() == points).all()
    assert (walk.walker.step(DT) == once).all()
