"""Sequences and walking together: start, hand-over, refusals, faults, missed ticks."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexapod_motion.gaits import Gait, load_gaits
from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import Frame, MotionSettings, State
from hexapod_motion.sequence_check import load_checked_book
from hexapod_motion.sequences import Book, Posture, load_book
from stride_base.errors import RefusedError


@pytest.fixture(scope="module")
def book(robot_folder: Path, geometry: Geometry) -> Book:
    return load_checked_book(robot_folder / "sequences", geometry)[0]


@pytest.fixture(scope="module")
def gaits(robot_folder: Path, geometry: Geometry) -> Any:
    return load_gaits(robot_folder / "gaits.yaml", geometry)


class Hexapod:
    """Motion stepped tick by tick, with its frames."""

    def __init__(self, geometry: Geometry, book: Book, gaits: dict[str, Gait], **settings: Any):
        self.motion = Motion(geometry, book, gaits, MotionSettings(**settings))
        self.geometry = geometry
        self.number = 0
        self.frames: list[Frame | None] = []

    def step(self, ticks: int = 1) -> Frame | None:
        for _ in range(ticks):
            self.number += 1
            self.frames.append(self.motion.step(self.number))
        return self.frames[-1]

    def measure(self, position: Any) -> None:
        self.motion.on_joint_states(self.geometry.joint_names, position)

    def drive(self, ticks: int, *velocity: float) -> None:
        """Step with a command repeated ten times a second."""
        for tick in range(ticks):
            if tick % 15 == 0:
                self.motion.on_velocity(*velocity)
            self.step()

    def until(self, condition: Any, most: int = 3000) -> int:
        for ticks in range(most):
            if condition():
                return ticks
            self.step()
        raise AssertionError("it never happened")

    def until_idle(self) -> int:
        return self.until(lambda: self.motion.engine.idle and not self.motion.engine.pending)

    def stand(self) -> None:
        self.step()
        assert self.motion.select("UP").accepted
        self.step()
        self.until_idle()

    def positions(self) -> Any:
        return np.array([frame.position for frame in self.frames if frame])


@pytest.fixture
def robot(geometry: Geometry, book: Book, gaits: Any) -> Hexapod:
    """Starts on the floor, without measurements."""
    return Hexapod(geometry, book, gaits, start_measured=False)


@pytest.fixture
def measured(geometry: Geometry, book: Book, gaits: Any) -> Hexapod:
    """Waits for the measured pose."""
    return Hexapod(geometry, book, gaits)


def test_nothing_is_commanded_before_all_joints_are_measured(measured: Hexapod) -> None:
    assert measured.step(5) is None and measured.motion.state is State.WAITING
    names = measured.geometry.joint_names
    measured.motion.on_joint_states(names[:17], [0.0] * 17)
    assert measured.step() is None
    answer = measured.motion.select("UP")
    assert (answer.accepted, answer.reason) == (False, "the pose of rr_tibia is not known yet")
    with pytest.raises(RefusedError, match="the pose of rr_tibia is not known yet"):
        measured.motion.on_velocity(0.1, 0.0, 0.0)
    measured.motion.on_joint_states(names[17:], [0.0])
    assert measured.step() is not None


def test_it_moves_from_the_measured_pose_to_the_floor_slowly(
    measured: Hexapod, book: Book, kinematics: Kinematics
) -> None:
    rng = np.random.default_rng(1)
    start = rng.uniform(-0.8, 0.8, 18)
    measured.measure(start)
    frame = measured.step()
    assert frame is not None and np.abs(frame.position - start).max() < 0.01
    assert (frame.velocity == 0.0).all()
    measured.until_idle()
    positions = measured.positions()
    assert np.abs(np.diff(positions, axis=0)).max() * 150.0 <= 0.5 + 1e-9
    assert measured.motion.limbs.points == pytest.approx(book.home_points, abs=1e-9)
    assert measured.motion.posture is Posture.FLOOR


def test_in_the_floor_pose_already_it_is_ready_at_once(measured: Hexapod) -> None:
    motion = measured.motion
    measured.measure(motion._frame.to_ros(motion._home))
    measured.step()
    assert motion.state is State.SEQUENCE and motion.engine.idle


def test_a_request_during_the_approach_waits_for_its_end(measured: Hexapod) -> None:
    measured.measure(np.zeros(18))
    measured.step()
    assert measured.motion.select("UP").accepted
    measured.until(lambda: measured.motion.engine.current.name == "UP")
    measured.until_idle()
    assert measured.motion.posture is Posture.STANDING


def test_a_pose_beyond_the_limits_is_led_back_inside(measured: Hexapod) -> None:
    measured.measure(np.full(18, 1.9))
    measured.step()
    measured.until_idle()
    assert measured.motion.fault is None


@pytest.mark.parametrize(
    ("names", "position", "message"),
    [
        (["fl_coxa"], [], "position has 0 values for 1 joints"),
        (["fl_coxa", "ml_coxa"], [0.0, math.nan], "position of joint 'ml_coxa' is nan"),
        (["fl_coxa"], [math.inf], "position of joint 'fl_coxa' is inf"),
    ],
)
def test_wrong_measurements_are_refused_whole(
    measured: Hexapod, names: Any, position: Any, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        measured.motion.on_joint_states(names, position)
    assert len(measured.motion.measured.missing) == 18


def test_measurements_of_other_devices_are_left_out(measured: Hexapod) -> None:
    measured.motion.on_joint_states(["gripper"], [math.nan])
    assert len(measured.motion.measured.missing) == 18


def test_walking_is_refused_on_the_floor(robot: Hexapod) -> None:
    robot.step()
    for command in (
        lambda: robot.motion.on_velocity(0.1, 0.0, 0.0),
        lambda: robot.motion.on_steering(0.0),
        lambda: robot.motion.on_body_pose(np.full(6, 0.1)),
    ):
        with pytest.raises(RefusedError, match="lies on the floor; ask for the sequence UP first"):
            command()
    before = robot.step()
    after = robot.step(50)
    assert before is not None and after is not None
    assert (before.position == after.position).all()


def test_zero_commands_are_taken_anywhere(robot: Hexapod) -> None:
    robot.step()
    robot.motion.on_velocity(0.0, 0.0, 0.0)
    robot.motion.on_body_pose(np.zeros(6))
    assert robot.motion.state is State.SEQUENCE


def test_walking_is_refused_while_a_sequence_runs(robot: Hexapod) -> None:
    robot.stand()
    robot.motion.select("DIRECT_MOVEMENT")
    robot.step(100)
    with pytest.raises(RefusedError, match="DIRECT_MOVEMENT runs; ask for NONE first"):
        robot.motion.on_velocity(0.1, 0.0, 0.0)
    robot.motion.select("NONE")
    robot.until_idle()
    robot.drive(200, 0.1, 0.0, 0.0)
    assert robot.motion.state is State.WALK


@pytest.mark.parametrize("velocity", [(math.nan, 0.0, 0.0), (0.0, math.inf, 0.0), (0, 0, math.nan)])
def test_velocities_that_are_not_finite_are_refused(robot: Hexapod, velocity: Any) -> None:
    robot.stand()
    with pytest.raises(RefusedError, match="not finite"):
        robot.motion.on_velocity(*velocity)
    with pytest.raises(RefusedError, match="it is nan"):
        robot.motion.on_steering(math.nan)


def test_it_walks_by_velocity_after_standing_up(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(400, 0.08, 0.02, 0.1)
    twist = robot.motion.walker.state.twist
    assert twist.velocity == pytest.approx(80 + 20j) and twist.turn == pytest.approx(0.1)


def test_a_command_that_stops_coming_stops_the_robot_with_all_feet_down(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(300, 0.12, 0.0, 0.0)
    ticks = robot.until(lambda: robot.motion.walker.resting)
    assert ticks < 300
    assert robot.motion.walker.down.all()
    assert robot.motion.limbs.points == pytest.approx(robot.geometry.stand, abs=0.5)


def test_a_command_every_half_second_is_enough(robot: Hexapod) -> None:
    robot.stand()
    for _ in range(6):
        robot.motion.on_velocity(0.08, 0.0, 0.0)
        robot.step(74)
    assert robot.motion.walker.state.twist.velocity == pytest.approx(80 + 0j)


def test_missed_ticks_count_as_time_for_the_timeout_and_skip_no_frame(robot: Hexapod) -> None:
    robot.stand()
    robot.motion.on_velocity(0.08, 0.0, 0.0)
    for _ in range(10):
        robot.number += 9
        robot.step()
    assert robot.motion.counter.missed == 90
    assert not robot.motion.commands.twist
    positions = robot.positions()
    assert np.abs(np.diff(positions, axis=0)).max() < 0.06


def test_steering_turns_a_constant_forward_walk(robot: Hexapod) -> None:
    robot.stand()
    for _ in range(6):
        robot.motion.on_steering(5.0)
        robot.step(60)
    twist = robot.motion.walker.state.twist
    assert twist.velocity == pytest.approx(100 + 0j) and twist.turn == pytest.approx(0.25)


def test_a_sequence_asked_while_walking_starts_with_all_feet_in_place(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(310, 0.1, 0.05, 0.2)
    answer = robot.motion.select("ROTATE_LEFT")
    assert answer.accepted
    assert answer.reason == "ROTATE_LEFT starts when the feet are in their places"
    with pytest.raises(RefusedError, match="ROTATE_LEFT is about to start"):
        robot.motion.on_velocity(0.1, 0.0, 0.0)
    robot.until(lambda: robot.motion.state is State.SEQUENCE)
    assert robot.motion.limbs.points == pytest.approx(robot.geometry.stand, abs=0.6)
    robot.step(102)
    assert robot.motion.engine.current.name == "ROTATE_LEFT"
    assert np.abs(np.diff(robot.positions()[-400:], axis=0)).max() * 150.0 < 4.8


def test_from_walking_only_listed_sequences_may_start(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(100, 0.1, 0.0, 0.0)
    assert not robot.motion.select("UP").accepted
    assert robot.motion.state is State.WALK
    assert robot.motion.select("DOWN").accepted
    robot.until(lambda: robot.motion.posture is Posture.FLOOR)


def test_none_stops_walking_until_the_command_is_let_go(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(200, 0.1, 0.0, 0.0)
    assert robot.motion.select("NONE").accepted
    for _ in range(20):
        with pytest.raises(RefusedError, match="walking was stopped by NONE; let go first"):
            robot.motion.on_velocity(0.1, 0.0, 0.0)
        robot.step(15)
    assert robot.motion.walker.resting
    robot.motion.on_velocity(0.0, 0.0, 0.0)
    robot.drive(200, 0.1, 0.0, 0.0)
    assert robot.motion.walker.state.twist.velocity == pytest.approx(100 + 0j)


def test_none_also_takes_back_a_sequence_that_waits_for_the_feet(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(200, 0.1, 0.0, 0.0)
    robot.motion.select("DOWN")
    robot.step(10)
    assert robot.motion.select("NONE").accepted
    robot.step(400)
    assert robot.motion.state is State.WALK and robot.motion.posture is Posture.STANDING
    robot.drive(200, 0.1, 0.0, 0.0)
    assert robot.motion.walker.state.twist.velocity == pytest.approx(100 + 0j)


def test_a_body_pose_is_held_while_standing(robot: Hexapod) -> None:
    robot.stand()
    robot.motion.on_body_pose(np.array([0.0, 0.0, 15.0, 0.0, 0.1, 0.0]))
    robot.until(lambda: robot.motion.walker.resting and robot.motion.walker.pose.any())
    assert robot.motion.walker.pose == pytest.approx([0.0, 0.0, 15.0, 0.0, 0.1, 0.0])
    robot.motion.select("DOWN")
    robot.until(lambda: robot.motion.posture is Posture.FLOOR)


def test_levelling_takes_the_tilt_away(geometry: Geometry, book: Book, gaits: Any) -> None:
    robot = Hexapod(geometry, book, gaits, start_measured=False, levelling=True)
    robot.stand()
    robot.drive(100, 0.05, 0.0, 0.0)
    slope = np.array([0.06, -0.04])
    for _ in range(1500):
        robot.motion.levelling.measure(*(slope + robot.motion.walker.pose[3:5]))
        robot.step()
    assert robot.motion.walker.pose[3:5] == pytest.approx(-slope, abs=0.004)


def broken(book: Book, geometry: Geometry) -> Book:
    """A book that nobody checked: the middle of ROTATE_LEFT is out of reach for the rear right leg."""
    sequence = book.sequences["ROTATE_LEFT"]
    points = sequence.iterations[1].points.copy()
    points[5] = [300.0, -85.0, -100.0]
    iterations = (
        sequence.iterations[0],
        replace(sequence.iterations[1], points=points, paths=(0,) * 6),
    )
    changed = replace(sequence, iterations=iterations)
    return Book({**book.sequences, "ROTATE_LEFT": changed})


@pytest.fixture
def faulty(geometry: Geometry, book: Book, gaits: Any) -> Hexapod:
    """A robot that has run into a fault."""
    robot = Hexapod(geometry, broken(book, geometry), gaits, start_measured=False)
    robot.stand()
    robot.motion.select("ROTATE_LEFT")
    robot.until(lambda: robot.motion.fault is not None)
    return robot


def test_out_of_reach_all_joints_hold_the_last_complete_frame(faulty: Hexapod) -> None:
    held, before = faulty.frames[-1], faulty.frames[-2]
    assert held is not None and before is not None
    assert (held.position == before.position).all() and not held.velocity.any()
    later = faulty.step(20)
    assert later is not None and (later.position == held.position).all()


def test_a_fault_names_limb_point_iteration_and_sequence(faulty: Hexapod) -> None:
    text = str(faulty.motion.fault)
    assert text.startswith("limb rr cannot be at (")
    assert "in sequence ROTATE_LEFT, iteration 1: too far: " in text
    assert faulty.motion.fault is not None and faulty.motion.fault.limb == "rr"


def test_after_a_fault_everything_is_refused_until_it_is_reset(faulty: Hexapod) -> None:
    assert not faulty.motion.select("DOWN").accepted
    with pytest.raises(RefusedError, match="limb rr cannot be at"):
        faulty.motion.on_velocity(0.1, 0.0, 0.0)
    assert faulty.motion.reset_fault().accepted
    assert faulty.motion.fault is None
    assert faulty.motion.reset_fault().reason == "there is no fault"


def test_after_the_reset_only_down_is_open_and_goes_slowly(faulty: Hexapod) -> None:
    held = faulty.step()
    faulty.motion.reset_fault()
    still = faulty.step(10)
    assert held is not None and still is not None and (still.position == held.position).all()
    assert not faulty.motion.select("ROTATE_RIGHT").accepted
    with pytest.raises(RefusedError, match="was stopped on the way; ask for the sequence DOWN"):
        faulty.motion.on_velocity(0.1, 0.0, 0.0)
    answer = faulty.motion.select("DOWN")
    assert answer.accepted and "slowly" in answer.reason
    start = len(faulty.frames)
    faulty.until(lambda: faulty.motion.posture is Posture.FLOOR)
    moves = np.diff(faulty.positions()[start:], axis=0)
    assert np.abs(moves).max() * 150.0 <= 0.5 + 1e-9
    faulty.stand()


def test_beyond_a_limit_is_a_fault_as_well(
    geometry: Geometry, robot_folder: Path, gaits: Any
) -> None:
    limits = geometry.limits.copy()
    limits[2, 0] = 0.0
    narrow = replace(geometry, limits=limits)
    robot = Hexapod(narrow, load_book(robot_folder / "sequences"), gaits, start_measured=False)
    robot.stand()
    robot.motion.select("ROTATE_LEFT")
    robot.until(lambda: robot.motion.fault is not None)
    assert "tibia at -" in str(robot.motion.fault)


def test_a_number_seen_twice_gives_no_frame(robot: Hexapod) -> None:
    robot.stand()
    assert robot.motion.step(robot.number) is None


def test_missed_ticks_are_counted_and_the_path_keeps_all_its_frames(robot: Hexapod) -> None:
    robot.step()
    robot.motion.select("UP")
    frames = 0
    while True:
        robot.number += 2
        robot.step()
        if robot.motion.engine.idle:
            break
        frames += 1
    assert frames == 140 and robot.motion.counter.missed == 2 * 141


def test_a_restarted_driver_means_to_start_anew(measured: Hexapod) -> None:
    measured.measure(np.zeros(18))
    measured.step()
    measured.until_idle()
    measured.stand()
    measured.drive(100, 0.1, 0.0, 0.0)
    measured.number = 0
    assert measured.step() is None and measured.motion.state is State.WAITING
    measured.measure(np.full(18, 0.2))
    frame = measured.step()
    assert frame is not None and np.abs(frame.position - 0.2).max() < 0.01
    measured.until_idle()
    assert measured.motion.posture is Posture.FLOOR


def test_velocities_are_the_moves_of_the_frames(robot: Hexapod) -> None:
    robot.stand()
    robot.drive(200, 0.1, 0.0, 0.0)
    frames = [frame for frame in robot.frames if frame]
    for before, after in pairwise(frames):
        expected = (after.position - before.position) * 150.0
        assert after.velocity == pytest.approx(expected, abs=1e-9)


def test_sequences_can_run_slower(geometry: Geometry, book: Book, gaits: Any) -> None:
    robot = Hexapod(geometry, book, gaits, start_measured=False, sequence_speed=0.5)
    robot.step()
    robot.motion.select("UP")
    robot.step()
    assert robot.until_idle() == 31 + 4 * 61


def test_at_another_rate_durations_stay(geometry: Geometry, book: Book, gaits: Any) -> None:
    robot = Hexapod(geometry, book, gaits, start_measured=False, rate=50.0)
    robot.step()
    robot.motion.select("UP")
    robot.step()
    assert robot.until_idle() == 6 + 4 * 11


def test_walking_never_exceeds_the_joints_speed(geometry: Geometry, book: Book, gaits: Any) -> None:
    slow = replace(geometry, joint_speed=200.0)
    robot = Hexapod(slow, book, gaits, start_measured=False)
    robot.stand()
    start = len(robot.frames)
    robot.motion.on_body_pose(np.array([20.0, 0.0, 20.0, 0.1, 0.1, 0.2]))
    robot.drive(600, 0.3, 0.1, 0.5)
    moves = np.degrees(np.abs(np.diff(robot.positions()[start - 1 :], axis=0)))
    assert moves.max() * 150.0 <= 200.0 * 1.001
