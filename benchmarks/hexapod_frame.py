"""How long one frame of the hexapod takes, how long the pre-flight check, and how it stops.

    PYTHONPATH=src/stride_base:src/hexapod_motion python benchmarks/hexapod_frame.py

A frame is all that one `sync_step` costs in the core: engine or gait, six paths, inverse kinematics with
reach and limits, radians and velocities of 18 joints. The author of the articles needed 4.1 ms for the
like on a microcontroller, of 6.67 ms at 150 Hz. "used" is this thread's processor time: what other
programs on the machine take away is not in it.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from hexapod_motion.kinematics import Kinematics
from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import MotionSettings, State
from hexapod_motion.preflight.sequence_report import check_sequences
from hexapod_motion.robot_files import Robot, load_robot
from hexapod_motion.sequences import load_book
from hexapod_motion.walk_rules import WalkSettings

ROBOT = Path(__file__).resolve().parents[1] / "config" / "robots" / "hexapod"
RATE = 150.0


def timed(run: Callable[[], object], count: int) -> np.ndarray:
    """(2, count) microseconds of each call: on the clock, and of this thread's processor time."""
    times = np.empty((2, count))
    gc.disable()
    try:
        for index in range(count):
            begin, used = time.perf_counter(), time.thread_time()
            run()
            times[:, index] = time.perf_counter() - begin, time.thread_time() - used
    finally:
        gc.enable()
    return times * 1e6


class Stepper:
    """A hexapod that stands, stepped frame by frame."""

    def __init__(self, robot: Robot, gait: str = "tripod") -> None:
        walk = replace(WalkSettings(), gait=gait)
        settings = MotionSettings(rate=RATE, start_measured=False, walk=walk)
        self.motion = Motion(robot.geometry, robot.book, robot.gaits, settings)
        self.number = 0
        self.step()
        self.motion.select("UP")
        for _ in range(160):
            self.step()

    def step(self) -> np.ndarray:
        self.number += 1
        frame = self.motion.step(self.number)
        assert frame is not None
        return frame.position

    def walk(self, velocity: tuple[float, float, float]) -> np.ndarray:
        self.motion.on_velocity(*velocity)
        return self.step()


def line(name: str, times: np.ndarray) -> None:
    median, high = np.percentile(times[0], (50, 99))
    print(f"{name:44}{median:10.1f}{high:10.1f}{np.percentile(times[1], 99):14.1f}")


def frames(robot: Robot, count: int) -> None:
    print(f"{'microseconds per frame':44}{'median':>10}{'p99':>10}{'p99 used':>14}")
    kinematics, stand = Kinematics(robot.geometry), robot.geometry.stand
    line("inverse kinematics, six legs", timed(lambda: kinematics.inverse(stand), count))
    for name in ("DIRECT_MOVEMENT", "ROTATE_LEFT", "DANCE"):
        stepper = Stepper(robot)
        stepper.motion.select(name)
        line(f"sequence {name}", timed(stepper.step, count))
    for name in robot.gaits:
        stepper = Stepper(robot, name)
        step = _walking(stepper, (0.05, 0.02, 0.1))
        timed(step, 200)
        line(f"walking, {name}", timed(step, count))
    line("standing", timed(Stepper(robot).step, count))


def _walking(stepper: Stepper, velocity: tuple[float, float, float]) -> Callable[[], object]:
    return lambda: stepper.walk(velocity)


def preflight(robot: Robot) -> None:
    begin = time.perf_counter()
    book = load_book(robot.folder / "sequences")
    runs = check_sequences(book, robot.geometry, RATE)
    spent = time.perf_counter() - begin
    count = sum(run.frames for run in runs)
    print(f"pre-flight check: {count} frames of {len(runs)} runs in {spent:.2f} s, files included")


def stops(robot: Robot, tries: int) -> None:
    print(f"\n{'stop from full speed, s':44}{'feet down':>10}{'settled':>10}{'deg/frame':>10}")
    for gait in robot.gaits:
        down, settled, largest = [], [], 0.0
        for index in range(tries):
            stepper = Stepper(robot, gait)
            for _ in range(300 + 7 * index):
                stepper.walk((1.0, 0.0, 0.0))
            motion, last = stepper.motion, stepper.step()
            while not motion.commands.timed_out:
                last = stepper.step()
            first_down, frame = 0, 0
            while not motion.walker.resting:
                frame += 1
                position = stepper.step()
                largest, last = max(largest, float(np.abs(position - last).max())), position
                if not first_down and motion.walker.state.at_rest:
                    first_down = frame
            assert motion.state is State.WALK
            down.append(first_down / RATE)
            settled.append(frame / RATE)
        print(f"{gait:44}{max(down):10.2f}{max(settled):10.2f}{np.degrees(largest):10.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=3000, help="frames of each kind")
    parser.add_argument("--stops", type=int, default=10, help="moments in the step to stop at")
    arguments = parser.parse_args()
    robot = load_robot(str(ROBOT))
    frames(robot, arguments.frames)
    print()
    preflight(robot)
    stops(robot, arguments.stops)


if __name__ == "__main__":
    main()
