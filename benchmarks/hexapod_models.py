"""The simulated hexapod with lead only and with the 7-parameter model and efforts: sag, tracking, speed.

    ./stride bench hexapod_models

Everything repeats to the digit. `7.4 to 6.4 V` is a supply that falls by 0.1 V every 0.3 s.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from stride_bringup.lockstep import LockStep
from stride_bringup.motion_cores import Wanted
from stride_bringup.stack_options import StackOptions
from stride_bringup.stand_figures import joints, stand
from stride_bringup.walk_figures import SETTLING, measure

SECONDS = 8.0
#: Cycles until a wanted position is reached: it is written in the next, reached a period later.
DELAY = 2
JOINTS = ("coxa", "femur", "tibia")
SUPPLIES = {"7.4": (7.4, 7.4), "6.4": (6.4, 6.4), "7.4 to 6.4": (7.4, 6.4)}
console = Console(width=120)


@dataclass(frozen=True)
class Case:
    """A row: a name, and what the stack is made of."""

    name: str
    inverse: str
    effort: str


CASES = (
    Case("lead", "lead", "none"),
    Case("7param, no effort", "7param", "none"),
    Case("7param, statics", "7param", "statics"),
)


def robot_of(case: Case, volts: float) -> LockStep:
    return LockStep(StackOptions(inverse=case.inverse, effort=case.effort), voltage=volts)


def drain(robot: LockStep, begin: float, end: float) -> None:
    for volts in np.arange(begin, end - 0.01, -0.1):
        robot.do(f"supply {volts:.1f}")
        robot.run(0.3)


def standing() -> None:
    table = Table(title="Standing sag, degrees: mean of the legs (largest)")
    for heading in ("supply (V)", "model", *JOINTS, "height (mm), wanted 85"):
        table.add_column(heading)
    for supply, (begin, end) in SUPPLIES.items():
        for case in CASES:
            robot = robot_of(case, begin)
            stand(robot)
            drain(robot, begin, end)
            sag = np.abs(np.degrees(joints(robot))).reshape(6, 3)
            words = [
                f"{mean:.2f} ({most:.2f})"
                for mean, most in zip(sag.mean(axis=0), sag.max(axis=0), strict=True)
            ]
            height = f"{1e3 * robot.truth.position[2]:.1f}"
            table.add_row(supply, case.name, *words, height)
    console.print(table)


class Course:
    """Between a motion engine and lock-step: keeps what was wanted beside where the joints were."""

    def __init__(self, robot: LockStep) -> None:
        self._robot, self._step = robot, robot.motion.engine.on_step
        self.wanted: list[np.ndarray] = []
        self.reached: list[np.ndarray] = []
        robot.motion.engine.on_step = self  # type: ignore[method-assign]

    def __call__(self, number: int) -> Wanted | None:
        frame = self._step(number)
        if frame is not None:
            self.wanted.append(frame.position)
            self.reached.append(joints(self._robot))
        return frame

    def error(self) -> np.ndarray:
        """(3,) RMS of coxa, femur and tibia, rad, without the delay of the loop."""
        late = np.array(self.reached[DELAY:]) - np.array(self.wanted[:-DELAY])
        return np.sqrt(np.mean(late.reshape(len(late), 6, 3) ** 2, axis=(0, 1)))


def walking() -> None:
    title = f"Walking for {SECONDS:g} s; RMS distance of joints from the wanted pose, degrees"
    table = Table(title=title)
    for heading in ("supply (V)", "model", "forward (m/s)", "height (mm)", *JOINTS):
        table.add_column(heading)
    for supply, (begin, end) in SUPPLIES.items():
        for case in CASES:
            robot = robot_of(case, begin)
            robot.start()
            robot.run(SETTLING)
            drain(robot, begin, end)
            course = Course(robot)
            figures = measure(robot, SECONDS)
            error = [f"{value:.2f}" for value in np.degrees(course.error())]
            heights = f"{1e3 * figures.lowest:.0f} to {1e3 * figures.highest:.0f}"
            table.add_row(supply, case.name, f"{figures.speed:.4f}", heights, *error)
    console.print(table)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    standing()
    walking()


if __name__ == "__main__":
    main()
