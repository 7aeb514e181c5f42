"""The hexapod with `hexapod_motion` in a lock-step run: what to ask of it, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np
from numpy.typing import NDArray

from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import State
from hexapod_motion.odometry import Odometry
from servo_sim.robot_plant import Truth
from stride_bringup.lockstep import LockStep
from stride_bringup.motion_cores import HexapodEngine
from stride_bringup.stack_options import StackOptions

#: A foot this near to the floor is down, m.
_DOWN = 0.001
#: Nothing that is waited for takes longer, s.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Moved:
    """From one moment to another, in the axes at the first: m to the front and to the left, rad."""

    forward: float
    left: float
    turn: float

    @property
    def distance(self) -> float:
        """As the crow flies, m."""
        return math.hypot(self.forward, self.left)


def moved(begin: Truth, end: Truth) -> Moved:
    """What the base really did; the turn is the shorter one."""
    (x, y, _), yaw = end.position - begin.position, begin.yaw
    return _seen(float(x), float(y), yaw, end.yaw)


def estimated(begin: Odometry, end: Odometry) -> Moved:
    """The same by odometry."""
    return _seen(end.x - begin.x, end.y - begin.y, begin.yaw, end.yaw)


def _seen(x: float, y: float, yaw: float, end: float) -> Moved:
    cosine, sine = math.cos(yaw), math.sin(yaw)
    turn = math.remainder(end - yaw, 2.0 * math.pi)
    return Moved(cosine * x + sine * y, cosine * y - sine * x, turn)


@dataclass(frozen=True)
class Pass:
    """One pass of a sequence's main block: what happened, and what odometry says of it."""

    really: Moved
    thought: Moved


class HexapodRun:
    """A hexapod that lies on the floor without torque.

    Args:
        rate: Control cycles per second, Hz.

    Attributes:
        robot: The lock-step run.
        engine: The motion with its odometry.
        largest_step: Largest move of a commanded joint from one frame to the next so far, rad; may
            be set to 0.
    """

    def __init__(self, rate: float = 50.0) -> None:
        self.robot = LockStep(StackOptions(motion="hexapod", rate=rate))
        engine = self.robot.motion.engine
        assert isinstance(engine, HexapodEngine)
        self.engine = engine
        self.largest_step = 0.0
        self._before: NDArray[np.float64] | None = None
        model, limbs = self.robot.robot.model, self.motion.geometry.names
        self._feet = [
            mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, f"{limb}_foot") for limb in limbs
        ]
        self._radius = model.geom_size[self._feet, 0]
        self.robot.bus.advance(0.0)
        self.robot.bus.advance(1.0)

    @property
    def motion(self) -> Motion:
        """The core of `hexapod_motion`."""
        return self.engine.motion

    @property
    def truth(self) -> Truth:
        """Where the base really is."""
        return self.robot.truth

    @property
    def feet_down(self) -> NDArray[np.bool_]:
        """(6,) which feet really touch the floor."""
        height = self.robot.robot.data.geom_xpos[self._feet, 2] - self._radius
        return np.asarray(height < _DOWN)

    def step(self) -> None:
        """One cycle."""
        self.robot.step()
        if self.motion.state is State.WAITING:
            return
        angles = np.radians(self.motion.limbs.angles)
        if self._before is not None:
            step = float(np.abs(angles - self._before).max())
            self.largest_step = max(self.largest_step, step)
        self._before = angles

    def run(self, seconds: float) -> None:
        """Whole cycles for about `seconds`, without a command."""
        self.run_until(self._after(seconds))

    def run_until(self, reached: Callable[[], bool]) -> float:
        """Cycles until something is so, at least one; returns the time, s."""
        begin = self.robot.time
        while True:
            self.step()
            if reached():
                return self.robot.time - begin
            assert self.robot.time - begin < _PATIENCE, f"for ever {self.motion.state.value}"

    def stand_up(self) -> None:
        """Torque on, to the floor pose, and UP; then it stands still."""
        self.robot.start()
        self.run_until(lambda: self.motion.posture is not None)
        self.play("UP")

    def play(self, name: str) -> float:
        """A sequence from its request to its end; returns how long it took, s."""
        self.ask(name)
        duration = self.run_until(self._is_idle)
        self.run(0.5)
        return duration

    def cycles(self, name: str, count: int) -> list[Pass]:
        """`count` passes of a looped sequence's main block, then NONE and to its end.

        The main block must have more than one iteration: it is known by its first.
        """
        self.ask(name)
        engine, main = self.motion.engine, self.motion.book.sequences[name].main_begin
        marks: list[tuple[Truth, Odometry]] = []
        while len(marks) <= count:
            last = engine.iteration if engine.current.name == name else -1
            self.step()
            if engine.current.name == name and last != engine.iteration == main:
                marks.append((self.truth, self.engine.odometry))
                if len(marks) == count:
                    self.ask("NONE")
            elif len(marks) == count and (
                engine.idle or engine.iteration >= engine.current.finalize_begin
            ):
                marks.append((self.truth, self.engine.odometry))
        self.run_until(self._is_idle)
        self.run(0.5)
        return [
            Pass(moved(before[0], after[0]), estimated(before[1], after[1]))
            for before, after in pairwise(marks)
        ]

    def ask(self, name: str) -> None:
        """Request a sequence; AssertionError with the reason if it is refused."""
        answer = self.motion.select(name)
        assert answer.accepted, answer.reason

    def drive(
        self,
        velocity: tuple[float, float, float],
        seconds: float,
        look: Callable[[], None] = lambda: None,
    ) -> float:
        """`cmd_vel` (m/s, m/s, rad/s) in every cycle; returns the turn over full turns, rad.

        `look` is called after each cycle.
        """
        headings, done = [self.truth.yaw], self._after(seconds)
        while not done():
            self.motion.on_velocity(*velocity)
            self.step()
            look()
            headings.append(self.truth.yaw)
        unwrapped = np.unwrap(headings)
        return float(unwrapped[-1] - unwrapped[0])

    def slip(self, run: Callable[[], object]) -> NDArray[np.float64]:
        """(6,) how far each foot slides over the floor in `run`, m; rolling is no sliding."""
        plant, feet = self.robot.robot, self._feet
        slid, speed = np.zeros(len(feet)), np.zeros(6)

        def add() -> None:
            for index in np.flatnonzero(self.feet_down):
                kind, foot = mujoco.mjtObj.mjOBJ_GEOM, feet[index]
                mujoco.mj_objectVelocity(plant.model, plant.data, kind, foot, speed, 0)
                (roll_x, roll_y), radius = speed[:2], self._radius[index]
                slide = math.hypot(speed[3] - roll_y * radius, speed[4] + roll_x * radius)
                slid[index] += slide * plant.model.opt.timestep

        plant.on_step = add
        try:
            run()
        finally:
            plant.on_step = None
        return slid

    def _is_idle(self) -> bool:
        return self.motion.engine.idle and not self.motion.engine.pending

    def _after(self, seconds: float) -> Callable[[], bool]:
        end = self.robot.cycle + round(seconds / self.robot.period)
        return lambda: self.robot.cycle >= end
