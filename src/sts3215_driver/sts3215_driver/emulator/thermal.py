"""Winding temperature: one lump per servo, heated by its current, cooled by the air."""

from __future__ import annotations

from sts3215_driver.emulator.arrays import Array, filled
from sts3215_driver.emulator.profile import Profile


class ThermalModel:
    """Temperatures of n servos, degC in `temperature`, (n,)."""

    def __init__(self, profile: Profile, count: int) -> None:
        self._thermal = profile.thermal
        self._resistance = profile.motor.resistance
        self.temperature = filled(count, profile.thermal.ambient)

    def advance(self, dt: float, current: Array) -> None:
        """Move on by `dt` (s) with `current` (A), (n,)."""
        thermal = self._thermal
        heating = self._resistance * current * current
        cooling = (self.temperature - thermal.ambient) / thermal.resistance
        self.temperature = self.temperature + (dt / thermal.heat_capacity) * (heating - cooling)
