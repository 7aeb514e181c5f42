"""From the recording of a joint to its servo model, with a check on samples that were held out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from servo_inv.identification.fit import Fit, FitSettings, fit, usable
from servo_inv.identification.load import PointLoad
from servo_inv.identification.recording import JointRecord
from servo_inv.identification.signals import Signals, signals_of
from servo_inv.joint_message import BoolArray, FloatArray
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError

#: The recording is cut into this many blocks, and each fourth of them is held out.
BLOCKS = 16


@dataclass(frozen=True)
class Preparation:
    """How a recording becomes signals.

    Args:
        goal_age: How long before the reading of its row a goal was written, s.
        smoothing: Standard deviation of the filter that all signals pass, s.
        load: On the joint, where the recording has no effort; None: not known.

    Raises:
        ConfigError: a time that is not finite, or a filter of less than no width.
    """

    goal_age: float = 0.0
    smoothing: float = 0.03
    load: PointLoad | None = None

    def __post_init__(self) -> None:
        if not np.isfinite(self.goal_age):
            raise ConfigError("identification", "", "goal_age", self.goal_age, "a finite time, s")
        if not 0.0 <= self.smoothing < np.inf:
            expected = "a time of at least 0 s"
            raise ConfigError("identification", "", "smoothing", self.smoothing, expected)


@dataclass(frozen=True, eq=False)
class Tracking:
    """A trial that the fit did not see, run without and with the model.

    Args:
        time: (m,) s.
        wanted: (m,) rad.
        before, after: (m,) rad, measured positions without and with the model.
    """

    time: FloatArray
    wanted: FloatArray
    before: FloatArray
    after: FloatArray

    @property
    def errors(self) -> tuple[float, float]:
        """RMS tracking error before and after, rad."""
        before, after = self.before - self.wanted, self.after - self.wanted
        return root_mean_square(before), root_mean_square(after)


@dataclass(frozen=True, eq=False)
class Identified:
    """A servo model, and what it was made of.

    Args:
        name: Joint.
        model: The servo model.
        fit: Of all samples that were not held out.
        signals: Of the recording.
        held_out: (m,) samples that the fit did not see and must explain.
        before, after: RMS distance from position to target on these, without the model and what
            the model leaves of it, rad.
    """

    name: str
    model: ServoModel
    fit: Fit
    signals: Signals
    held_out: BoolArray
    before: float
    after: float
    tracking: Tracking | None = None

    @property
    def helps(self) -> bool:
        """Whether the model is better than none on what it did not see."""
        tracked = self.tracking.errors if self.tracking else (1.0, 0.0)
        return self.after < self.before and tracked[1] < tracked[0]


def identify(
    record: JointRecord,
    settings: FitSettings | None = None,
    preparation: Preparation | None = None,
) -> Identified:
    """Fit the model of one joint.

    Raises:
        RefusedError: too few samples are usable.
    """
    settings, preparation = settings or FitSettings(), preparation or Preparation()
    signals = prepare(record, preparation)
    held_out = _each_fourth_block(len(signals.time))
    found = fit(signals, settings, ~held_out)
    held_out &= usable(signals, settings)
    return Identified(
        name=record.name,
        model=replace(found.model, name=record.name),
        fit=found,
        signals=signals,
        held_out=held_out,
        before=root_mean_square(signals.distance[held_out]),
        after=root_mean_square(found.residual[held_out]),
    )


def prepare(record: JointRecord, preparation: Preparation) -> Signals:
    """Signals of a recording; the effort is the recorded one, else that of the load."""
    signals = signals_of(record, preparation.goal_age, preparation.smoothing)
    if signals.effort is None and preparation.load is not None:
        effort = preparation.load.effort(signals.position, signals.acceleration)
        signals = replace(signals, effort=effort)
    return signals


def root_mean_square(values: FloatArray) -> float:
    """0 of no values."""
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


def _each_fourth_block(count: int) -> BoolArray:
    block = np.arange(count) * BLOCKS // count
    held_out: BoolArray = block % 4 == 2
    return held_out
