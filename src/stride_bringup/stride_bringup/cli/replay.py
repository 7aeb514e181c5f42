"""`stride replay`: a recording in the browser."""

from __future__ import annotations

import time
from pathlib import Path

import click

from stride_base.click_types import Number
from stride_bringup.cli.page_options import page_options

#: Pictures per second, Hz.
FRAME_RATE = 25.0


@click.command(short_help="Show a recording in the browser.")
@click.argument("file", type=Path)
@click.option("--robot", default="", help="Robot to draw it with.  [default: the recorded one]")
@click.option("--namespace", default=None, help="Of the robot.  [default: as recorded]")
@click.option("--speed", default=1.0, show_default=True, type=Number(0.1, 10.0))
@page_options
def replay(
    file: Path, robot: str, namespace: str | None, speed: float, host: str, port: int
) -> None:
    """Play FILE (.mcap) on a page, until Ctrl-C. No ROS is needed, and nothing is published."""
    from stride_base.ending import Ending
    from stride_bringup.robots import find_robot
    from stride_bringup.stack_options import canonical_namespace
    from stride_recording.reader import Recording
    from stride_recording.robot_series import namespace_of
    from stride_viewer.library import require_library

    require_library()
    from stride_viewer.live import Live
    from stride_viewer.playback import Playback
    from stride_viewer.robot_model import urdf_of
    from stride_viewer.server import serve

    recording = Recording.open(file)
    folder = find_robot(robot).folder if robot else None
    given = None if namespace is None else canonical_namespace(namespace)
    playback = Playback(recording, time.monotonic, namespace_of(recording, given))
    playback.set_speed(speed)
    playback.pause()
    live = Live(playback, None, FRAME_RATE, urdf_of(folder) or recording.urdf or "", file.name)
    ending = Ending()
    with ending.on_signals():
        serve(live, host, port, folder, ending)
