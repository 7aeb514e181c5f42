"""Time within the gait's cycle: when each leg lifts next."""

from __future__ import annotations

from typing import NamedTuple

from hexapod_motion.gaits import Gait

_ROUNDING = 1e-9


class StepClock(NamedTuple):
    """A moment of a gait: `cycle` cycles have passed."""

    gait: Gait
    cycle: float

    def times_to_lift(self) -> list[float]:
        """Seconds until each leg's turn to lift; 0 for one whose turn is now."""
        now, time = self.cycle - _ROUNDING, self.gait.cycle_time
        return [(offset - now) % 1.0 * time for offset in self.gait.turns]

    def after(self, dt: float) -> StepClock:
        """The clock `dt` s later."""
        return StepClock(self.gait, (self.cycle + dt / self.gait.cycle_time) % 1.0)

    def at_turn_of(self, leg: int) -> StepClock:
        """The same gait when `leg` is about to lift."""
        return StepClock(self.gait, self.gait.turns[leg])
