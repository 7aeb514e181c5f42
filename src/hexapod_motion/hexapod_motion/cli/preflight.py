"""`stride preflight`: sequences and gaits checked and drawn before a motor moves."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hexapod_motion.gaits import load_gaits
from hexapod_motion.geometry import load_geometry
from hexapod_motion.preflight.findings import Thresholds
from hexapod_motion.preflight.gait_report import check_gait
from hexapod_motion.preflight.sequence_report import check_sequences, findings_of
from hexapod_motion.preflight.text import print_report
from hexapod_motion.robot_files import GAITS, GEOMETRY, SEQUENCES, robot_folder
from hexapod_motion.sequences import load_book
from hexapod_motion.walk_rules import WalkSettings
from stride_base.click_types import Number
from stride_base.errors import RefusedError
from stride_base.progress import track
from stride_base.progress_display import Display, quiet_option

#: Columns of a line where the output is no terminal.
PIPE_WIDTH = 160


@click.command(short_help="Check sequences and gaits of a hexapod on paper.")
@click.argument("sequences", nargs=-1)
@click.option("--robot", default="hexapod", show_default=True, help="Name or folder of the robot.")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, path_type=Path),
    help="Another file or folder of sequences than the robot's.",
)
@click.option(
    "--rate",
    type=Number(1.0, 1000.0),
    default=150.0,
    show_default=True,
    help="Frames per second, Hz.",
)
@click.option(
    "--speed",
    type=Number(0.1, 2.0),
    default=1.0,
    show_default=True,
    help="sequence_speed to check at.",
)
@click.option(
    "--slip",
    type=Number(minimum=0.0),
    default=2.0,
    show_default=True,
    help="Largest slip of a foot, mm.",
)
@click.option(
    "--margin",
    type=Number(minimum=0.0),
    default=10.0,
    show_default=True,
    help="Least stability margin, mm.",
)
@click.option("--gaits/--no-gaits", default=True, help="Also walk with the gaits.")
@click.option(
    "--draw",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for pictures of all paths (PNG).",
)
@click.option("--strict", is_flag=True, help="Findings that tables accept count too.")
@quiet_option
def preflight(
    sequences: tuple[str, ...],
    robot: str,
    file: Path | None,
    rate: float,
    speed: float,
    slip: float,
    margin: float,
    gaits: bool,
    draw: Path | None,
    strict: bool,
    quiet: bool,
) -> None:
    """Check SEQUENCES (default: all) and the gaits on paper; exit code 1 if something is found.

    Walks every frame of every sequence from every pose it can start in, and reports reach, limits,
    joint speed, foot slip, stability margin and durations.
    """
    from rich.console import Console

    if not (rate > 0.0 and speed > 0.0):
        raise RefusedError("--rate and --speed must be greater than 0")
    folder = robot_folder(robot)
    geometry = load_geometry(folder / GEOMETRY)
    book = load_book(file or folder / SEQUENCES)
    unknown = [name for name in sequences if name not in book.sequences]
    if unknown:
        known = ", ".join(book.sequences)
        raise RefusedError(f"there is no sequence {unknown[0]!r}; there are {known}")
    thresholds = Thresholds(slip=slip, margin=margin)
    checked_gaits = []
    display = Display(quiet)
    with display as progress:
        runs = check_sequences(book, geometry, rate, speed, thresholds, sequences, progress)
        if gaits and not sequences:
            table = load_gaits(folder / GAITS, geometry)
            checked_gaits = [
                check_gait(name, table, geometry, WalkSettings(gait=name), rate, thresholds)
                for name in track(table, "walking with the gaits", progress)
            ]
    findings = findings_of(runs) + [f for gait in checked_gaits for f in gait.findings]
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    print_report(console, runs, checked_gaits, findings, geometry)
    if draw is not None:
        from hexapod_motion.preflight.drawing import draw_all

        with display as progress:
            drawn = draw_all(runs, geometry, draw, progress)
        for path in drawn:
            console.print(f"drawn: {path}", soft_wrap=True)
    if any(strict or not finding.accepted for finding in findings):
        sys.exit(1)
