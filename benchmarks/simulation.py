"""The simulated hexapod in figures: walking, sag, speed of the simulation; with --real-time also that.

    ./stride bench simulation [--real-time SECONDS]

Everything but the speeds repeats to the digit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from servo_sim.simulated_bus import build_simulated_bus
from stride_bringup.lockstep import LockStep
from stride_bringup.stack_options import StackOptions
from stride_bringup.walk_figures import SETTLING, WalkFigures, measure, walk
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.servo_file import load_joints

HEXAPOD = Path(__file__).parents[1] / "config" / "robots" / "hexapod"
SECONDS = 10.0
console = Console(width=120)


def figures_row(table: Table, name: str, figures: WalkFigures) -> None:
    table.add_row(
        name,
        f"{figures.speed:.3f}",
        f"{figures.path / figures.seconds:.3f}",
        f"{100 * figures.drift:.1f}" if abs(figures.turn) < 0.2 else "-",
        f"{np.degrees(figures.turn):+.1f}",
        f"{1e3 * figures.lowest:.0f} to {1e3 * figures.highest:.0f}",
        f"{np.degrees(figures.tilt):.1f}",
    )


def walking() -> None:
    table = Table(title=f"Walking, physical profile, {SECONDS:g} s each after the start")
    for heading in (
        "steering",
        "forward (m/s)",
        "path (m/s)",
        "drift (%)",
        "turn (deg)",
        "height (mm)",
        "tilt (deg)",
    ):
        table.add_column(heading)
    for steering in (0.0, 1.0, -1.0):
        figures_row(table, f"{steering:g}", walk(SECONDS, steering))
    robot = LockStep()
    robot.start()
    robot.run(SETTLING)
    for steering in (1.0, -1.0, 0.0):
        robot.steer(steering)
        # The command needs up to half a second, and the gait a cycle after that.
        robot.run(1.5)
        figures_row(table, f"changed to {steering:g}", measure(robot, SECONDS))
    figures_row(table, "0 at 150 Hz", walk(SECONDS, robot=LockStep(StackOptions(rate=150.0))))
    console.print(table)


def standing() -> None:
    """Sag: torque on in the standing pose, 3 s later; mean and largest over the six legs."""
    table = Table(title="Standing sag, degrees: mean of the legs (largest)")
    for heading in ("profile", "coxa", "femur", "tibia", "one leg of three, femur"):
        table.add_column(heading)
    for profile in ("sts3215", "so101"):
        joints = load_joints(HEXAPOD / "control.json")
        simulated = build_simulated_bus(
            Setup(joints=joints, profile=profile), HEXAPOD / "robot.xml"
        )
        bank, robot = simulated.bus.bank, simulated.robot
        bank.advance(0.0)
        for servo in bank.servos:
            servo.write(42, (2048).to_bytes(2, "little"))
            servo.write(40, b"\x01")
        bank.advance(3.0)
        sag = np.abs(np.degrees(robot.state.position)).reshape(6, 3)
        words = [
            f"{mean:.2f} ({most:.2f})"
            for mean, most in zip(sag.mean(axis=0), sag.max(axis=0), strict=True)
        ]
        # fl, mr and rl lift their feet: the other three carry everything.
        for leg in (0, 4, 2):
            lift = round(0.4 * 4096 / (2 * np.pi)) * joints[3 * leg + 1].sign
            bank.servos[3 * leg + 1].write(42, (2048 + lift).to_bytes(2, "little"))
        bank.advance(6.0)
        femurs = np.abs(np.degrees(robot.state.position)).reshape(6, 3)[[1, 3, 5], 1]
        table.add_row(profile, *words, f"{femurs.mean():.2f} ({femurs.max():.2f})")
    console.print(table)


def speed(seconds: float = 10.0) -> None:
    robot = LockStep()
    robot.start()
    robot.run(SETTLING)
    began, busy = time.perf_counter(), time.process_time()
    robot.run(seconds)
    took, worked = time.perf_counter() - began, time.process_time() - busy
    plant, duty = robot.robot, np.zeros(18)
    connected = np.ones(18, dtype=bool)
    steps = 3000
    physics = time.process_time()
    for _ in range(steps):
        plant.advance(0.002, duty, connected)
    physics = time.process_time() - physics
    console.print(
        f"lock-step, whole chain: {seconds / took:.1f} simulated s per s "
        f"({seconds / worked:.1f} per s of processor time); "
        f"physics alone: {steps * 0.002 / physics:.1f}"
    )


def real_time(rate: float, seconds: float) -> None:
    """`stride up` beside the simulator: missed cycles, processor time, real-time factor."""
    import psutil

    from sts3215_driver.emulator.control import ControlClient

    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "bus"
        command = [sys.executable, "-m", "servo_sim.cli", "--link", str(link)]
        command += ["--servo-file", str(HEXAPOD / "control.json")]
        simulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert simulator.stdout is not None and simulator.stdout.readline()
            script = "import sys; from stride_bringup.__main__ import main; main()"
            options = ["up", "--viewer", "off"]
            nodes = subprocess.Popen(
                [sys.executable, "-c", script, *options, "--port", str(link), "--rate", str(rate)],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "XDG_RUNTIME_DIR": folder},
            )
            time.sleep(8.0)
            watched = [psutil.Process(simulator.pid), psutil.Process(nodes.pid)]
            with ControlClient(f"{link}.control") as client:
                before = client.command("robot")["time"]
                began = time.monotonic()
                for process in watched:
                    process.cpu_percent()
                time.sleep(seconds)
                cpu = [process.cpu_percent() for process in watched]
                passed = time.monotonic() - began
                factor = (client.command("robot")["time"] - before) / passed
            nodes.terminate()
            said = nodes.communicate(timeout=20)[0].splitlines()
        finally:
            simulator.terminate()
            simulator.wait()
    last = next((line for line in reversed(said) if line.startswith("cycle")), "")
    console.print(
        f"{rate:g} Hz in real time: factor {factor:.3f}, CPU of the simulator {cpu[0]:.0f} %, of the "
        f"nodes {cpu[1]:.0f} % of a core; {last}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real-time", type=float, default=0.0, metavar="SECONDS")
    chosen = parser.parse_args()
    model = json.dumps(LockStep().robot.model.body_mass.sum().round(3))
    console.print(f"hexapod of {model} kg; load of this machine {os.getloadavg()[0]:.1f}")
    walking()
    standing()
    speed()
    if chosen.real_time > 0:
        os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
        for rate in (50.0, 150.0):
            real_time(rate, chosen.real_time)


if __name__ == "__main__":
    main()
