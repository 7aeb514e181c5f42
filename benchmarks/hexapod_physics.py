"""The hexapod with hexapod_motion in physics, in figures: cycles, velocities, odometry, stop.

    ./stride bench hexapod_physics [--rates 50 150]

In lock-step, so it repeats to the digit on one machine. A figure that misses its aim says so.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from hexapod_motion.ground_contact import ContactObserver
from hexapod_motion.odometry import Odometer
from stride_bringup.hexapod_run import HexapodRun, Moved, Pass, estimated, moved

CYCLES = 6
SECONDS, SETTLING = 10.0, 3.0
AIM = 0.10
#: Moments in the gait's cycle to stop at.
STOPS = 8
console = Console(width=120)

Velocity = tuple[float, float, float]


class Figures:
    """A table of what was wanted, what came out, and whether that is within its aim."""

    def __init__(self, title: str) -> None:
        self.table = Table(title=title)
        for heading in ("figure", "wanted", "measured", "error (aim 10 %)"):
            self.table.add_column(heading)

    def compare(self, name: str, wanted: float, measured: float, unit: str) -> None:
        self.judge(
            name, f"{wanted:.4g} {unit}", f"{measured:.4g} {unit}", abs(measured / wanted - 1)
        )

    def judge(self, name: str, wanted: str, measured: str, error: float) -> None:
        """`error` is a part of what is wanted."""
        missed = "" if error < AIM else " MISSED"
        self.table.add_row(name, wanted, measured, f"{100 * error:.1f} %{missed}")

    def note(self, name: str, measured: str) -> None:
        """A figure without an aim."""
        self.table.add_row(name, "", measured, "")


def standing(rate: float) -> HexapodRun:
    run = HexapodRun(rate)
    run.stand_up()
    return run


def mean(passes: list[Pass], part: Callable[[Moved], float]) -> tuple[float, float]:
    """Of what was commanded and of what happened, without the first pass, which starts from rest."""
    pairs = [(part(one.thought), part(one.really)) for one in passes[1:]]
    commanded, really = np.mean(pairs, axis=0)
    return float(commanded), float(really)


def sequences(figures: Figures, rate: float) -> None:
    run = standing(rate)
    for name in ("DIRECT_MOVEMENT", "REVERSE_MOVEMENT"):
        pair = mean(run.cycles(name, CYCLES), lambda one: 1000 * one.forward)
        figures.compare(f"{name} per cycle", *pair, "mm")
    for name in ("ROTATE_LEFT", "ROTATE_RIGHT"):
        rotate(figures, run, name)
    for name in ("SHIFT_LEFT", "SHIFT_RIGHT"):
        pair = mean(run.cycles(name, CYCLES), lambda one: 1000 * one.left)
        figures.compare(f"{name} per cycle", *pair, "mm")
    figures.note("largest joint step per frame in sequences", degrees(run.largest_step))


def rotate(figures: Figures, run: HexapodRun, name: str) -> None:
    passes: list[Pass] = []
    slid = run.slip(lambda: passes.extend(run.cycles(name, CYCLES)))
    figures.compare(f"{name} per cycle", *mean(passes, lambda one: math.degrees(one.turn)), "deg")
    middle = mean(passes, lambda one: 1000 * one.distance)[1]
    feet = " ".join(f"{1000 * foot / CYCLES:.0f}" for foot in slid)
    figures.note("  its middle moves per cycle", f"{middle:.1f} mm")
    figures.note("  its feet slide per cycle", f"{feet} mm")


def velocity(figures: Figures, rate: float, name: str, command: Velocity) -> None:
    run = standing(rate)
    run.drive(command, SETTLING)
    observer, measuring = ContactObserver(run.motion, measured=True), Odometer()
    begin, odom = run.truth, run.engine.odometry

    def look() -> None:
        contact = observer.look()
        measuring.step(contact.feet, contact.standing, run.motion.dt)

    turns: list[float] = []
    slid = run.slip(lambda: turns.append(run.drive(command, SECONDS, look)))
    really, thought = moved(begin, run.truth), estimated(odom, run.engine.odometry)
    forward, _, turn = command
    if forward:
        figures.compare(f"{name}: speed", forward, really.forward / SECONDS, "m/s")
        drift = abs(really.left) / really.forward
        figures.judge(f"{name}: drift", "", f"{1000 * really.left:.1f} mm", drift)
        value = measuring.value
        measured = Moved(value.x, value.y, value.yaw)
        for source, odometry in (("commanded", thought), ("measured", measured)):
            error = math.hypot(odometry.forward - really.forward, odometry.left - really.left)
            words = f"{1000 * error:.1f} mm"
            figures.judge(f"{name}: odom, {source} joints", "", words, error / really.distance)
    else:
        figures.compare(f"{name}: turn", turn, turns[0] / SECONDS, "rad/s")
        figures.note(f"{name}: drift of the centre", f"{1000 * really.distance:.1f} mm")
        error = abs(math.remainder(thought.turn - really.turn, 2 * math.pi))
        words = f"{math.degrees(error):.1f} deg"
        figures.judge(f"{name}: odom", "", words, error / abs(turns[0]))
    figures.note(f"{name}: feet slide per second", f"{100 * slid.mean():.1f} mm")


def stop(figures: Figures, rate: float) -> None:
    planted, down, settled, step = [], [], [], 0.0
    run = standing(rate)
    walker = run.motion.walker
    for index in range(STOPS):
        run.largest_step = 0.0
        run.drive((0.1, 0.0, 0.0), SETTLING + index * walker.cycle_time / STOPS)
        walking = run.largest_step
        run.run_until(lambda: run.motion.commands.timed_out)
        run.largest_step = 0.0
        planted.append(run.run_until(lambda: walker.state.at_rest))
        down.append(planted[-1] + run.run_until(lambda: bool(run.feet_down.all())))
        settled.append(down[-1] + run.run_until(lambda: walker.resting))
        step = max(step, run.largest_step)
        run.run(0.5)
    figures.note("timeout to all feet commanded down", f"{max(planted):.2f} s")
    figures.note("timeout to all feet on the floor", f"{max(down):.2f} s")
    figures.note("timeout to all feet in their places", f"{max(settled):.2f} s")
    figures.note("largest joint step per frame, walking", degrees(walking))
    figures.note("largest joint step per frame, stopping", degrees(step))


def degrees(angle: float) -> str:
    return f"{math.degrees(angle):.2f} deg"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=float, nargs="+", default=[50.0, 150.0], metavar="HZ")
    for rate in parser.parse_args().rates:
        figures = Figures(f"hexapod_motion in physics at {rate:g} Hz")
        sequences(figures, rate)
        velocity(figures, rate, "cmd_vel 0.1 m/s", (0.1, 0.0, 0.0))
        velocity(figures, rate, "cmd_vel 0.3 rad/s", (0.0, 0.0, 0.3))
        stop(figures, rate)
        console.print(figures.table)


if __name__ == "__main__":
    main()
