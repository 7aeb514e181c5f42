"""From a recording to what the model relates: target, position, velocity, acceleration, effort.

All signals go through one and the same smoothing filter, and derivatives are taken of the smoothed
position. A relation that is linear in them holds for the smoothed signals as for the raw ones, so that
smoothing takes away the steps of the encoder without changing the parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.identification.recording import JointRecord
from servo_inv.joint_message import BoolArray, FloatArray

#: A servo's target moves no faster than this, rad/s (3400 step/s).
FASTEST_TARGET = 3400 * 2.0 * np.pi / 4096


@dataclass(frozen=True, eq=False)
class Signals:
    """m samples on an even time grid, all smoothed alike.

    Args:
        time: (m,) s.
        target: (m,) rad, where the servo's target was.
        position, velocity, acceleration: (m,) rad, rad/s, rad/s^2.
        effort: (m,) N m; None: not known.
        voltage: (m,) V.
        whole: (m,) samples whose neighbours were all measured.
        kernel: Weights of the smoothing filter, odd in number, with sum 1.
    """

    time: FloatArray
    target: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    effort: FloatArray | None
    voltage: FloatArray
    whole: BoolArray
    kernel: FloatArray

    @property
    def distance(self) -> FloatArray:
        """(m,) rad, from position to target: what the model explains."""
        return self.target - self.position

    def smooth(self, values: FloatArray) -> FloatArray:
        """(m,) values, smoothed as the signals are."""
        return smoothed(values, self.kernel)


def signals_of(record: JointRecord, goal_age: float, smoothing: float) -> Signals:
    """Signals of one joint.

    Args:
        record: What was recorded.
        goal_age: How long before the reading of its row a goal was written, s.
        smoothing: Standard deviation of the smoothing filter, s.
    """
    period = record.period
    time = np.arange(record.time[0], record.time[-1] + 0.5 * period, period)
    kernel = smoothing_kernel(smoothing / period)

    def even(values: FloatArray) -> FloatArray:
        return smoothed(np.interp(time, record.time, values), kernel)

    target = internal_target(record.time, record.goal, record.duration, goal_age)
    position = even(record.position)
    return Signals(
        time=time,
        target=even(target),
        position=position,
        velocity=first_derivative(position, period),
        acceleration=second_derivative(position, period),
        effort=None if record.effort is None else even(record.effort),
        voltage=even(record.voltage),
        whole=_whole(time, record.time, period, len(kernel) // 2 + 2),
        kernel=kernel,
    )


def internal_target(
    time: FloatArray, goal: FloatArray, duration: FloatArray, goal_age: float = 0.0
) -> FloatArray:
    """(m,) rad: where the servo's target was at each of the times.

    A goal makes the target move at the constant speed that reaches it in its duration. The recording
    is taken to begin at rest.

    Args:
        time: (m,) s.
        goal, duration: (m,) rad and s, of the newest goal at each time.
        goal_age: How long before that time it was written, s; negative: it was written later.
    """
    times, places = [], []
    here, speed, last = goal[0], 0.0, goal[0]
    written = time - goal_age
    until = np.append(written[1:], np.inf)
    for start, end, aim, within in zip(written, until, goal, duration, strict=True):
        if aim != last:
            speed, last = min(abs(aim - here) / within, FASTEST_TARGET), aim
        times.append(start)
        places.append(here)
        if here != aim:
            arrival = start + abs(aim - here) / speed
            here = aim if arrival <= end else here + np.copysign(speed * (end - start), aim - here)
            times.append(min(arrival, end))
            places.append(here)
    return np.interp(time, times, places)


def smoothing_kernel(width: float) -> FloatArray:
    """Gaussian weights over 3 standard deviations to each side; `width` is one, in samples."""
    reach = int(np.ceil(3.0 * width))
    if reach == 0:
        return np.ones(1)
    steps = np.arange(-reach, reach + 1) / width
    weights = np.exp(-0.5 * steps**2)
    return np.asarray(weights / weights.sum(), np.float64)


def smoothed(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """(m,) filtered without delay; the ends are continued by their last value."""
    reach = len(kernel) // 2
    padded = np.pad(values, reach, mode="edge")
    return np.asarray(np.convolve(padded, kernel, mode="valid"), np.float64)


def first_derivative(values: FloatArray, period: float) -> FloatArray:
    """(m,) by central differences of fourth order; 0 for two samples at each end."""
    out = np.zeros_like(values)
    far, near = values[4:] - values[:-4], values[3:-1] - values[1:-3]
    out[2:-2] = (8.0 * near - far) / (12.0 * period)
    return out


def second_derivative(values: FloatArray, period: float) -> FloatArray:
    """(m,) by central differences of fourth order; 0 for two samples at each end."""
    out = np.zeros_like(values)
    far, near = values[4:] + values[:-4], values[3:-1] + values[1:-3]
    out[2:-2] = (16.0 * near - far - 30.0 * values[2:-2]) / (12.0 * period**2)
    return out


def _whole(time: FloatArray, measured: FloatArray, period: float, reach: int) -> BoolArray:
    """(m,) samples with a measurement near each sample within `reach` of them."""
    place = np.clip(np.searchsorted(measured, time), 1, len(measured) - 1)
    gap = measured[place] - measured[place - 1]
    bad = (gap > 1.5 * period).astype(np.float64)
    bad[:1] = bad[-1:] = 1.0
    near_bad = np.convolve(bad, np.ones(2 * reach + 1), mode="same") > 0.0
    return ~near_bad
