"""`stride calibrate`: zero and travel of joints, measured on the robot, written into its file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stride_base.click_types import TIME, Number
from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.console import console
from sts3215_driver.cli.options import bus_options, connected

if TYPE_CHECKING:
    from stride_base.progress import Progress
    from sts3215_driver.bus import Bus
    from sts3215_driver.servo_table import ServoTable
    from sts3215_driver.tools.travel import TravelRecorder

CONTROL_FILE = "control.json"
#: Between two readings while joints are moved by hand, s.
RECORD_PERIOD = 0.02


@click.command(short_help="Measure zeros and write them into the servo file.")
@click.option(
    "--servo-file",
    "--robot",
    "file",
    required=True,
    help="Servo or control file, or the folder of a robot.",
)
@click.argument("joints", nargs=-1)
@bus_options
@click.option("--zero/--no-zero", default=True, help="Measure zero.  [yes]")
@click.option("--range/--no-range", "travel", default=False, help="Record the travel.  [no]")
@click.option(
    "--margin",
    type=Number(minimum=0.0),
    default=2.0,
    show_default=True,
    help="Kept from each end, deg.",
)
@click.option("--recentre", is_flag=True, help="Move the servo's offset where limits do not fit.")
@click.option("--seconds", type=TIME, help="Record for so long instead of until Enter.")
@click.option("--yes", is_flag=True, help="Ask nothing: robot held, straight, and to be written.")
@quiet_option
def calibrate(
    file: str,
    joints: tuple[str, ...],
    port: str,
    baud: int,
    echo: str,
    zero: bool,
    travel: bool,
    margin: float,
    recentre: bool,
    seconds: float | None,
    yes: bool,
    quiet: bool,
) -> None:
    """Measure zero of JOINTS (all) in the straight pose and write it into the file, nothing else.

    With --range the travel of each joint is recorded too, and min and max are suggested.
    """
    from sts3215_driver import servo_table
    from sts3215_driver.tools.calibration import select, subset

    path = Path(file) / CONTROL_FILE if Path(file).is_dir() else Path(file)
    table = servo_table.load(path)
    table = subset(table, select(table, joints))
    with connected(port, baud, echo, table.ids, quiet) as bus:
        _ask(yes, "All torque goes off now and the robot goes limp: hold it.")
        display = Display(quiet)
        _release(bus, table)
        if zero:
            _ask(yes, "Put the joints into the straight pose and keep them still.")
            _calibrate_zero(bus, table, path, recentre, yes, display)
            table = subset(servo_table.load(path), table.names)
        if travel:
            _calibrate_range(bus, table, path, margin, seconds, yes, display)


def _release(bus: Bus, table: ServoTable) -> None:
    from stride_base.errors import RefusedError
    from sts3215_driver.start_up import torque_off

    if holding := torque_off(bus, table):
        raise RefusedError("; ".join(holding))
    click.echo("torque is off")


def _calibrate_zero(
    bus: Bus, table: ServoTable, path: Path, recentre: bool, yes: bool, display: Display
) -> None:
    from rich.table import Table

    from sts3215_driver.tools import calibration
    from sts3215_driver.tools.servo_file_edit import write_zeros

    everyone = range(len(table))
    if recentre:
        with display:
            changed = calibration.recentre(bus, table, everyone, display)
        for index in changed:
            click.echo(f"{table.label(index)}: position offset changed, its travel is centred now")
    with display:
        zeros = calibration.measure_zero(bus, table, everyone, progress=display).tolist()
    result = Table("id", "joint", "zero in the file", "zero measured", "change (deg)")
    for index, new in enumerate(zeros):
        old = int(table.zero[index])
        change = f"{(new - old) * 360 / 4096:+.1f}"
        result.add_row(str(table.ids[index]), table.names[index], str(old), str(new), change)
    console().print(result)
    if not (yes or click.confirm(f"Write these zeros into {path}?")):
        raise click.Abort
    write_zeros(path, dict(zip(table.names, zeros, strict=True)))
    click.echo(f"{path}: zero of {len(zeros)} joints written and checked")


def _calibrate_range(
    bus: Bus,
    table: ServoTable,
    path: Path,
    margin: float,
    seconds: float | None,
    yes: bool,
    display: Display,
) -> None:
    import math

    from rich.table import Table

    from sts3215_driver.tools import calibration
    from sts3215_driver.tools.servo_file_edit import write_limits
    from sts3215_driver.tools.travel import TravelRecorder, seam_advice, suggest_limits

    with display:
        facts = calibration.look(bus, table, range(len(table)), display)
    recorder = TravelRecorder(bus, table, range(len(table)))
    recorder.step()
    what = f"{seconds:g} s" if seconds is not None else "until Enter"
    click.echo(f"Move every joint by hand, slowly, from end to end ({what}).")
    with display:
        _record(bus, recorder, seconds, display)
    result = Table("id", "joint", "travel (steps)", "min (rad)", "max (rad)", "in the file")
    limits, seams = {}, []
    for index, (travel, servo) in enumerate(zip(recorder.travels, facts, strict=True)):
        low, high = suggest_limits(table, index, travel, math.radians(margin))
        present = f"{table.minimum[index]:.4f} to {table.maximum[index]:.4f}"
        cells = (f"{travel.low} to {travel.high}", f"{low:.4f}", f"{high:.4f}", present)
        result.add_row(str(servo.id), table.names[index], *cells)
        limits[table.names[index]] = (low, high)
        if travel.crosses_seam:
            seams.append(seam_advice(travel, servo.id, servo.registers["position_offset"]))
    console().print(result)
    if seams:
        click.echo("not written:\n" + "\n".join(seams))
        sys.exit(1)
    if yes or click.confirm(f"Write min and max into {path}?"):
        write_limits(path, limits)
        click.echo(f"{path}: min and max of {len(limits)} joints written and checked")


def _record(bus: Bus, recorder: TravelRecorder, seconds: float | None, progress: Progress) -> None:
    """Until Enter, or for `seconds`; only these have an end of which something can be told."""
    import select

    clock = bus.transport.clock
    begin = clock.now()
    end = None if seconds is None else begin + seconds
    while end is None or clock.now() < end:
        if seconds is not None:
            progress("recording the travel", clock.now() - begin, seconds)
        due = clock.now() + RECORD_PERIOD
        recorder.step()
        if end is None and select.select([sys.stdin], [], [], 0)[0]:
            sys.stdin.readline()
            return
        clock.sleep_until(due)


def _ask(yes: bool, text: str) -> None:
    """Go on at Enter."""
    click.echo(text)
    if not yes:
        click.prompt("Enter to go on", default="", show_default=False, prompt_suffix=" ")
