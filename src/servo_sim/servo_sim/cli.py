"""The program `servo_sim`: a robot in MuJoCo whose servos answer on a serial port."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from servo_sim.robot_commands import RobotCommands
from servo_sim.simulated_bus import build_simulated_bus
from stride_base.errors import StrideError
from stride_base.progress_display import Display
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.cli import port_options, serve, setup_options
from sts3215_driver.emulator.servo_file import load_joints


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@port_options
@click.option("--servo-file", required=True, type=Path, help="Control file (JSON): the servos.")
@click.option("--model", type=Path, help="MJCF  [robot.xml beside the servo file]")
@click.option("--joint-module", type=Path, help="Joint module whose limits hold for all joints.")
@click.option("--record", type=Path, help="Write a film (.mp4) of it all at the end.")
@click.option("--no-progress", is_flag=True, help="Show no progress on standard error.")
@setup_options
def main(
    link: Path,
    control: Path | None,
    any_baud: bool,
    linger: float,
    quiet: bool,
    servo_file: Path,
    model: Path | None,
    joint_module: Path | None,
    record: Path | None,
    no_progress: bool,
    **setup: Any,
) -> None:
    """Simulate a robot with Feetech STS3215 servos, in real time, on a pseudo-terminal.

    Everything that can be done to emulated servos works here too, and more on the robot as a whole:
    see docs/servo_sim.md. Ends on Ctrl-C, SIGTERM or the command `stop`.
    """
    try:
        path = model if model is not None else servo_file.with_name("robot.xml")
        simulated = build_simulated_bus(
            Setup(joints=load_joints(servo_file), **setup), path, joint_module
        )
        film = None
        if record is not None:
            from servo_sim.film import Film

            film = Film(simulated.robot)
        commands = RobotCommands(simulated)
        began = time.monotonic()
        serve(simulated.bus, link, control, any_baud, linger, quiet, commands.table())
        if not quiet:
            bank, passed = simulated.bus.bank, time.monotonic() - began
            factor = 1.0 - bank.skipped / max(passed, 1e-9)
            click.echo(f"simulated {bank.elapsed:.1f} s at {factor:.3f} of real time", err=True)
        if film is not None and record is not None:
            with Display(quiet or no_progress) as progress:
                film.write(record, progress=progress)
    except StrideError as error:
        click.echo(f"servo_sim: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
