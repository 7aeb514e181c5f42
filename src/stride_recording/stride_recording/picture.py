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
from stride_recording.panels import Curve, Panel, Style, value_range, with_gaps

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

    small = [
        (panel, joint)
        for panel in panels
        if panel.per_joint
        for joint in dict.fromkeys(curve.joint for curve in panel.curves)
    ]
    wide = [panel for panel in panels if not panel.per_joint]
    rows = math.ceil(len(small) / JOINT_COLUMNS)
    heights = [height for height in (rows * JOINT_HEIGHT, len(wide) * PANEL_HEIGHT) if height]
    drawn = Figure(figsize=(WIDTH, sum(heights) + 0.6), dpi=DPI, layout="constrained")
    FigureCanvasAgg(drawn)
    drawn.suptitle(_plain(title), fontsize=13)
    parts = list(np.ravel(drawn.subfigures(len(heights), 1, height_ratios=heights)))
    span = _span(panels)
    hues = colours(
        list(dict.fromkeys(c.joint for panel in panels for c in panel.curves if c.joint))
    )
    if small:
        part = parts.pop(0)
        for number, (panel, joint) in enumerate(small, start=1):
            axes = part.add_subplot(rows, JOINT_COLUMNS, number)
            _joint(axes, panel, joint, hues[joint])
            axes.set_xlim(*span)
    named: set[str] = set()
    for number, panel in enumerate(wide, start=1):
        axes = parts[0].add_subplot(len(wide), 1, number)
        _panel(axes, panel, hues, named)
        axes.set_xlim(*span)
    return drawn


def _joint(axes: Any, panel: Panel, joint: str, hue: str) -> None:
    for curve in panel.curves:
        if curve.joint == joint:
            _line(axes, curve, "#555555" if curve.style is Style.DASHED else hue)
    axes.set_title(
        _plain(f"{joint}: {panel.title} ({panel.unit}), dashed: wanted"), fontsize=8, pad=2
    )
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)


def _panel(axes: Any, panel: Panel, hues: dict[str, str], named: set[str]) -> None:
    """A joint is in the first legend that it can be in, and in no other."""
    others = colours([curve.name for curve in panel.curves if not curve.joint])
    lines, labels = [], []
    for curve in panel.curves:
        line = _line(axes, curve, hues[curve.joint] if curve.joint else others[curve.name])
        if curve.joint not in named:
            lines.append(line)
            labels.append(_plain(f"{curve.name}, {curve.note}" if curve.note else curve.name))
    named |= {curve.joint for curve in panel.curves if curve.joint}
    axes.set_title(panel.title, fontsize=10, loc="left", pad=3)
    axes.set_ylabel(panel.unit, fontsize=8)
    axes.set_xlabel("s", fontsize=8, loc="right", labelpad=0)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    shown = value_range(panel)
    if panel.logarithmic:
        axes.set_yscale("log")
    elif panel.rows:
        axes.set_yticks(range(len(panel.rows)), [_plain(row) for row in panel.rows], fontsize=6)
        axes.set_ylim(len(panel.rows) - 0.5, -0.5)
    elif shown is not None:
        axes.set_ylim(*shown)
    if lines:
        axes.legend(
            lines,
            labels,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.02),
            fontsize=6.5,
            ncols=math.ceil(len(lines) / LEGEND_COLUMN),
            frameon=False,
            borderaxespad=0.3,
        )


def _line(axes: Any, curve: Curve, hue: str) -> Any:
    curve = with_gaps(curve)
    (line,) = axes.plot(
        curve.time,
        curve.values,
        color=hue,
        linewidth=1.4 if curve.style is Style.DASHED else 0.9,
        linestyle="--" if curve.style is Style.DASHED else "-",
        drawstyle="steps-post" if curve.style is Style.STEPS else "default",
        marker="." if curve.style is Style.MARKS else None,
    )
    return line


def _span(panels: Sequence[Panel]) -> tuple[float, float]:
    times = [c.time for panel in panels for c in panel.curves if len(c.time)]
    low = float(min(np.min(time) for time in times))
    high = float(max(np.max(time) for time in times))
    return low, high if high > low else low + 1.0


def _plain(text: str) -> str:
    """Text that matplotlib does not take for mathematics."""
    return text.replace("$", r"\$")
