"""The pre-flight report as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hexapod_motion.geometry import Geometry
from hexapod_motion.preflight.findings import Finding, Kind
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
    accepted = [finding for finding in findings if finding.accepted]
    found = [finding for finding in findings if not finding.accepted]
    for line in _accepted_lines(accepted):
        console.print(f"accepted {line}", style="dim")
    for finding in found:
        console.print(f"FOUND {finding}", style="bold red", soft_wrap=True)
    frames = sum(run.frames for run in runs)
    console.print(
        f"{len({run.name for run in runs})} sequences from {len(runs)} starts, {frames} frames: "
        f"{len(found)} found, {len(accepted)} accepted by their tables"
    )


def _accepted_lines(findings: Sequence[Finding]) -> list[str]:
    """One line per sequence and kind, with the widest value."""
    groups: dict[tuple[str, Kind], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.sequence, finding.kind), []).append(finding)
    lines = []
    for (sequence, kind), group in groups.items():
        values = [finding.value for finding in group if finding.value is not None]
        worst = min(values) if kind is Kind.MARGIN else max(values)
        iterations = ", ".join(str(finding.iteration) for finding in group)
        lines.append(f"{sequence}: {kind.value} {worst:.4g}, in iteration {iterations}")
    return lines


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
