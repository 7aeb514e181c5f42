"""Control period, lead and latency: the settings that every inverse model shares."""

from __future__ import annotations

from dataclasses import dataclass

from stride_base.parameters import Param

PERIOD = Param("period", 0.02, "control period, s", above=0.0, live=True)
LEAD = Param("lead", 0.0, "how far goals run ahead of the wanted motion, s", minimum=0.0, live=True)
LATENCY = Param(
    "latency",
    0.0,
    "delay of the loop that goals make up for in addition, s",
    minimum=0.0,
    live=True,
)
TIMING_PARAMS = (PERIOD, LEAD, LATENCY)


@dataclass(frozen=True)
class Timing:
    """Control period (> 0), lead and latency (>= 0), all in s.

    Lead makes a goal run ahead and gives the servo the time to get there, so the servo goes on
    smoothly when the next goal is late; it does not make it come earlier. Latency makes it come
    earlier: the goal runs ahead, the time to reach it stays.

    Raises:
        ConfigError: out of range; names the setting.
    """

    period: float
    lead: float
    latency: float = 0.0

    def __post_init__(self) -> None:
        PERIOD.check("servo_inv", self.period)
        LEAD.check("servo_inv", self.lead)
        LATENCY.check("servo_inv", self.latency)

    @property
    def ahead(self) -> float:
        """How far goals run ahead of the wanted motion, s."""
        return self.lead + self.latency

    @property
    def duration(self) -> float:
        """Time in which a servo shall reach its goal, s."""
        return self.lead + self.period
