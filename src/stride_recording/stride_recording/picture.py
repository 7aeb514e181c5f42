"""Panels as a PNG: each joint's position on axes of its own, the rest below one another."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stride_base.atomic_file import write_atomically
from stride_recording.colours import colours
from stride_recording.panels import Curve, Panel, Style, with_gaps

WIDTH, DPI = 15.0, 90
#: Heights of a row of joints and of a panel, inches.
JOINT_HEIGHT, PANEL_HEIGHT = 1.5, 2.3
JOINT_COLUMNS = 3
#: A legend of more entries has two columns.
LEGEND_COLUMN = 12


def draw(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Write the picture to `path`."""
    picture = io.BytesIO()
    figure(panels, title).savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def figure(panels: Sequence[Panel], title: str) -> Any:
    """The matplotlib figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows: list[tuple[Panel, tuple[str, ...]]] = []
    for panel in panels:
        if not panel.per_joint:
            rows.append((panel, ()))
            continue
        joints = list(dict.fromkeys(curve.joint for curve in panel.curves))
        for first in range(0, len(joints), JOINT_COLUMNS):
            rows.append((panel, tuple(joints[first : first + JOINT_COLUMNS])))
    heights = [JOINT_HEIGHT if joints else PANEL_HEIGHT for _, joints in rows]
    drawn = Figure(figsize=(WIDTH, sum(heights) + 0.8), dpi=DPI, layout="constrained")
    FigureCanvasAgg(drawn)
    drawn.suptitle(_plain(title), fontsize=13)
    grid = drawn.add_gridspec(len(rows), JOINT_COLUMNS, height_ratios=heights)
    span = _span(panels)
    seen = colours(
        list(dict.fromkeys(c.joint for panel in panels for c in panel.curves if c.joint))
    )
    for number, (panel, joints) in enumerate(rows):
        for column, joint in enumerate(joints):
            axes = drawn.add_subplot(grid[number, column])
            _joint(axes, panel, joint, seen[joint])
            axes.set_xlim(*span)
        if not joints:
            axes = drawn.add_subplot(grid[number, :])
            _panel(axes, panel, seen)
            axes.set_xlim(*span)
            axes.set_xlabel("s", fontsize=8, loc="right")
    return drawn


def _joint(axes: Any, panel: Panel, joint: str, colour: str) -> None:
    for curve in panel.curves:
        if curve.joint == joint:
            dashed = curve.style is Style.DASHED
            _line(axes, curve, "#555555" if dashed else colour)
    axes.set_title(_plain(joint), fontsize=9, pad=2)
    axes.tick_params(labelsize=7)
    axes.set_ylabel(f"{panel.title} ({panel.unit})", fontsize=7)
    axes.grid(alpha=0.25)


def _panel(axes: Any, panel: Panel, joints: dict[str, str]) -> None:
    others = colours([curve.name for curve in panel.curves if not curve.joint])
    for curve in panel.curves:
        _line(axes, curve, joints[curve.joint] if curve.joint else others[curve.name])
    axes.set_title(panel.title, fontsize=10, loc="left", pad=3)
    axes.set_ylabel(panel.unit, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.rows:
        axes.set_yticks(range(len(panel.rows)), [_plain(row) for row in panel.rows], fontsize=6)
        axes.set_ylim(len(panel.rows) - 0.5, -0.5)
    columns = math.ceil(len(axes.get_lines()) / LEGEND_COLUMN)
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.02),
        fontsize=6.5,
        ncols=max(columns, 1),
        frameon=False,
        borderaxespad=0.3,
    )


def _line(axes: Any, curve: Curve, colour: str) -> None:
    curve = with_gaps(curve)
    axes.plot(
        curve.time,
        curve.values,
        color=colour,
        label=_plain(curve.name),
        linewidth=1.4 if curve.style is Style.DASHED else 0.9,
        linestyle="--" if curve.style is Style.DASHED else "-",
        drawstyle="steps-post" if curve.style is Style.STEPS else "default",
        marker="." if curve.style is Style.MARKS else None,
    )


def _span(panels: Sequence[Panel]) -> tuple[float, float]:
    times = [c.time for panel in panels for c in panel.curves if len(c.time)]
    low = float(min(np.min(time) for time in times))
    high = float(max(np.max(time) for time in times))
    return low, high if high > low else low + 1.0


def _plain(text: str) -> str:
    """Text that matplotlib neither hides nor takes for mathematics."""
    return (
        text.replace("$", r"\$").replace("_", "\u2009_", 1)
        if text[:1] == "_"
        else text.replace("$", r"\$")
    )
