"""How well joints follow: the measured position against the wanted one of the same time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stride_recording.robot_series import FloatArray, RobotSeries, Series

#: Wanted values that are further apart than this many usual steps are not joined.
LONGEST_GAP = 5.0
#: Delays that are tried, s.
LONGEST_LAG, LAG_STEP = 0.3, 0.002
#: Measurements by which they are judged.
LAG_SAMPLES = 3000
#: A joint that moves less says nothing about delay, rad (standard deviation).
STILL = 0.01


@dataclass(frozen=True)
class Tracking:
    """Of one joint.

    Args:
        joint: Its name.
        wheel: Whether it is followed by speed: rad/s instead of rad.
        time: (n,) s, of the measurements.
        wanted: (n,) at these times.
        measured: (n,).
    """

    joint: str
    wheel: bool
    time: FloatArray
    wanted: FloatArray
    measured: FloatArray

    @property
    def error(self) -> FloatArray:
        """(n,) measured less wanted; NaN where one is unknown."""
        return self.measured - self.wanted

    @property
    def rms(self) -> float:
        """Root mean square of the error; NaN without any."""
        return rms(self.error)


def track(series: RobotSeries, joints: Sequence[str]) -> list[Tracking]:
    """How each of the joints follows."""
    found = []
    for joint in joints:
        wheel = _is_wheel(series, joint)
        wanted = series.wanted_velocity if wheel else series.wanted
        measured = series.measured_velocity if wheel else series.measured
        values = measured.column(joint)
        followed = at_times(wanted, joint, measured.time)
        found.append(Tracking(joint, wheel, measured.time, followed, values))
    return found


def lag(series: RobotSeries, joints: Sequence[str]) -> float:
    """Delay at which the measured positions are nearest to the wanted ones, s; NaN if nothing moves."""
    moving = [
        joint
        for joint in joints
        if not _is_wheel(series, joint) and _spread(series.wanted.column(joint)) > STILL
    ]
    count = len(series.measured)
    if not moving or not count:
        return math.nan
    tried = np.unique(np.linspace(0, count - 1, min(count, LAG_SAMPLES)).astype(int))
    times = series.measured.time[tried]
    wanted = np.stack([series.wanted.column(joint) for joint in moving], axis=1)
    measured = np.stack([series.measured.column(joint)[tried] for joint in moving], axis=1)
    best, lowest = math.nan, math.inf
    for delay in np.arange(0.0, LONGEST_LAG, LAG_STEP).tolist():
        error = rms(measured - interpolated(series.wanted.time, wanted, times - delay))
        if error < lowest:
            best, lowest = delay, error
    return best


def at_times(series: Series, column: str, times: FloatArray) -> FloatArray:
    """Values of a column at other times, see `interpolated`."""
    return interpolated(series.time, series.column(column), times)


def interpolated(own: FloatArray, values: FloatArray, times: FloatArray) -> FloatArray:
    """Values between neighbours in time; NaN outside, in gaps and beside NaN.

    Args:
        own: (n,) times of the values, ascending.
        values: (n,) or (n, columns).
        times: (m,).
    """
    shape = (len(times), *values.shape[1:])
    if len(own) < 2:
        return np.full(shape, math.nan)
    after = np.clip(np.searchsorted(own, times), 1, len(own) - 1)
    before = after - 1
    step = own[after] - own[before]
    share = np.divide(times - own[before], step, out=np.zeros(len(times)), where=step > 0.0)
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    result = values[before] + share * (values[after] - values[before])
    usual = float(np.median(np.diff(own)))
    result[(times < own[0]) | (times > own[-1]) | (step > LONGEST_GAP * usual)] = math.nan
    return result


def rms(values: FloatArray) -> float:
    """Root mean square of what is known; NaN without any."""
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else math.nan


def _is_wheel(series: RobotSeries, joint: str) -> bool:
    return not np.isfinite(series.wanted.column(joint)).any() and bool(
        np.isfinite(series.wanted_velocity.column(joint)).any()
    )


def _spread(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.std()) if len(known) else 0.0
