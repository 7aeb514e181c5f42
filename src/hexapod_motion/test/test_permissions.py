"""What may be asked for: for any history the question gives what the request gives, word for word."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hexapod_motion.gaits import load_gaits
from hexapod_motion.geometry import load_geometry
from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import MotionSettings, State
from hexapod_motion.permissions import IN_USE
from hexapod_motion.sequences import NONE, Book, load_book
from hexapod_motion.walk_rules import WalkSettings
from stride_base.errors import RefusedError

ROBOT = Path(__file__).resolve().parents[3] / "config" / "robots" / "hexapod"
BOOK = load_book(ROBOT / "sequences")
GEOMETRY = load_geometry(ROBOT / "geometry.yaml")
GAITS = load_gaits(ROBOT / "gaits.yaml", GEOMETRY)
NAMES = [*BOOK.sequences, NONE]
SPEED = st.sampled_from([-0.05, 0.0, 0.05])


def with_a_way_out_of_reach(book: Book) -> Book:
    """The middle of WAVE cannot be reached, so that there are faults."""
    wave = book.sequences["WAVE"]
    first = wave.iterations[0]
    points = first.points.copy()
    points[0] = [300.0, -85.0, 100.0]
    broken = replace(first, points=points, paths=(0,) * 6)
    return Book(
        {**book.sequences, "WAVE": replace(wave, iterations=(broken, *wave.iterations[1:]))}
    )


def refusal_of(request: object) -> str:
    try:
        request()  # type: ignore[operator]
    except RefusedError as error:
        return str(error)
    return ""


class AskingMachine(RuleBasedStateMachine):
    """A robot that is stepped, told and asked at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.motion = Motion(GEOMETRY, with_a_way_out_of_reach(BOOK), GAITS, MotionSettings())
        self.number = 0

    @rule()
    def is_measured_in_the_floor_pose(self) -> None:
        floor = self.motion._frame.to_ros(self.motion._home)
        self.motion.on_joint_states(GEOMETRY.joint_names, floor)

    @rule()
    def is_measured_in_part(self) -> None:
        self.motion.on_joint_states(GEOMETRY.joint_names[:7], np.zeros(7))

    @rule(frames=st.sampled_from([1, 20, 200]))
    def steps(self, frames: int) -> None:
        for _ in range(frames):
            self.number += 1
            self.motion.step(self.number)

    @rule()
    def sees_the_driver_restart(self) -> None:
        self.number = 1
        self.motion.step(self.number)

    @rule(name=st.sampled_from([*NAMES, "UP", "UP", "NONE", "NONE"]))
    def is_asked_for_a_sequence(self, name: str) -> None:
        expected = self.motion.allowed()[name]
        answer = self.motion.select(name)
        assert answer.accepted == (expected == "")
        assert answer.accepted or answer.reason == expected

    @rule(forward=SPEED, turn=SPEED)
    def is_told_to_walk(self, forward: float, turn: float) -> None:
        expected = self.motion.permissions.velocity() if forward or turn else ""
        assert refusal_of(lambda: self.motion.on_velocity(forward, 0.0, turn)) == expected

    @rule(value=SPEED)
    def is_steered(self, value: float) -> None:
        expected = self.motion.permissions.velocity()
        assert refusal_of(lambda: self.motion.on_steering(value)) == expected

    @rule(height=st.sampled_from([0.0, 10.0]))
    def is_told_a_body_pose(self, height: float) -> None:
        pose = np.array([0.0, 0.0, height, 0.0, 0.0, 0.0])
        expected = self.motion.permissions.body_pose() if height else ""
        assert refusal_of(lambda: self.motion.on_body_pose(pose)) == expected

    @rule()
    def is_told_to_reset_its_fault(self) -> None:
        self.motion.reset_fault()

    @invariant()
    def an_answer_for_every_sequence_and_none(self) -> None:
        assert list(self.motion.allowed()) == NAMES


AskingMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestAskingMachine = AskingMachine.TestCase


@pytest.fixture
def standing() -> Motion:
    motion = Motion(GEOMETRY, BOOK, GAITS, MotionSettings(start_measured=False))
    motion.step(1)
    motion.select("UP")
    for number in range(2, 400):
        motion.step(number)
    assert motion.permissions.can_walk()
    return motion


def test_asking_changes_nothing(standing: Motion) -> None:
    asked, silent = standing, copy.deepcopy(standing)
    for motion in (asked, silent):
        motion.on_velocity(0.05, 0.0, 0.0)
        motion.step(400)
        motion.select(NONE)
    for number in range(401, 700):
        asked.allowed(), asked.permissions.velocity(), asked.permissions.body_pose()
        asked.gaits.answers()
        one, other = asked.step(number), silent.step(number)
        assert one is not None and other is not None
        assert (one.position == other.position).all()


def test_a_refused_velocity_keeps_the_stop_in_force_as_long_as_it_is_sent(
    standing: Motion,
) -> None:
    standing.on_velocity(0.05, 0.0, 0.0)
    standing.step(400)
    assert standing.state is State.WALK
    standing.select(NONE)
    for number in range(401, 700):
        standing.step(number)
        assert refusal_of(lambda: standing.on_velocity(0.05, 0.0, 0.0))
    for number in range(700, 800):
        standing.step(number)
    assert standing.permissions.velocity() == ""


def test_none_takes_a_waiting_sequence_back_also_where_the_list_does_not_name_it() -> None:
    up = BOOK.sequences["UP"]
    listed = tuple(name for name in up.available if name != NONE)
    book = Book({**BOOK.sequences, "UP": replace(up, available=listed)})
    motion = Motion(GEOMETRY, book, GAITS, MotionSettings(start_measured=False))
    motion.step(1)
    motion.select("UP")
    for number in range(2, 400):
        motion.step(number)
    motion.on_velocity(0.05, 0.0, 0.0)
    motion.step(400)
    assert motion.select("DOWN").accepted
    assert motion.allowed()[NONE] == ""
    assert motion.select(NONE).accepted
    assert motion.engine.pending == ""


def test_gaits_are_in_use_or_ready_or_say_what_the_legs_cannot_do() -> None:
    high = WalkSettings(gait="tripod", step_height=45.0, cycle_time=1.5)
    motion = Motion(GEOMETRY, BOOK, GAITS, MotionSettings(walk=high))
    answers = motion.gaits.answers()
    assert list(answers) == list(GAITS)
    assert answers["tripod"] == IN_USE
    assert "faster than the joints" in answers["wave"]
    for name in ("ripple", "wave", "amble"):
        change = replace(high, gait=name)
        assert refusal_of(lambda change=change: motion.walker.checked(change)) == answers[name]
    motion.walker.change(replace(high, cycle_time=0.0, step_height=25.0, gait="ripple"))
    assert motion.gaits.answers() == {**dict.fromkeys(GAITS, ""), "ripple": IN_USE}
