"""The supply voltage in force: measured while measurements come, else the default."""

from __future__ import annotations

import math

from stride_base.diagnostics import Level, Report
from stride_base.errors import RefusedError


class Battery:
    """Keeps the last good measurement.

    Args:
        default: Voltage without measurements, V, > 0.
        timeout: Age at which a measurement is given up, s, > 0.
    """

    def __init__(self, default: float, timeout: float) -> None:
        self.default = default
        self.timeout = timeout
        self._measured = math.nan
        self._time = -math.inf

    def measure(self, voltage: float, now: float) -> None:
        """Take a measurement at time `now`, s.

        Raises:
            RefusedError: not finite or not above 0; the last good one stays.
        """
        if not (math.isfinite(voltage) and voltage > 0.0):
            raise RefusedError(f"voltage is {voltage:g} V; the last good one stays in force")
        self._measured, self._time = voltage, now

    def voltage(self, now: float) -> float:
        """V, > 0."""
        return self._measured if self._fresh(now) else self.default

    def report(self, now: float) -> Report:
        """For `/diagnostics`: a warning where measurements stopped."""
        values: dict[str, object] = {"voltage": self.voltage(now)}
        if math.isnan(self._measured):
            return Report("battery", Level.OK, "no battery_state: battery_voltage is used", values)
        values["age"] = now - self._time
        if self._fresh(now):
            return Report("battery", Level.OK, "measured", values)
        message = "battery_state stopped: battery_voltage is used"
        return Report("battery", Level.WARN, message, values)

    def _fresh(self, now: float) -> bool:
        return now - self._time <= self.timeout
