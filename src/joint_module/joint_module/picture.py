"""One page that shows a report: torques, angles, speeds, margins. Drawn off screen."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from joint_module import output
from joint_module.contract import JointModule, Range
from joint_module.report import OVERLOAD_TOLERANCE, Margin, Report, Runs
from joint_module.simulate import Run
from joint_module.verdict import is_good, verdict

# A4 upright, inches.
_PAGE = (8.27, 11.69)
_GOOD, _BAD, _GREY = "#2a7f3f", "#b3261e", "#666666"
_INPUT, _OUTPUT, _WANTED = "#1f5fa8", "#d97706", "#999999"
# More points than pixels only make the file slow.
_MOST_POINTS = 4000


def draw(module: JointModule, found: Report, runs: Runs, path: Path) -> None:
    """Write the page to `path`; its suffix (.png, .pdf, .svg) is the format."""
    figure = Figure(figsize=_PAGE, dpi=120)
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        5,
        1,
        height_ratios=[1.55, 2, 2, 2, 1.5],
        hspace=0.42,
        left=0.11,
        right=0.95,
        top=0.95,
        bottom=0.06,
    )
    _head(figure.add_subplot(grid[0]), module, found)
    run = runs.limited
    step = max(len(run.time) // _MOST_POINTS, 1)
    seen = slice(None, None, step)
    torques = figure.add_subplot(grid[1])
    _torques(torques, module, found, runs, seen)
    _angles(figure.add_subplot(grid[2], sharex=torques), module, run, seen)
    _speeds(figure.add_subplot(grid[3], sharex=torques), module, run, seen)
    _margins(figure.add_subplot(grid[4]), found)
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix.lstrip(".").lower())
    output.write(path, picture.getvalue())


def _head(axes: Any, module: JointModule, found: Report) -> None:
    axes.axis("off")
    title = module.name if module.name and _drawable(module.name) else module.module_id
    axes.text(0.0, 1.0, _shown(title, 60), fontsize=15, weight="bold", va="top", parse_math=False)
    colour = _GOOD if is_good(found) else _BAD
    axes.text(0.0, 0.76, verdict(found), fontsize=12, color=colour, va="top")
    efficiency = "none" if found.efficiency is None else f"{found.efficiency:.1%}"
    measured = "none" if found.measured_ratio is None else f"{found.measured_ratio:.6g}"
    left = (
        f"input    {_shown(module.input_joint)}\n"
        f"output   {_shown(module.output_joint)}\n"
        f"ratio    {module.gear_ratio:g} ({module.gear_ratio_source}), measured {measured}\n"
        f"load     {found.load_torque:.4g} N m, mode {found.mode}"
    )
    right = (
        f"ideal input torque   {found.ideal_input_torque:.4g} N m\n"
        f"peak / rms torque    {found.peak_input_torque:.4g} / {found.rms_input_torque:.4g} N m\n"
        f"efficiency           {efficiency}\n"
        f"tracking peak / rms  {found.peak_tracking_error:.3g} / {found.rms_tracking_error:.3g} rad"
    )
    style: dict[str, Any] = {
        "fontsize": 8.5,
        "family": "monospace",
        "va": "top",
        "linespacing": 1.4,
        "parse_math": False,
    }
    axes.text(0.0, 0.52, left, **style)
    axes.text(0.55, 0.52, right, **style)


def _shown(text: str, longest: int = 38) -> str:
    """`text` in characters that the font has, shortened."""
    text = "".join(letter if _drawable(letter) else "?" for letter in text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _torques(axes: Any, module: JointModule, found: Report, runs: Runs, seen: slice) -> None:
    time, torque = runs.limited.time[seen], runs.limited.input_torque[seen]
    if runs.needed is not runs.limited:
        axes.plot(time, runs.needed.input_torque[seen], color=_BAD, label="needed")
    axes.plot(time, torque, color=_INPUT, label="input")
    ideal = -runs.limited.load_torque / module.gear_ratio
    axes.axhline(ideal, color=_WANTED, linestyle="--", linewidth=1, label="ideal: load / ratio")
    _limit_lines(axes, found.torque.limits, runs.limited.input_torque, "N m")
    _finish(axes, "input torque, N m")


def _angles(axes: Any, module: JointModule, run: Run, seen: slice) -> None:
    time, ratio = run.time[seen], module.gear_ratio
    axes.plot(time, run.input_position[seen], color=_INPUT, label="input")
    scaled = run.output_position[seen] * ratio
    axes.plot(time, scaled, color=_OUTPUT, linestyle="--", label=f"output x {ratio:g}")
    axes.plot(time, run.reference[seen], "k:", linewidth=1, label="reference")
    _limit_lines(axes, module.limits.position, run.input_position, "rad")
    _finish(axes, "angle, rad")


def _speeds(axes: Any, module: JointModule, run: Run, seen: slice) -> None:
    time, ratio = run.time[seen], module.gear_ratio
    axes.plot(time, run.input_velocity[seen], color=_INPUT, label="input")
    scaled = run.output_velocity[seen] * ratio
    axes.plot(time, scaled, color=_OUTPUT, linestyle="--", label=f"output x {ratio:g}")
    if module.limits.velocity:
        _limit_lines(axes, module.limits.velocity, run.input_velocity, "rad/s")
    _finish(axes, "speed, rad/s")
    axes.set_xlabel("time, s", fontsize=9)


def _limit_lines(axes: Any, limits: Range, samples: Any, unit: str) -> None:
    """Limits as lines, where they are near enough not to flatten the curve; else in words."""
    low, high = float(samples.min()), float(samples.max())
    reach = max(high - low, 0.25 * max(abs(low), abs(high)))
    near = [limit for limit in limits if low - reach <= limit <= high + reach]
    for index, limit in enumerate(near):
        label = "limit" if index == 0 else None
        axes.axhline(limit, color=_BAD, linewidth=1, linestyle=":", label=label)
    if len(near) < len(limits):
        text = f"limits {limits[0]:.4g} to {limits[1]:.4g} {unit}"
        axes.set_title(text, loc="right", fontsize=8, color=_GREY, pad=3)


def _finish(axes: Any, label: str) -> None:
    axes.set_ylabel(label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    axes.margins(x=0.0)
    axes.legend(
        fontsize=8,
        ncols=4,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        frameon=False,
        borderaxespad=0.1,
        handlelength=1.8,
    )


def _margins(axes: Any, found: Report) -> None:
    rows: list[tuple[str, Margin, str]] = [
        ("torque", found.torque, "N m"),
        ("position", found.position, "rad"),
    ]
    if found.velocity:
        rows.append(("speed", found.velocity, "rad/s"))
    for index, (_, margin, unit) in enumerate(rows):
        share = min(max(margin.fraction, -1.0), 1.0)
        colour = _GOOD if margin.margin >= 0.0 or _touches(found, margin) else _BAD
        axes.barh(index, share, color=colour, height=0.55)
        place = share + (0.01 if share >= 0.0 else -0.01)
        side = "left" if share >= 0.0 else "right"
        if share > 0.6:
            place, side = share - 0.01, "right"
        elif share < -0.6:
            place, side = share + 0.01, "left"
        inside = abs(share) > 0.6
        text = f"{margin.fraction:.0%}  ({margin.margin:.4g} {unit})"
        if abs(margin.fraction) <= OVERLOAD_TOLERANCE:
            text = "at its limit"
        axes.text(
            place,
            index,
            text,
            ha=side,
            va="center",
            fontsize=8,
            color="white" if inside else "black",
        )
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(-1.0, 1.0)
    axes.set_xticks(
        [-1.0, -0.5, 0.0, 0.5, 1.0], ["-100 %", "-50 %", "0", "50 %", "100 %"], fontsize=8
    )
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title("margin to the limits of the input joint", fontsize=9, loc="left")


def _touches(found: Report, margin: Margin) -> bool:
    """In overload mode the torque touches its limit on purpose."""
    return margin is found.torque and found.meets_load


def _drawable(text: str) -> bool:
    """Whether the font has all characters of `text`; it draws boxes for those it lacks."""
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans Mono"))
    return text.isprintable() and all(font.get_char_index(ord(letter)) for letter in text)
