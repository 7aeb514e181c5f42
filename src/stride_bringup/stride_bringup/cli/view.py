"""`stride view`: the page of a robot that runs already, here or elsewhere on the network."""

from __future__ import annotations

import click

from stride_bringup.cli.page_options import page_options


@click.command(short_help="Show a running robot in the browser, and drive it.")
@click.option("--robot", default="hexapod", show_default=True, help="Name or folder of the robot.")
@click.option("--namespace", default="", help="Namespace of the robot.")
@page_options
def view(robot: str, namespace: str, host: str, port: int) -> None:
    """Serve a page with the robot, its controls and plots, until Ctrl-C.

    `stride up` starts one by itself; this is for robots that `ros2 launch` started, or elsewhere.
    """
    from stride_base.ending import Ending
    from stride_bringup.robots import find_robot
    from stride_bringup.stack_options import canonical_namespace
    from stride_viewer.library import require_library

    require_library()
    from stride_viewer.main import run

    parameters = {"robot": str(find_robot(robot).folder), "host": host, "port": port}
    arguments = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    ending = Ending()
    with ending.on_signals():
        run(ending, ["--ros-args", *arguments], canonical_namespace(namespace))
