"""A recording in figures: what is in it, how the joints followed, how the bus kept its time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stride_recording.panels import first_known
from stride_recording.reader import Recording
from stride_recording.robot_series import FloatArray, RobotSeries
from stride_recording.tracking import lag, track


@dataclass(frozen=True)
class TopicFigures:
    """Of one topic: messages, and how many a second (NaN where that means nothing)."""

    topic: str
    type_name: str
    count: int
    rate: float


@dataclass(frozen=True)
class JointFigures:
    """Of one joint.

    Args:
        rms, worst: Tracking error, in `unit`; NaN where it is not known.
        missing: Readings that did not come or were wrong.
    """

    joint: str
    unit: str
    rms: float
    worst: float
    missing: int


@dataclass(frozen=True)
class Summary:
    """Of a recording, or a part of it.

    Args:
        duration: Of the recording, s.
        topics: All that it holds.
        joints: Those that were looked at.
        lag: By how much the joints come later than wanted, s; NaN if nothing moves.
        missed: Cycles that the bus missed; NaN if nobody said.
        lateness: Largest, s; NaN if nobody said.
        unfinished: Whether the recording was cut off.
    """

    duration: float
    topics: tuple[TopicFigures, ...]
    joints: tuple[JointFigures, ...]
    lag: float
    missed: float
    lateness: float
    unfinished: bool

    @property
    def rms(self) -> float:
        """Over all joints that are followed by position, rad."""
        squares = [j.rms**2 for j in self.joints if j.unit == "rad" and math.isfinite(j.rms)]
        return math.sqrt(sum(squares) / len(squares)) if squares else math.nan

    def lines(self) -> list[str]:
        """What is not in the tables, in words."""
        found = [f"duration {self.duration:.1f} s"]
        if self.unfinished:
            found[0] += "; the recording was cut off, and is shown as far as it goes"
        if math.isfinite(self.rms):
            found.append(f"tracking error of all joints: {self.rms:.4f} rad rms")
            if math.isfinite(self.lag):
                found[-1] += f"; they are nearest to what was wanted {self.lag * 1e3:.0f} ms before"
        if math.isfinite(self.missed):
            found.append(
                f"bus: {self.missed:.0f} missed cycles, at most {self.lateness * 1e3:.2f} ms late"
            )
        return found


def summarise(recording: Recording, series: RobotSeries, joints: Sequence[str]) -> Summary:
    """Figures of what was read of a recording. Raises FileError: it is damaged."""
    topics = tuple(
        TopicFigures(topic, recording.topics[topic], recording.counts[topic], rate)
        for topic, rate in sorted(recording.rates().items())
    )
    bus = series.bus
    missed = bus.column("missed")
    return Summary(
        duration=recording.end_time - recording.start_time,
        topics=topics,
        joints=tuple(_joints(series, joints)),
        lag=lag(series, joints),
        missed=_last_known(missed) - first_known(missed),
        lateness=_largest(bus.column("lateness max")) * 1e-6,
        unfinished=recording.unfinished,
    )


def _joints(series: RobotSeries, joints: Sequence[str]) -> list[JointFigures]:
    status = series.states["status"]
    found = []
    for entry in track(series, joints):
        numbers = status.column(entry.joint)
        missing = int(np.count_nonzero(np.isfinite(numbers) & (numbers != 0.0)))
        unit = "rad/s" if entry.wheel else "rad"
        worst = _largest(np.abs(entry.error))
        found.append(JointFigures(entry.joint, unit, entry.rms, worst, missing))
    return found


def _last_known(values: FloatArray) -> float:
    return first_known(values[::-1])


def _largest(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else math.nan


def number(value: float, digits: int) -> str:
    """`value` with `digits` decimals; ``-`` where it is not known."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"
