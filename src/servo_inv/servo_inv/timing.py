"""Control period and lead: the settings that every inverse model shares."""

from __future__ import annotations

from dataclasses import dataclass

from stride_base.parameters import Param

PERIOD = Param("period", 0.02, "control period, s", above=0.0, live=True)
LEAD = Param("lead", 0.0, "how far goals run ahead of the wanted motion, s", minimum=0.0, live=True)
TIMING_PARAMS = (PERIOD, LEAD)


@dataclass(frozen=True)
class Timing:
    """Control period (> 0) and lead (>= 0), both in s.

    Raises:
        ConfigError: out of range; names the setting.
    """

    period: float
    lead: float

    def __post_init__(self) -> None:
        PERIOD.check("servo_inv", self.period)
        LEAD.check("servo_inv", self.lead)

    @property
    def duration(self) -> float:
        """Time in which a servo shall reach its goal, s."""
        return self.lead + self.period
