"""`stride check`: what a control file makes a robot do, or why it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stride_bringup.cli.console import console

if TYPE_CHECKING:
    from gait_controller.report import ControlReport, JointAtCommand, ServoReport
    from gait_controller.report import WheelAtCommand as Wheel


@click.command(short_help="Check a control file; report speeds and ranges.")
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Check the control file FILE and report speeds, ranges and warnings."""
    from gait_controller import control_file
    from gait_controller.report import report

    show(report(control_file.load(file)))


def show(data: ControlReport) -> None:
    """Print a report as a table."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(
        f"{data.file}: format {data.format}, robot {data.robot}, {len(data.servos)} servos, "
        f"{data.control_hz} Hz, ramp {data.ramp_time:g} s, gait {data.frequency:g} Hz",
        markup=False,
    )
    table = Table("id", "joint", "limits (rad)", "limits (steps)")
    for command in (entry.command for entry in data.servos[0].commands):
        table.add_column(f"range (rad), speed (rad/s) at {command:g}")
    for servo in data.servos:
        table.add_row(*map(Text, cells(servo)), style="yellow" if servo.load_can_stop else None)
    out.print(table)
    out.print("speed: the highest under load, with the speed cut (without it)")
    out.print(f"highest of all: {data.fastest:.2f} rad/s")
    for warning in data.warnings:
        out.print(f"warning: {warning}", style="yellow", markup=False)


def cells(servo: ServoReport) -> list[str]:
    """One servo as texts, one per column."""
    texts = [str(servo.id), servo.name, "-", "-"]
    if servo.limits is not None and servo.step_limits is not None:
        low, high = servo.limits
        texts[2:] = [f"{low:.2f} to {high:.2f}", "{} to {}".format(*servo.step_limits)]
    return texts + [_at(entry) for entry in servo.commands]


def _at(entry: JointAtCommand | Wheel) -> str:
    from gait_controller.report import WheelAtCommand

    if isinstance(entry, WheelAtCommand):
        wheel = f"wheel, {entry.speed:.2f}"
        return wheel if entry.speed == entry.wanted else f"{wheel} ({entry.wanted:.2f})"
    joint = f"{entry.lowest:.2f} to {entry.highest:.2f}, {entry.loaded_peak:.2f}"
    joint += f" ({entry.peak:.2f})" if entry.cut < 1.0 else ""
    return joint + (f", clipped {entry.clipped:.0%}" if entry.clipped else "")
