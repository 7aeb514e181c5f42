"""Where the model asks for more than the drive has: beyond that it is not exact any more.

The drive of a position servo is proportional to the distance from its position to its goal, up to the
full duty: |u - q| < duty_max / (error_gain * P), which is 0.183 rad for the STS3215 at P = 32.
"""

from __future__ import annotations

import numpy as np

from servo_inv.joint_message import FloatArray
from stride_base.diagnostics import Level, Report

#: Full duty 0.97 at an error gain of 0.166 per rad and unit of P, P = 32.
STS3215_LIMIT = 0.97 / (0.166 * 32)


class Saturation:
    """Keeps the largest offset of each joint beyond the limit, until it is reported.

    Args:
        limit: Distance from position to goal that gives full duty, rad on the servo side, > 0.
    """

    def __init__(self, limit: float = STS3215_LIMIT) -> None:
        self.limit = limit
        self._messages = 0
        self._largest: dict[str, float] = {}

    def note(self, names: tuple[str, ...], offset: FloatArray) -> None:
        """Take the offsets of one message, (n,) rad on the servo side, NaN for wheels."""
        size = np.abs(offset)
        beyond = size > self.limit
        if not beyond.any():
            return
        self._messages += 1
        for index in np.flatnonzero(beyond & np.isfinite(size)):
            name = names[index]
            self._largest[name] = max(self._largest.get(name, 0.0), float(size[index]))

    def report(self) -> Report:
        """For `/diagnostics`: the joints beyond the limit since the last report."""
        largest, self._largest = self._largest, {}
        values: dict[str, object] = {"limit": self.limit, "messages": self._messages, **largest}
        if not largest:
            return Report("saturation", Level.OK, "no drive saturates", values)
        worst = ", ".join(f"{name} ({size:.3f} rad)" for name, size in largest.items())
        return Report("saturation", Level.WARN, f"the drive saturates: {worst}", values)
