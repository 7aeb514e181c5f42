"""Pictures of a sequence: all paths from above and from the side, what is out of reach marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hexapod_motion.arrays import BoolArray, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry
from hexapod_motion.preflight.sequence_report import CheckedRun
from hexapod_motion.preflight.standing import Standing
from stride_base.progress import Progress, silent

GROUND, AIR, BAD, TABLE = "#1f6fb4", "#222222", "#d62728", "#d62728"
#: Least width of a view from the side, mm.
VIEW = 150.0
#: Joint angles are looked at in steps of this for the edge of the reach, degrees.
_STEP = 2.0


def draw(run: CheckedRun, geometry: Geometry, folder: Path) -> Path:
    """Draw one run; returns the file, ``<sequence>_after_<sequence>.png`` in `folder`."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(16, 10), layout="constrained")
    grid = figure.add_gridspec(4, 4, width_ratios=(1.35, 1, 1, 1), height_ratios=(1, 1, 0.42, 0.42))
    _top_view(figure.add_subplot(grid[:2, 0]), run, geometry)
    for limb in range(6):
        axes = figure.add_subplot(grid[limb // 3, 1 + limb % 3])
        _side_view(axes, run, geometry, limb)
    _speed_view(figure.add_subplot(grid[2, :]), run, geometry)
    _margin_view(figure.add_subplot(grid[3, :]), run)
    before = run.run.before or "walking"
    title = f"{run.name} after {before}: {run.frames} frames, {run.frames / run.rate:.2f} s"
    found = sum(not finding.accepted for finding in run.findings)
    figure.suptitle(f"{title}, {found} found" if found else title, fontsize=14)
    _legend(figure)
    path = folder / f"{run.name}_after_{before}.png"
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
    return path


def draw_all(
    runs: Sequence[CheckedRun], geometry: Geometry, folder: Path, progress: Progress = silent
) -> list[Path]:
    """Draw all runs that move."""
    folder.mkdir(parents=True, exist_ok=True)
    moving = [run for run in runs if run.frames]
    drawn = []
    for number, run in enumerate(moving):
        progress("drawing", number, len(moving), run.name)
        drawn.append(draw(run, geometry, folder))
    return drawn


def _top_view(axes: Any, run: CheckedRun, geometry: Geometry) -> None:
    body = BodyFrame(geometry)
    mounts = np.stack([-geometry.mounts[:, 0], geometry.mounts[:, 1]], axis=1)
    outline = mounts[[0, 1, 2, 5, 4, 3, 0]]
    axes.fill(outline[:, 0], outline[:, 1], color="#e8e8e8", zorder=0)
    axes.plot(outline[:, 0], outline[:, 1], color="#aaaaaa", lw=1, zorder=0)
    start = body.from_limbs(run.run.start)
    for limb, name in enumerate(geometry.names):
        way = np.stack([mounts[limb], start[limb, [1, 0]]])
        axes.plot(way[:, 0], way[:, 1], color="#cccccc", lw=1.5, zorder=0)
        x, y = mounts[limb] * (0.6, 0.8)
        axes.text(x, y, name, ha="center", va="center", color="#777777")
    for checked in run.iterations:
        feet = body.from_limbs(checked.part.frames)
        possible = checked.angles.possible
        for limb in range(6):
            line = feet[:, limb][:, [1, 0]]
            _path(axes, line, checked.ground, limb, possible[:, limb])
    points = [body.from_limbs(row.points) for row in run.run.sequence.iterations]
    table = np.concatenate(points)
    axes.scatter(table[:, 1], table[:, 0], s=14, color=TABLE, zorder=4)
    axes.annotate(
        "", xy=(0, 60), xytext=(0, 10), arrowprops={"arrowstyle": "-|>", "color": "#777777"}
    )
    axes.invert_xaxis()
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title("from above")
    axes.set_xlabel("y, left (mm)")
    axes.set_ylabel("x, forward (mm)")
    axes.grid(alpha=0.25)


def _side_view(axes: Any, run: CheckedRun, geometry: Geometry, limb: int) -> None:
    """Distance from the coxa axis and height, with the area that the leg reaches."""
    for edge in _reach(geometry):
        axes.fill(edge[:, 0], edge[:, 1], color="#dff0d8", zorder=0)
    axes.axhline(-geometry.standing_height, color="#b08050", lw=1)
    lines = []
    for checked in run.iterations:
        points = checked.part.frames[:, limb]
        line = np.stack([np.hypot(points[:, 0], points[:, 2]), points[:, 1]], axis=1)
        lines.append(line)
        _path(axes, line, checked.ground, limb, checked.angles.possible[:, limb])
    table = np.array([row.points[limb] for row in run.run.sequence.iterations])
    table = np.stack([np.hypot(table[:, 0], table[:, 2]), table[:, 1]], axis=1)
    axes.scatter(table[:, 0], table[:, 1], s=14, color=TABLE, zorder=4)
    seen = np.concatenate([table, *lines])
    axes.set_aspect("equal", adjustable="box")
    _look_at(axes, (seen.min(axis=0) + seen.max(axis=0)) / 2.0, np.ptp(seen, axis=0))
    axes.set_title(f"{geometry.names[limb]} from the side", fontsize=10)
    axes.set_xlabel("from the coxa axis (mm)", fontsize=8)
    axes.set_ylabel("height (mm)", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)


def _look_at(axes: Any, middle: FloatArray, size: FloatArray) -> None:
    """Show a square of all that is seen, at least VIEW wide."""
    half = max(VIEW, 1.25 * float(size.max())) / 2.0
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)


def _path(axes: Any, line: FloatArray, ground: Standing, limb: int, possible: BoolArray) -> None:
    down = ground.down[:, limb] | ground.lies
    for stands, color in ((True, GROUND), (False, AIR)):
        chosen = down if stands else ~down
        shown = np.where((chosen[:-1] & chosen[1:])[:, None], line[:-1], np.nan)
        ends = np.where((chosen[:-1] & chosen[1:])[:, None], line[1:], np.nan)
        if not stands:
            # Steps between standing and flying belong to the flight.
            mixed = (~(down[:-1] & down[1:]))[:, None]
            shown, ends = np.where(mixed, line[:-1], np.nan), np.where(mixed, line[1:], np.nan)
        pieces = np.stack([shown, ends, np.full(shown.shape, np.nan)], axis=1).reshape(-1, 2)
        axes.plot(pieces[:, 0], pieces[:, 1], color=color, lw=1.6, zorder=3 if stands else 2)
    bad = line[~possible]
    if len(bad):
        axes.scatter(bad[:, 0], bad[:, 1], s=26, marker="x", color=BAD, lw=1.5, zorder=5)


def _reach(geometry: Geometry) -> list[FloatArray]:
    """Outline of the places that femur and tibia reach within their limits: (distance, height), mm."""
    (f0, f1), (t0, t1) = geometry.limits[1], geometry.limits[2]
    femurs, tibias = np.arange(f0, f1 + _STEP, _STEP), np.arange(t0, t1 + _STEP, _STEP)
    edge = [
        *((f, t0) for f in femurs),
        *((f1, t) for t in tibias),
        *((f, t1) for f in femurs[::-1]),
        *((f0, t) for t in tibias[::-1]),
    ]
    angles = np.array(edge).clip([f0, t0], [f1, t1])
    elevation = np.radians(geometry.femur_zero - angles[:, 0])
    below = elevation - np.pi + np.radians(angles[:, 1] + geometry.tibia_zero)
    r = geometry.coxa + geometry.femur * np.cos(elevation) + geometry.tibia * np.cos(below)
    y = geometry.femur * np.sin(elevation) + geometry.tibia * np.sin(below)
    return [np.stack([r, y], axis=1)]


def _times(run: CheckedRun) -> list[FloatArray]:
    """Times of the frames of each iteration, s."""
    times, begin = [], 0
    for checked in run.iterations:
        count = len(checked.part.frames)
        times.append((begin + np.arange(count)) / run.rate)
        begin += count
    return times


def _speed_view(axes: Any, run: CheckedRun, geometry: Geometry) -> None:
    for times, checked in zip(_times(run), run.iterations, strict=True):
        top = checked.speed.max(axis=(1, 2))
        axes.plot(times[1:], top, color=AIR, lw=1.2)
        fast = top > geometry.joint_speed
        axes.scatter(times[1:][fast], top[fast], s=8, color=BAD, zorder=3)
    axes.axhline(geometry.joint_speed, color=BAD, lw=1, ls="--")
    _mark_iterations(axes, run)
    axes.set_ylabel("fastest joint\n(deg/s)", fontsize=8)
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=8, labelbottom=False)


def _margin_view(axes: Any, run: CheckedRun) -> None:
    for times, checked in zip(_times(run), run.iterations, strict=True):
        margin = np.where(np.isfinite(checked.ground.margin), checked.ground.margin, np.nan)
        axes.plot(times, margin, color=GROUND, lw=1.2)
    axes.axhline(0.0, color=BAD, lw=1, ls="--")
    _mark_iterations(axes, run)
    axes.set_ylabel("stability\nmargin (mm)", fontsize=8)
    axes.set_xlabel("time (s), with the iterations", fontsize=8)
    axes.tick_params(labelsize=8)


def _mark_iterations(axes: Any, run: CheckedRun) -> None:
    for times, checked in zip(_times(run), run.iterations, strict=True):
        axes.axvline(times[0], color="#cccccc", lw=0.8, zorder=0)
        axes.text(
            times[0],
            0.97,
            f" {checked.part.index}",
            transform=axes.get_xaxis_transform(),
            fontsize=7,
            color="#777777",
            va="top",
        )
    axes.margins(x=0.01)


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=GROUND, lw=1.6, label="on the ground"),
        Line2D([], [], color=AIR, lw=1.6, label="in the air"),
        Line2D([], [], color=TABLE, marker="o", ls="", ms=4, label="points of the table"),
        Line2D([], [], color=BAD, marker="x", ls="", label="out of reach or beyond a limit"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9, frameon=False)
