"""`stride plot`: a recording as a page or a picture, and in figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stride_base.click_types import FINITE
from stride_base.errors import ConfigError, RefusedError
from stride_base.progress_display import Display, quiet_option

if TYPE_CHECKING:
    from stride_recording.summary import Summary

FORMATS = (".html", ".png")
#: Columns of a line where the output is no terminal.
PIPE_WIDTH = 160


@click.command(short_help="Draw a recording: tracking, load, bus timing.")
@click.argument("file", type=Path)
@click.option("--output", type=Path, help="The .html or .png  [beside FILE, .html]")
@click.option("--joints", default="", help="Only these, separated by commas.")
@click.option("--from", "start", type=FINITE, help="Beginning of the part to draw, s.")
@click.option("--to", "end", type=FINITE, help="End of the part to draw, s.")
@click.option("--namespace", help="Namespace of the robot  [as recorded]")
@click.option("--show", is_flag=True, help="Open it.")
@quiet_option
def plot(
    file: Path,
    output: Path | None,
    joints: str,
    start: float | None,
    end: float | None,
    namespace: str | None,
    show: bool,
    quiet: bool,
) -> None:
    """Draw a recording of `stride record` or `ros2 bag record -s mcap`.

    Wanted and measured position, tracking error, load, voltage, temperature, missing readings and
    alarms, bus timing, commands, over the same time. Times count from the recording's first message.
    """
    from stride_recording import page, picture
    from stride_recording.panels import make_panels
    from stride_recording.reader import Record, Recording
    from stride_recording.robot_series import collect, namespace_of
    from stride_recording.summary import summarise

    path = output if output is not None else file.with_suffix(".html")
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(
            "stride plot", "", "--output", str(path), "a name that ends in .html or .png"
        )
    _check_part(start, end)
    recording = Recording.open(file)
    space = None if namespace is None else "".join(f"/{n}" for n in namespace.split("/") if n)
    space = namespace_of(recording, space)
    begin, length = recording.start_time, recording.end_time - recording.start_time
    with Display(quiet) as progress:

        def told(record: Record) -> None:
            progress("reading", record.time - begin, length)

        series = collect(recording, space, start, end, told)
    chosen = _chosen(joints, series.joints)
    panels = make_panels(series, chosen)
    if not panels:
        length = recording.end_time - recording.start_time
        raise RefusedError(f"{file} holds nothing to draw there; it is {length:.1f} s long")
    summary = summarise(recording, series, chosen)
    title = f"{file.name}{f', robot {space}' if space else ''}"
    try:
        if path.suffix.lower() == ".png":
            picture.draw(panels, title, path)
        else:
            page.draw(panels, title, summary, path)
    except OSError as error:
        raise RefusedError(f"{path} cannot be written: {error.strerror}") from error
    _print(summary)
    click.echo(f"wrote {path}")
    if show:
        click.launch(str(path))


def _check_part(start: float | None, end: float | None) -> None:
    if start is not None and end is not None and start >= end:
        raise ConfigError("stride plot", "", "--to", end, f"more than --from, {start:g} s")


def _chosen(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise RefusedError(
                f"the recording has no joint {name!r}; it has {', '.join(known) or 'none'}"
            )
    return names or known


def _print(summary: Summary) -> None:
    from rich.console import Console
    from rich.table import Table

    from stride_recording.summary import number

    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    topics = Table("topic", "type")
    joints = Table("joint")
    for table, columns in (
        (topics, ("messages", "per s")),
        (joints, ("error rms", "error max", "unit", "missing readings")),
    ):
        for column in columns:
            table.add_column(column, justify="right")
    for topic in summary.topics:
        topics.add_row(topic.topic, topic.type_name, str(topic.count), number(topic.rate, 1))
    for joint in summary.joints:
        figures = (number(joint.rms, 4), number(joint.worst, 4), joint.unit, str(joint.missing))
        joints.add_row(joint.joint, *figures)
    console.print(topics)
    if summary.joints:
        console.print(joints)
    for line in summary.lines():
        console.print(line, markup=False)
