"""What was recorded of the servos while they moved, checked once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from servo_inv.joint_message import FloatArray
from stride_base.errors import RefusedError

#: Fewer samples cannot tell seven parameters from noise.
FEWEST_SAMPLES = 50


@dataclass(frozen=True, eq=False)
class JointRecord:
    """m samples of one joint, one each control cycle.

    Args:
        name: Joint.
        time: (m,) s, when the position was read; increasing.
        goal: (m,) rad, the goal in the servo at that time.
        duration: (m,) s, time that the goal was given, from when it was written.
        position: (m,) rad, measured.
        voltage: (m,) V at the servo.
        effort: (m,) N m that the load asks of the joint; None: not known.
    """

    name: str
    time: FloatArray
    goal: FloatArray
    duration: FloatArray
    position: FloatArray
    voltage: FloatArray
    effort: FloatArray | None = None

    def __post_init__(self) -> None:
        if len(self.time) < FEWEST_SAMPLES:
            raise RefusedError(
                f"joint '{self.name}' has {len(self.time)} samples; expected {FEWEST_SAMPLES} at least"
            )
        for field in ("time", "goal", "duration", "position", "voltage", "effort"):
            values = getattr(self, field)
            if values is None:
                continue
            if values.shape != self.time.shape:
                raise RefusedError(
                    f"{field} of joint '{self.name}' has {values.size} values for "
                    f"{self.time.size} samples"
                )
            if not np.isfinite(values).all():
                raise RefusedError(f"{field} of joint '{self.name}' is not finite everywhere")
        if not (np.diff(self.time) > 0.0).all():
            raise RefusedError(f"time of joint '{self.name}' does not always increase")
        for field in ("voltage", "duration"):
            if not (getattr(self, field) > 0.0).all():
                raise RefusedError(f"{field} of joint '{self.name}' is not always greater than 0")

    @property
    def period(self) -> float:
        """Time between two samples, s."""
        return float(np.median(np.diff(self.time)))

    def joined_to(self, earlier: JointRecord) -> JointRecord:
        """Both recordings of the joint, one after the other, with a pause between."""
        shift = earlier.time[-1] + 1.0 - self.time[0]
        joined = {
            field: np.concatenate([getattr(earlier, field), getattr(self, field)])
            for field in ("goal", "duration", "position", "voltage")
        }
        effort = None
        if earlier.effort is not None and self.effort is not None:
            effort = np.concatenate([earlier.effort, self.effort])
        time = np.concatenate([earlier.time, self.time + shift])
        return replace(self, time=time, effort=effort, **joined)
