"""The pre-flight report as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hexapod_motion.geometry import Geometry
from hexapod_motion.preflight.findings import Finding
from hexapod_motion.preflight.gait_report import CheckedGait
from hexapod_motion.preflight.sequence_report import CheckedRun
from hexapod_motion.sequences import Block


def print_report(
    console: Any,
    runs: Sequence[CheckedRun],
    gaits: Sequence[CheckedGait],
    findings: Sequence[Finding],
    geometry: Geometry,
) -> None:
    """Write tables and findings to a rich console."""
    if runs:
        console.print(_sequence_table(runs, geometry))
    if gaits:
        console.print(_gait_table(gaits, geometry))
    for finding in findings:
        word, style = ("accepted", "dim") if finding.accepted else ("FOUND", "bold red")
        console.print(f"[{style}]{word}[/] {finding}")
    open_findings = sum(not finding.accepted for finding in findings)
    accepted = len(findings) - open_findings
    frames = sum(run.frames for run in runs)
    console.print(
        f"{len({run.name for run in runs})} sequences from {len(runs)} starts, {frames} frames: "
        f"{open_findings} found, {accepted} accepted by their tables"
    )


def _sequence_table(runs: Sequence[CheckedRun], geometry: Geometry) -> Any:
    from rich.table import Table

    table = Table(title="Sequences")
    table.add_column("sequence")
    table.add_column("after")
    for column in ("prepare", "main", "finalize", "s", "cycle mm", "cycle deg"):
        table.add_column(column, justify="right")
    table.add_column(f"joint deg/s (of {geometry.joint_speed:.0f})", justify="right")
    table.add_column("slip mm", justify="right")
    table.add_column("margin mm", justify="right")
    for run in runs:
        shift, turn = run.cycle()
        blocks = [str(run.run.frames(block)) for block in Block]
        table.add_row(
            run.name,
            run.run.before or "walking",
            *blocks,
            f"{run.frames / run.rate:.2f}",
            _shift(shift),
            f"{_rounded(np.degrees(turn)):g}",
            f"{run.joint_speed:.0f}",
            f"{run.slip:.1f}",
            "lies" if np.isinf(run.margin) and run.margin > 0 else f"{run.margin:.0f}",
        )
    return table


def _gait_table(gaits: Sequence[CheckedGait], geometry: Geometry) -> Any:
    from rich.table import Table

    table = Table(title="Gaits at full speed")
    table.add_column("gait")
    for column in ("forward m/s", "left m/s", "turn rad/s", "reach mm"):
        table.add_column(column, justify="right")
    table.add_column(f"joint deg/s (of {geometry.joint_speed:.0f})", justify="right")
    table.add_column("margin mm", justify="right")
    for gait in gaits:
        table.add_row(
            gait.name,
            f"{gait.forward:.3f}",
            f"{gait.left:.3f}",
            f"{gait.turn:.2f}",
            f"{gait.radius:.0f}",
            f"{gait.joint_speed:.0f}",
            f"{gait.margin:.0f}",
        )
    return table


def _shift(shift: complex) -> str:
    ahead, left = _rounded(shift.real), _rounded(shift.imag)
    words = [f"{ahead:+g} ahead"] if ahead else []
    words += [f"{left:+g} left"] if left else []
    return ", ".join(words) or "0"


def _rounded(value: float) -> float:
    return round(float(value), 1) + 0.0
