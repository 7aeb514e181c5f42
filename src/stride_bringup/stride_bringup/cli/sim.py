"""`stride sim`: a robot in MuJoCo, in real time on a pseudo-terminal, or as a film of its walk."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from stride_base.click_types import TIME, Number
from stride_base.progress_display import quiet_option


@click.command(
    context_settings={"ignore_unknown_options": True},
    short_help="Simulate a robot alone, or film its walk without ROS.",
)
@click.option("--robot", default="hexapod", show_default=True, help="Name or folder of the robot.")
@click.option("--model", type=Path, help="MJCF with the robot's joints  [robot.xml of its folder]")
@click.option("--record", type=Path, help="Walk without ROS, and write a film (.mp4, .webp) of it.")
@click.option("--picture", type=Path, help="Walk without ROS, and write a picture (.png) of it.")
@click.option("--walk", is_flag=True, help="Walk without ROS, as fast as it goes; say how well.")
@click.option("--duration", type=TIME, default=10.0, show_default=True, help="Of that walk, s.")
@click.option(
    "--steering",
    type=Number(-1.0, 1.0),
    default=0.0,
    show_default=True,
    help="Of that walk, -1 to 1.",
)
@click.option("--profile", default="sts3215", show_default=True, help="Servo model.")
@click.option("--link", type=Path, help="Where to make the link to the port.")
@quiet_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sim(
    robot: str,
    model: Path | None,
    record: Path | None,
    picture: Path | None,
    walk: bool,
    duration: float,
    steering: float,
    profile: str,
    link: Path | None,
    quiet: bool,
    arguments: tuple[str, ...],
) -> None:
    """Simulate a robot with its servos on a pseudo-terminal, in real time, for any driver to open.

    With --walk, --record or --picture: let it walk by itself instead, on virtual time, without ROS.
    ARGUMENTS go to the program `servo_sim`, see `stride sim -- --help`.
    """
    from stride_bringup.robots import find_robot
    from stride_bringup.runtime_files import emulator_link

    if walk or record is not None or picture is not None:
        if arguments:
            raise click.UsageError(f"no such option here: {' '.join(arguments)}")
        _walk(robot, model, record, picture, duration, steering, profile, quiet)
        return
    from servo_sim.cli import main

    found = find_robot(robot)
    port = link if link is not None else emulator_link(found.name, "")
    options = ["--link", str(port), "--servo-file", str(found.control_file), "--profile", profile]
    options += ["--model", str(model if model is not None else found.model_file)]
    options += ["--no-progress"] if quiet else []
    main.main([*options, *arguments], prog_name="stride sim")


def _walk(
    robot: str,
    model: Path | None,
    record: Path | None,
    picture: Path | None,
    duration: float,
    steering: float,
    profile: str,
    quiet: bool,
) -> None:
    from servo_sim.film import Film, still, write_picture
    from stride_base.progress import part_of
    from stride_base.progress_display import Display
    from stride_bringup.lockstep import LockStep
    from stride_bringup.stack_options import StackOptions
    from stride_bringup.walk_figures import SETTLING, measure

    walker = LockStep(StackOptions(robot=robot), model, profile=profile)
    walker.start()
    walker.steer(steering)
    film: Any = Film(walker.robot) if record is not None else None
    display, total = Display(quiet), SETTLING + duration
    with display as progress:
        walker.run(SETTLING, part_of(progress, 0.0, total))
        figures = measure(walker, duration, part_of(progress, SETTLING, total))
    click.echo(
        f"{figures.path:.2f} m in {figures.seconds:g} s; forward {figures.speed:.3f} m/s, "
        f"across {figures.left:+.3f} m, turned {math.degrees(figures.turn):+.1f} deg"
    )
    if picture is not None:
        write_picture(picture, still(walker.robot))
        click.echo(f"wrote {picture}")
    if record is not None:
        with display as progress:
            film.write(record, progress=progress)
        click.echo(f"wrote {record}")
