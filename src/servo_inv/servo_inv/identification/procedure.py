"""Identification of one joint while it moves: the whole procedure, stepped by the control cycle.

It waits for a pose, goes to the middle of the limits, runs the excitation, repeats it with learned goals
if asked to, fits, tries the model on another motion and goes back. It is a generator: it is sent what
was measured in a cycle, and yields the goal for the next one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from servo_inv.identification.excitation import (
    JointLimits,
    design_excitation,
    move_to,
    take_excitation,
)
from servo_inv.identification.fit import FitSettings
from servo_inv.identification.identify import Identified, Preparation, Tracking, identify
from servo_inv.identification.learning import Learning
from servo_inv.identification.recording import JointRecord
from servo_inv.identification.trial import goals_for
from servo_inv.joint_message import FloatArray
from servo_inv.timing import Timing
from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent

#: Cycles over which the control period is measured.
FIRST_LOOK = 25
#: Readings in a row that may be missing.
MOST_MISSING = 10
TRIAL_DURATION = 10.0
#: Pause at the beginning of a motion, s.
REST = 0.5
#: A goal is in the servo one cycle after its state was read, and is reached within the next.
LATENCY_PERIODS = 2.0


@dataclass(frozen=True)
class Sample:
    """What was measured of the joint in one control cycle; NaN: not read.

    Args:
        time: s.
        goal: Goal in the servo when the position was read, rad.
        position: rad.
        voltage: V.
    """

    time: float
    goal: float
    position: float
    voltage: float


class TimedGoal(NamedTuple):
    """Where to be (rad), and in what time (s)."""

    position: float
    duration: float


@dataclass(frozen=True, eq=False)
class Plan:
    """How a joint is identified.

    Args:
        joint: Name.
        limits: Never exceeded by what is wanted.
        motion: Positions of an excitation of the user's own, (m,) rad, one a cycle; None: designed.
        duration: Of a designed excitation, s.
        repetitions: Of the excitation with learned goals; 0: none.
        settings, preparation: Of the fit.
        voltage: Where none is measured, V.
        seed: Of the random motions.
        furthest: Distance from position to goal at which everything stops, rad.
    """

    joint: str
    limits: JointLimits = field(default_factory=JointLimits)
    motion: FloatArray | None = None
    duration: float = 40.0
    repetitions: int = 0
    settings: FitSettings = field(default_factory=FitSettings)
    preparation: Preparation = field(default_factory=Preparation)
    voltage: float = 7.4
    seed: int = 0
    furthest: float = 0.6


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of it.

    Args:
        identified: Model and report.
        record: All that the fit was made of.
        learned: RMS tracking error of each repetition, the first without learning, rad.
    """

    identified: Identified
    record: JointRecord
    learned: tuple[float, ...]


Run: TypeAlias = Generator[TimedGoal | None, Sample, Outcome]
Play: TypeAlias = Generator[TimedGoal | None, Sample, list[Sample]]


def identify_live(plan: Plan, progress: Progress = silent) -> Run:
    """The procedure. Prime it with `next`, then send a sample each cycle; None is no goal.

    Args:
        plan: What to do.
        progress: Is told of each motion in each of its cycles, in s, and of the fit.

    Raises:
        RefusedError: no readings, the joint does not follow, or nothing can be fitted.
    """
    player = _Player(plan, progress)
    start = yield from player.look()
    load, period = plan.preparation.load, player.period
    if plan.motion is None:
        excitation = design_excitation(plan.limits, period, plan.duration, load, plan.seed)
    else:
        excitation = take_excitation(plan.motion, period, plan.limits)
    learning = Learning(excitation.position, plan.settings.saturation / plan.settings.kgear)
    record = None
    for repetition in range(plan.repetitions + 1):
        of = f" {repetition + 1} of at most {plan.repetitions + 1}" if plan.repetitions else ""
        samples = yield from player.play(learning.goal, f"excitation{of}")
        learning.repeat(_positions(samples))
        run = _record(plan, samples, period)
        record = run if record is None else run.joined_to(record)
        if learning.finished:
            break
    assert record is not None
    progress(f"{plan.joint}: fitting the model")
    identified = identify(record, plan.settings, plan.preparation)
    tracking = yield from _try_out(player, identified)
    yield from player.go_to(start, "going back")
    return Outcome(replace(identified, tracking=tracking), record, tuple(learning.errors))


def _try_out(
    player: _Player, identified: Identified
) -> Generator[TimedGoal | None, Sample, Tracking]:
    """Another motion, without and with the model; the loop's latency is made up for in both."""
    plan, period = player.plan, player.period
    load = plan.preparation.load
    motion = design_excitation(plan.limits, period, TRIAL_DURATION, load, plan.seed + 1)
    effort = load.effort(motion.position, motion.acceleration) if load else 0.0 * motion.position
    voltage = float(np.mean(identified.signals.voltage))
    timing = Timing(period, 0.0, LATENCY_PERIODS * period)
    measured = []
    for model, what in ((None, "trial without model"), (identified.model, "trial with model")):
        goals = goals_for(motion, effort, voltage, model, timing)
        samples = yield from player.play(goals, what)
        # A goal is computed a cycle before the reading that comes with it.
        measured.append(_positions(samples)[:-1])
    time = np.asarray(np.arange(1, len(motion.position)) * period, np.float64)
    return Tracking(time, motion.position[1:], measured[0], measured[1])


class _Player:
    """Runs goals on the joint and watches it."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.plan = plan
        self._progress = progress
        self.period = 0.0
        self._commanded = 0.0
        self._missing = 0

    def look(self) -> Generator[TimedGoal | None, Sample, float]:
        """Measure the control period without moving; where the joint was sent to, rad."""
        times: list[float] = []
        start = np.nan
        while len(times) < FIRST_LOOK or np.isnan(start):
            sample = yield None
            self._watch(sample, sample.position)
            times.append(sample.time)
            # A loaded joint is not where its goal is; going on from the goal it does not jump.
            start = sample.position if np.isnan(sample.goal) else sample.goal
        self.period = float(np.median(np.diff(times)))
        if not self.period > 0.0:
            raise RefusedError("the readings of the servo carry no times")
        self._commanded = start
        return start

    def play(self, goals: FloatArray, what: str) -> Play:
        """Go to the first goal, rest, run all of them; a sample for each."""
        yield from self.go_to(float(goals[0]), "going to the start")
        return (yield from self._run(goals, what))

    def go_to(self, goal: float, what: str) -> Play:
        way = move_to(self._commanded, goal, self.period)
        rest = np.full(round(REST / self.period), goal)
        return (yield from self._run(np.append(way, rest), what))

    def _run(self, goals: FloatArray, what: str) -> Play:
        samples: list[Sample] = []
        what, total = f"{self.plan.joint}: {what}", len(goals) * self.period
        for goal in goals.tolist():
            self._progress(what, len(samples) * self.period, total)
            self._commanded = goal
            sample = yield TimedGoal(goal, self.period)
            self._watch(sample, goal)
            samples.append(sample)
        return samples

    def _watch(self, sample: Sample, goal: float) -> None:
        joint = self.plan.joint
        self._missing = self._missing + 1 if np.isnan(sample.position) else 0
        if self._missing > MOST_MISSING:
            raise RefusedError(f"joint '{joint}' was not read {self._missing} times in a row")
        if abs(sample.position - goal) > self.plan.furthest:
            raise RefusedError(
                f"joint '{joint}' is at {sample.position:.3f} rad, its goal at {goal:.3f} rad: "
                f"it does not follow"
            )


def _positions(samples: Sequence[Sample]) -> FloatArray:
    """(m,) rad; what was not read is interpolated."""
    position = np.array([sample.position for sample in samples])
    read = ~np.isnan(position)
    return np.interp(np.arange(len(position)), np.flatnonzero(read), position[read])


def _record(plan: Plan, samples: Sequence[Sample], period: float) -> JointRecord:
    """What was read of a run."""
    rows = np.array([[s.time, s.goal, s.position, s.voltage] for s in samples])
    rows = rows[~np.isnan(rows[:, :3]).any(axis=1)]
    time, goal, position, voltage = rows.T
    good = voltage > 0.0
    if good.any():
        voltage = np.interp(time, time[good], voltage[good])
    else:
        voltage = np.full_like(time, plan.voltage)
    return JointRecord(plan.joint, time, goal, np.full_like(time, period), position, voltage)
