"""The program `servo_sim_model`: writes robot.xml and robot.urdf of a robot's folder."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from servo_sim.hexapod import BODY_FILE, GEOMETRY_FILE, load_hexapod
from servo_sim.mjcf import mjcf_text
from servo_sim.urdf import urdf_text
from stride_base.atomic_file import write_atomically
from stride_base.errors import RefusedError, StrideError

SOURCE = f"Made by servo_sim_model from {GEOMETRY_FILE} and {BODY_FILE}; edit those instead."
MJCF_FILE, URDF_FILE = "robot.xml", "robot.urdf"


def model_files(folder: Path) -> dict[Path, str]:
    """What the two files in `folder` should hold. Raises StrideError."""
    robot = load_hexapod(folder)
    return {
        folder / MJCF_FILE: mjcf_text(robot, SOURCE),
        folder / URDF_FILE: urdf_text(robot, SOURCE),
    }


def check_model_files(folder: Path) -> None:
    """Raise RefusedError if a file in `folder` is not what it would be made to."""
    for path, text in model_files(folder).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            raise RefusedError(f"{path} is out of date; run `stride robot-model {folder}`")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=Path)
@click.option("--check", is_flag=True, help="Only say whether the files are up to date.")
def main(folder: Path, check: bool) -> None:
    """Write robot.xml (MJCF) and robot.urdf of the robot in FOLDER from its geometry and body."""
    try:
        if check:
            check_model_files(folder)
            click.echo(f"the models in {folder} are up to date")
            return
        for path, text in model_files(folder).items():
            write_atomically(path, text)
            click.echo(f"{path}")
        robot = load_hexapod(folder)
        click.echo(f"{len(robot.joints)} joints, {robot.mass:.3f} kg")
    except StrideError as error:
        click.echo(f"servo_sim_model: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
