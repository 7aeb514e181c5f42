"""The whole identification of a joint that moves, stepped cycle by cycle."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from exact_servo import LOAD, PERIOD, exact_model
from sts3215_joint import STEP, Joint, Servo

from servo_inv.identification.excitation import JointLimits
from servo_inv.identification.identify import Preparation
from servo_inv.identification.procedure import Outcome, Plan, Sample, identify_live
from stride_base.errors import ConfigError, RefusedError
from stride_base.progress import Progress, silent

START = 0.3
PLAN = Plan("knee", JointLimits(-0.5, 0.7), duration=20.0, preparation=Preparation(load=LOAD))


class Robot:
    """One joint and its driver; `distort` makes another sample of what was read."""

    def __init__(self, distort: Callable[[int, Sample], Sample] | None = None) -> None:
        self.joint = Joint(7.4)
        self.joint.q = self.joint.target = self.joint.goal = STEP * round(START / STEP)
        self.goals: list[float] = []
        self._distort = distort or (lambda _cycle, sample: sample)

    def identify(self, plan: Plan, progress: Progress = silent) -> Outcome:
        run = identify_live(plan, progress)
        assert next(run) is None
        goal, cycle = None, 0
        while True:
            if goal is not None:
                assert goal.duration == pytest.approx(PERIOD)
                self.joint.write(goal.position, goal.duration)
                self.goals.append(goal.position)
            joint = self.joint
            sample = Sample(cycle * PERIOD, joint.goal, joint.position, joint.voltage)
            try:
                goal = run.send(self._distort(cycle, sample))
            except StopIteration as ended:
                return ended.value
            joint.advance(PERIOD)
            cycle += 1


def test_the_joint_is_moved_within_its_limits_fitted_tried_and_brought_back() -> None:
    robot = Robot()
    outcome = robot.identify(PLAN)
    found, true = outcome.identified, exact_model(Servo())
    assert found.name == "knee" == found.model.name
    assert found.model.viscous == pytest.approx(true.viscous, rel=0.05)
    assert found.model.torque == pytest.approx(true.torque, rel=0.02)
    assert found.tracking is not None
    before, after = found.tracking.errors
    assert after < 0.2 * before
    assert found.helps
    goals = np.array(robot.goals)
    # Goals of the model lie beyond the wanted motion by its offset.
    assert goals.min() > -0.5 and goals.max() < 0.7 + 0.15
    assert np.abs(np.diff(goals)).max() < 0.1
    assert goals[[0, -1]] == pytest.approx([START, START], abs=0.01)
    assert robot.joint.q == pytest.approx(START, abs=0.05)
    assert len(outcome.learned) == 1
    assert len(outcome.record.time) == 1000


def test_repetitions_learn_and_all_of_them_are_fitted() -> None:
    outcome = Robot().identify(Plan(**{**vars(PLAN), "duration": 10.0, "repetitions": 3}))
    assert 2 <= len(outcome.learned) <= 4
    assert min(outcome.learned) < 0.1 * outcome.learned[0]
    assert len(outcome.record.time) == 500 * len(outcome.learned)
    assert outcome.identified.helps


def test_an_own_excitation_is_taken_if_it_stays_within_the_limits() -> None:
    time = np.arange(1000) * PERIOD
    motion = 0.1 + 0.3 * np.sin(0.9 * time) + 0.1 * np.sin(3.7 * time)
    outcome = Robot().identify(Plan(**{**vars(PLAN), "motion": motion}))
    assert outcome.record.goal == pytest.approx(motion, abs=STEP)
    assert outcome.identified.helps
    with pytest.raises(ConfigError, match=r"motion: 'upper' is 0\.79.*nothing beyond 0\.7"):
        Robot().identify(Plan(**{**vars(PLAN), "motion": motion + 0.3}))


def test_some_readings_may_be_missing_and_the_voltage_too() -> None:
    def distort(cycle: int, sample: Sample) -> Sample:
        missing = cycle % 100 in (40, 41)
        return Sample(sample.time, sample.goal, math.nan if missing else sample.position, math.nan)

    outcome = Robot(distort).identify(PLAN)
    assert 900 < len(outcome.record.time) < 1000
    assert set(outcome.record.voltage.tolist()) == {PLAN.voltage}
    assert outcome.identified.helps


def test_a_joint_without_a_goal_starts_from_where_it_is() -> None:
    robot = Robot(lambda cycle, s: Sample(s.time, math.nan, s.position, 7.4) if cycle < 30 else s)
    robot.identify(PLAN)
    # It has sunk below its goal before anything was sent.
    assert robot.goals[0] == pytest.approx(START - 0.03, abs=0.01)


def test_a_joint_that_is_not_read_any_more_ends_it() -> None:
    def distort(cycle: int, sample: Sample) -> Sample:
        return Sample(sample.time, sample.goal, math.nan if cycle > 200 else sample.position, 7.4)

    with pytest.raises(RefusedError, match="joint 'knee' was not read 11 times in a row"):
        Robot(distort).identify(PLAN)


def test_a_joint_that_does_not_follow_ends_it() -> None:
    def distort(_cycle: int, sample: Sample) -> Sample:
        return Sample(sample.time, sample.goal, START, 7.4)

    with pytest.raises(RefusedError, match=r"joint 'knee' is at 0\.300 rad, .*follow"):
        Robot(distort).identify(PLAN)


def test_readings_without_times_are_refused() -> None:
    def distort(_cycle: int, sample: Sample) -> Sample:
        return Sample(0.0, sample.goal, sample.position, 7.4)

    with pytest.raises(RefusedError, match="carry no times"):
        Robot(distort).identify(PLAN)


def test_progress_tells_of_each_motion_and_how_long_it_takes() -> None:
    told: list[tuple[str, float, float | None]] = []

    def progress(what: str, done: float = 0.0, total: float | None = None, doing: str = "") -> None:
        told.append((what, done, total))

    plan = Plan(**{**vars(PLAN), "duration": 10.0, "repetitions": 1})
    outcome = Robot().identify(plan, progress)
    assert list(dict.fromkeys(what for what, _done, _total in told)) == [
        "knee: going to the start",
        "knee: excitation 1 of at most 2",
        "knee: excitation 2 of at most 2",
        "knee: fitting the model",
        "knee: trial without model",
        "knee: trial with model",
        "knee: going back",
    ]
    first = [
        (done, total) for what, done, total in told if what.endswith("excitation 1 of at most 2")
    ]
    assert first[0] == (0.0, pytest.approx(10.0))
    assert first[-1] == (pytest.approx(10.0 - PERIOD), pytest.approx(10.0))
    assert np.diff([done for done, _total in first]) == pytest.approx(PERIOD)
    assert outcome.identified.helps
