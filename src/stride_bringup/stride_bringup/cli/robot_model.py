"""`stride robot-model`: robot.xml (MJCF) and robot.urdf of a robot, made from its geometry and body."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("robot-model", short_help="Make robot.xml and robot.urdf of a hexapod.")
@click.argument("robot", default="hexapod")
@click.option("--check", is_flag=True, help="Only say whether the files are up to date.")
def robot_model(robot: str, check: bool) -> None:
    """Make the models of ROBOT (a name or a folder) from its geometry.yaml and body.yaml."""
    from servo_sim.make_model import main as make_model
    from stride_bringup.robots import find_robot

    folder: Path = find_robot(robot).folder
    make_model.main([str(folder), *(["--check"] if check else [])], prog_name="stride robot-model")
