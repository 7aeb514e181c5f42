"""What a plot shows, as data: panels with curves. How it is drawn is up to the page or the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from stride_recording.robot_series import FloatArray, RobotSeries, Series
from stride_recording.tracking import LONGEST_GAP, Tracking, track

STATUS_NAMES = {1: "missing", 2: "corrupt", 3: "wrong length", 4: "not read"}
FLAG_NAMES = {1: "voltage", 2: "sensor", 4: "temperature", 8: "current", 32: "overload"}
TORQUE_NAMES = {0: "torque off", 255: "torque unknown"}


class Style(Enum):
    """How a curve is drawn."""

    LINE = "line"
    DASHED = "dashed"
    #: A value holds until the next.
    STEPS = "steps"
    #: Every known value is marked, and joined with the next if that is known.
    MARKS = "marks"


@dataclass(frozen=True)
class Curve:
    """Values over time; NaN is a gap.

    Args:
        name: For the legend.
        time: (n,) s since the recording's beginning.
        values: (n,) in the panel's unit.
        joint: What joint it is of; empty for none.
        style: How it is drawn.
        note: What else the legend says of its joint.
    """

    name: str
    time: FloatArray
    values: FloatArray
    joint: str = ""
    style: Style = Style.LINE
    note: str = ""


@dataclass(frozen=True)
class Panel:
    """Curves over one axis.

    Args:
        title: What they are.
        unit: Of the values.
        curves: In the order of drawing.
        per_joint: Whether each joint may have axes of its own.
        rows: Names of the values 0, 1, ... where these are no numbers.
        logarithmic: Whether small and large values are both of interest.
        least_span: The axis shows at least so much, so that noise does not look large.
    """

    title: str
    unit: str
    curves: tuple[Curve, ...]
    per_joint: bool = False
    rows: tuple[str, ...] = ()
    logarithmic: bool = False
    least_span: float = 0.0


def make_panels(series: RobotSeries, joints: Sequence[str]) -> list[Panel]:
    """All panels that have something to show."""
    tracks = track(series, joints)
    positions = [t for t in tracks if not t.wheel]
    wheels = [t for t in tracks if t.wheel]
    panels = [
        Panel("position", "rad", _both(series.wanted, series.measured, positions), True),
        Panel("tracking error", "rad", _errors(positions, "rad")),
        Panel(
            "wheel speed",
            "rad/s",
            _both(series.wanted_velocity, series.measured_velocity, wheels),
            True,
        ),
        Panel("wheel speed error", "rad/s", _errors(wheels, "rad/s")),
        Panel("load", "duty", _states(series, joints, "load")),
        Panel("voltage", "V", _voltages(series, joints), least_span=1.0),
        Panel("temperature", "°C", _states(series, joints, "temperature"), least_span=10.0),
        Panel("readings, alarms, torque", "", _events(series, joints), rows=tuple(joints)),
        Panel("interval of sync_step", "ms", _intervals(series.ticks), least_span=2.0),
        Panel("lateness of the bus", "µs", _lateness(series.bus), logarithmic=True),
        Panel("cycles since the beginning", "", _cycles(series.bus), least_span=2.0),
        Panel("commands", "", _commands(series), least_span=0.1),
    ]
    seen = [
        replace(panel, curves=tuple(curve for curve in panel.curves if _seen(curve)))
        for panel in panels
    ]
    return [panel for panel in seen if panel.curves]


def value_range(panel: Panel) -> tuple[float, float] | None:
    """What the axis shows where the values alone would show less than `least_span`; else None."""
    known = np.concatenate([c.values[np.isfinite(c.values)] for c in panel.curves])
    low, high = float(known.min()), float(known.max())
    if high - low >= panel.least_span:
        return None
    middle = (low + high) / 2.0
    return middle - panel.least_span / 2.0, middle + panel.least_span / 2.0


def with_gaps(curve: Curve) -> Curve:
    """`curve` with a NaN wherever nothing was heard for LONGEST_GAP usual steps."""
    if len(curve.time) < 3 or curve.style in (Style.STEPS, Style.MARKS):
        return curve
    steps = np.diff(curve.time)
    usual = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    where = np.flatnonzero(steps > LONGEST_GAP * usual) + 1
    if not len(where) or usual == 0.0:
        return curve
    time = np.insert(curve.time, where, (curve.time[where] + curve.time[where - 1]) / 2.0)
    values = np.insert(curve.values, where, math.nan)
    return replace(curve, time=time, values=values)


def thinned(curve: Curve, most: int) -> Curve:
    """`curve` with at most about `most` points: of each stretch its lowest, its highest and a gap; of
    marks, runs that are hardly apart become one."""
    count = len(curve.time)
    if count <= most:
        return curve
    if curve.style is Style.MARKS:
        return _merged(curve, most)
    bounds = np.linspace(0, count, max(most // 3, 1) + 1).astype(int)
    kept: set[int] = set()
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        part = curve.values[low:high]
        unknown = np.isnan(part)
        if unknown.any():
            kept.add(low + int(np.argmax(unknown)))
        if not unknown.all():
            kept |= {low + int(np.nanargmin(part)), low + int(np.nanargmax(part))}
    index = np.array(sorted(kept))
    return replace(curve, time=curve.time[index], values=curve.values[index])


def _merged(curve: Curve, most: int) -> Curve:
    """Runs of three points each, see `_rows`, with growing gaps closed until they are few enough."""
    first, last, _ = curve.time.reshape(-1, 3).T
    rows = curve.values[::3]
    apart = float(np.ptp(curve.time)) / most
    while 3 * len(first) > most and apart < np.ptp(curve.time):
        ends = (np.diff(rows) != 0.0) | (first[1:] - last[:-1] > apart)
        begins = np.concatenate([[True], ends])
        first, last, rows = first[begins], last[np.concatenate([ends, [True]])], rows[begins]
        apart *= 2.0
    return replace(curve, time=np.stack([first, last, last], 1).ravel(), values=_runs(rows))


def _runs(rows: FloatArray) -> FloatArray:
    return np.stack([rows, rows, np.full(len(rows), math.nan)], axis=1).ravel()


def _both(wanted: Series, measured: Series, tracks: Sequence[Tracking]) -> tuple[Curve, ...]:
    curves = []
    for entry in tracks:
        joint = entry.joint
        curves += [
            Curve(f"{joint} wanted", wanted.time, wanted.column(joint), joint, Style.DASHED),
            Curve(joint, measured.time, measured.column(joint), joint),
        ]
    return tuple(curves)


def _errors(tracks: Sequence[Tracking], unit: str) -> tuple[Curve, ...]:
    return tuple(
        Curve(t.joint, t.time, t.error, t.joint, note=f"rms {t.rms:.3f} {unit}") for t in tracks
    )


def _states(series: RobotSeries, joints: Sequence[str], field: str) -> tuple[Curve, ...]:
    found = series.states[field]
    return tuple(Curve(joint, found.time, found.column(joint), joint) for joint in joints)


def _voltages(series: RobotSeries, joints: Sequence[str]) -> tuple[Curve, ...]:
    battery = series.battery
    supply = Curve("battery", battery.time, battery.column("battery"), style=Style.STEPS)
    return (*_states(series, joints, "voltage"), supply)


def _events(series: RobotSeries, joints: Sequence[str]) -> tuple[Curve, ...]:
    """One curve for each kind of event, in which a joint's row is its number."""
    curves = [
        _rows(series.states["status"], joints, f"reading {name}", number, 0)
        for number, name in STATUS_NAMES.items()
    ]
    curves += [
        _rows(series.states["flags"], joints, f"alarm: {name}", bit, bit)
        for bit, name in FLAG_NAMES.items()
    ]
    curves += [
        _rows(series.states["torque"], joints, name, number, 0)
        for number, name in TORQUE_NAMES.items()
    ]
    return tuple(curve for curve in curves if _seen(curve))


def _rows(series: Series, joints: Sequence[str], name: str, value: int, mask: int) -> Curve:
    """Where a joint's number is `value`, or has the bit `mask`: of each run first, last and a gap."""
    times: list[FloatArray] = [np.zeros(0)]
    rows: list[FloatArray] = [np.zeros(0)]
    for row, joint in enumerate(joints):
        numbers = series.column(joint)
        known = np.where(np.isfinite(numbers), numbers, -1.0).astype(int)
        found = (known >= 0) & (((known & mask) != 0) if mask else known == value)
        edges = np.diff(np.concatenate([[False], found, [False]]).astype(int))
        first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        time = series.time[np.stack([first, last, last], axis=1)]
        times.append(time.ravel())
        rows.append(_runs(np.full(len(first), float(row))))
    return Curve(name, np.concatenate(times), np.concatenate(rows), style=Style.MARKS)


def _intervals(ticks: Series) -> tuple[Curve, ...]:
    """Of neighbouring ticks only: over a jump of the number there is no interval."""
    if len(ticks) < 2:
        return ()
    steps = np.diff(ticks.time) * 1e3
    next_in_line = np.diff(ticks.column("tick")) == 1.0
    values = np.where(next_in_line, steps, math.nan)
    return (Curve("interval", ticks.time[1:], values),)


def _lateness(bus: Series) -> tuple[Curve, ...]:
    names = ("lateness p50", "lateness p99", "lateness max")
    return tuple(Curve(name, bus.time, bus.column(name)) for name in names)


def _cycles(bus: Series) -> tuple[Curve, ...]:
    return tuple(
        Curve(
            name, bus.time, bus.column(column) - first_known(bus.column(column)), style=Style.STEPS
        )
        for name, column in (("missed", "missed"), ("without new goals", "without new goals"))
    )


def _commands(series: RobotSeries) -> tuple[Curve, ...]:
    cmd_vel, steering, motion = series.cmd_vel, series.steering, series.motion
    units = {"forward": "m/s", "left": "m/s", "turn": "rad/s"}
    return (
        Curve("steering sent", steering.time, steering.column("steering"), style=Style.STEPS),
        Curve("steering in effect", motion.time, motion.column("command"), style=Style.STEPS),
        *(
            Curve(f"{name} ({unit})", cmd_vel.time, cmd_vel.column(name), style=Style.STEPS)
            for name, unit in units.items()
        ),
    )


def first_known(values: FloatArray) -> float:
    """The first that is not NaN; NaN without any."""
    known = values[np.isfinite(values)]
    return float(known[0]) if len(known) else math.nan


def _seen(curve: Curve) -> bool:
    return bool(np.isfinite(curve.values).any())
