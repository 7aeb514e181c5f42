"""`stride record`: what a running robot publishes and takes, into a file."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stride_base.click_types import TIME
from stride_base.errors import RefusedError, StrideError

if TYPE_CHECKING:
    from stride_base.ending import Ending
    from stride_recording.recorder_node import RecorderNode
    from stride_recording.recording_writer import RecordingWriter

#: Between two looks at what was heard, s.
HEARD_PERIOD = 0.25
PLAIN_WIDTH = 80
URDF_FILE = "robot.urdf"


@click.command(short_help="Record a running robot into an MCAP file.")
@click.option("--output", type=Path, help="The file  [robot_DATE_TIME.mcap]")
@click.option("--namespace", default="", help="Namespace of the robot.")
@click.option("--robot", default="hexapod", show_default=True, help="Name or folder of the robot.")
@click.option("--topic", "topics", multiple=True, help="Only this topic; may be given again.")
@click.option("--all-topics", is_flag=True, help="Everything that anybody publishes.")
@click.option("--duration", type=TIME, default=0.0, help="End after so many seconds; 0: at Ctrl-C.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--quiet", is_flag=True, help="Only say what went wrong.")
def record(
    output: Path | None,
    namespace: str,
    robot: str,
    topics: tuple[str, ...],
    all_topics: bool,
    duration: float,
    force: bool,
    quiet: bool,
) -> None:
    """Record all topics of a running robot, those that appear later too, until Ctrl-C.

    The file is MCAP, for `stride plot`, `stride replay`, Foxglove and `ros2 bag`. The robot's
    robot.urdf goes into it.
    """
    from stride_base.domain import check_domain
    from stride_base.ending import Ending
    from stride_bringup.robots import find_robot
    from stride_bringup.stack_options import canonical_namespace
    from stride_recording.disk_file import create
    from stride_recording.mcap_output import McapOutput
    from stride_recording.recording_writer import RecordingWriter
    from stride_recording.topics import default_topics, full_name

    if topics and all_topics:
        raise click.UsageError("--topic and --all-topics exclude each other")
    space = canonical_namespace(namespace)
    found = find_robot(robot)
    wanted = {full_name(topic, space) for topic in topics} or {*default_topics(space)}
    began = datetime.now(timezone.utc)
    path = output or Path(f"{found.name}_{began.astimezone():%Y-%m-%d_%H-%M-%S}.mcap")
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    check_domain()
    urdf = _urdf(found.folder / URDF_FILE)
    file = McapOutput(create(path, force))
    about = {"namespace": space, "robot": found.name, "start_time": began.isoformat()}
    file.describe(about, urdf, time.time_ns())
    ending = Ending()
    writer = RecordingWriter(file, lambda reason: ending.request(f"the disk: {reason}"))
    recording = _Recording(path, writer, duration, {*topics}, quiet)
    with ending.on_signals():
        recording.run(space, None if all_topics else wanted, ending)
    recording.conclude()
    if ending.reason and not writer.failure:
        raise StrideError(ending.reason)


def _urdf(path: Path) -> str | None:
    """A robot without one is recorded all the same."""
    from stride_base.strict_json import read_text

    return read_text(path) if path.is_file() else None


class _Recording:
    """One run, and what is said of it."""

    def __init__(
        self,
        path: Path,
        writer: RecordingWriter,
        duration: float,
        named: set[str],
        quiet: bool,
    ) -> None:
        self._path, self._writer, self._duration = path, writer, duration
        self._named, self._quiet = named, quiet
        self._terminal = sys.stdout.isatty() and not quiet
        self._began = time.monotonic()
        self._lost = 0
        self._missing: list[str] = []

    def run(self, namespace: str, wanted: set[str] | None, ending: Ending) -> None:
        """Record until the end; the file is finished then."""
        from stride_base.running import running
        from stride_recording.recorder_node import RecorderNode

        make = partial(RecorderNode, self._writer, wanted, self._warn)
        self._say(f"recording to {self._path}; Ctrl-C ends it")
        self._writer.start()
        try:
            with running([make], ending, namespace=namespace) as nodes:
                if nodes:
                    self._watch(nodes[0], ending)
        finally:
            self._writer.close()

    def conclude(self) -> None:
        """Say what the file holds. Raises StrideError: it is not all that was heard, or nothing."""
        writer, lost = self._writer, self._lost + self._writer.dropped
        if self._terminal:
            click.echo()
        if writer.failure and not writer.size:
            raise RefusedError(f"{self._path} cannot be written: {writer.failure}")
        if writer.failure:
            raise StrideError(
                f"{self._path}: {writer.failure}: the recording ended there, and is readable up to "
                "its last second"
            )
        for name in self._missing:
            self._warn(f"{name} was never there")
        if not writer.messages:
            domain = os.environ.get("ROS_DOMAIN_ID", "0")
            raise RefusedError(
                f"{self._path} holds no message: nothing was published in ROS domain {domain} on "
                "the topics to record"
            )
        self._say(f"{self._path}: {self._figures()}, {len(writer.counts)} topics")
        if lost:
            self._warn(f"{lost} messages are not in the file: the computer or its disk is too slow")

    def _watch(self, node: RecorderNode, ending: Ending) -> None:
        length = self._duration if self._duration > 0 else math.inf
        end, heard = self._began + length, False
        while (left := end - time.monotonic()) > 0 and not ending.wait(min(HEARD_PERIOD, left)):
            if not heard and self._writer.messages:
                # It takes seconds to find the robot, which are none of the recording.
                heard, self._began = True, time.monotonic()
                end = self._began + length
                self._say("hearing the robot")
            self._lost = node.lost
            if self._terminal:
                # A terminal that is gone ends us by SIGHUP, with a whole file.
                with contextlib.suppress(OSError):
                    self._show_line()
        self._lost = node.lost
        self._missing = node.missing if self._named else []

    def _figures(self) -> str:
        writer = self._writer
        seconds = time.monotonic() - self._began
        size = writer.size / 1e6
        drops = self._lost + writer.dropped
        return f"{seconds:.0f} s, {writer.messages} messages, {size:.1f} MB, {drops} lost"

    def _show_line(self) -> None:
        """Over the previous one."""
        # Some terminals do not know their width, and say 0.
        width = os.get_terminal_size().columns or PLAIN_WIDTH
        click.echo(f"\r\x1b[2K{self._figures()[: width - 1]}\r", nl=False)

    def _say(self, text: str) -> None:
        if not self._quiet:
            click.echo(text)

    def _warn(self, text: str) -> None:
        click.echo(f"stride: {text}", err=True)
