"""Wanted joint states into servo goals: the component behind every inverse node, without ROS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.cycles import CycleMemory
from servo_inv.goal_model import BoundModel, GoalModel, Past
from servo_inv.health import Counts, report
from servo_inv.joint_changes import describe_change
from servo_inv.joint_message import FloatArray, JointCommand
from servo_inv.lead import with_lead
from servo_inv.timing import Timing
from stride_base.diagnostics import Report
from stride_base.errors import RefusedError


@dataclass(frozen=True, eq=False)
class Goals:
    """Where n servos shall go, and in what time.

    Args:
        names: Joint names, as in the command.
        position: (n,) rad, joint side; NaN for a wheel.
        duration: (n,) s, > 0.
        velocity: (n,) rad/s for a wheel; NaN for all others.
        joints_changed: How the joints differ from those of the message before; empty: they do not.
        warnings: What the model says of these joints, each sentence once in the life of the
            component.
    """

    names: tuple[str, ...]
    position: FloatArray
    duration: FloatArray
    velocity: FloatArray
    joints_changed: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Match:
    """Joints in the order of a message, and the model that is indexed for them."""

    names: tuple[str, ...]
    bound: BoundModel


class InverseServo:
    """Answers each command with goals: those of `model`, and lead on top.

    Args:
        model: Which goal brings a servo to a wanted state.
        timing: Control period and lead; may be replaced at any time, the next command uses it.
    """

    def __init__(self, model: GoalModel, timing: Timing) -> None:
        self.timing = timing
        self._model = model
        self._match: _Match | None = None
        self._memory: CycleMemory[Past] = CycleMemory()
        self._said: set[str] = set()
        self._messages = 0
        self._joint_changes = 0
        self._reported = Counts()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names in the last command that was answered; empty before the first."""
        return self._match.names if self._match else ()

    def on_step(self, number: int) -> None:
        """Take a `sync_step` tick: it marks a control cycle and causes no goals."""
        self._memory.on_step(number)

    def on_joints(self, command: JointCommand) -> Goals:
        """The goals for `command`. Other joints than before make it a first message.

        Raises:
            RefusedError: a goal would not be finite, or the model refuses these joints; all stays
                as it was before the command.
        """
        timing, match = self.timing, self._matched(command.names)
        rematched = match is not self._match
        earlier = None if rematched else self._memory.earlier()
        past = earlier.value if earlier else None
        elapsed = timing.period * (earlier.cycles if earlier else 1)
        # Numbers too large for a float are found below, by joint.
        with np.errstate(over="ignore", invalid="ignore"):
            goal = match.bound.goal(command, past, elapsed)
            position = with_lead(goal, past.goal, elapsed, timing.ahead) if past else goal
        velocity = _velocities_of_wheels(command, position)

        joints_changed = ""
        if rematched:
            if self._match:
                joints_changed = describe_change(self._match.names, match.names)
                self._joint_changes += 1
            self._match = match
            self._memory.forget()
        self._memory.keep(Past(goal, _known_velocity(command)))
        self._messages += 1
        return Goals(
            names=match.names,
            position=position,
            duration=np.full(len(match.names), timing.duration),
            velocity=velocity,
            joints_changed=joints_changed,
            warnings=self._unsaid(match.bound) if rematched else (),
        )

    def rebind(self) -> tuple[str, ...]:
        """Match the joints anew after the model changed; its new warnings. History stays.

        Raises:
            RefusedError: the model refuses the joints; the old match stays in force.
        """
        if self._match is None:
            return ()
        names = self._match.names
        self._match = _Match(names, self._model.bind(names))
        return self._unsaid(self._match.bound)

    def reports(self) -> list[Report]:
        """For `/diagnostics`: the counts, and a warning of what happened since the last call."""
        memory = self._memory
        counts = Counts(
            joints=len(self.joints),
            messages=self._messages,
            joint_changes=self._joint_changes,
            ticks=memory.ticks,
            missed_ticks=memory.missed_ticks,
            silent_cycles=memory.silent_cycles,
            restarts=memory.restarts,
        )
        before, self._reported = self._reported, counts
        return [report(counts, before)]

    def _unsaid(self, bound: BoundModel) -> tuple[str, ...]:
        """Warnings that were not given before."""
        new = tuple(warning for warning in bound.warnings if warning not in self._said)
        self._said.update(new)
        return new

    def _matched(self, names: tuple[str, ...]) -> _Match:
        """The match in force where the joints are the same, else a new one."""
        if self._match and self._match.names == names:
            return self._match
        return _Match(names, self._model.bind(names))


def _known_velocity(command: JointCommand) -> FloatArray:
    """(n,) rad/s: what a later velocity can be compared with; NaN where there was none to tell."""
    if not command.has_velocity:
        return np.full(len(command.names), np.nan)
    return np.where(command.wheels, np.nan, command.velocity)


def _velocities_of_wheels(command: JointCommand, position: FloatArray) -> FloatArray:
    """(n,) rad/s: the wheels' velocities, NaN for all others.

    Raises:
        RefusedError: a joint has neither a finite position nor is it a wheel.
    """
    lost = ~(np.isfinite(position) | command.wheels)
    if lost.any():
        name = command.names[int(np.argmax(lost))]
        raise RefusedError(
            f"the goal of joint '{name}' would not be a finite number; "
            f"its position, velocity or effort is out of all proportion"
        )
    velocity: FloatArray = np.where(command.wheels, command.velocity, np.nan)
    return velocity
