"""Which leg lifts when: the gait's cycle, and where it is open, the leg that helps most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexapod_motion import steps
from hexapod_motion.foot_limits import allowed_part
from hexapod_motion.gaits import Gait
from hexapod_motion.planar import Twist
from hexapod_motion.step_clock import StepClock
from hexapod_motion.walk_rules import WalkRules
from hexapod_motion.walk_state import WalkState

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Schedule:
    """The order of steps under given rules.

    Args:
        rules: How to walk.
        radius: How far from its centre each foot may be, mm.
        goal: Velocity wanted in the end.
        moving: Whether to walk; else feet are only put where they belong.
    """

    rules: WalkRules
    radius: Sequence[float]
    goal: Twist
    moving: bool

    def changes_gait(self, state: WalkState) -> bool:
        """Whether it walks with another gait than it should; no leg lifts until it does."""
        return state.clock.gait is not self.rules.gait

    def displaced(self, state: WalkState) -> list[bool]:
        """Which standing feet will not be where they belong when the body has stopped."""
        return steps.displaced(state, self.rules.centers, self.rules.acceleration)

    def clocked(self, state: WalkState) -> WalkState:
        """`state` with its clock at the leg that should lift next, where that is open.

        While any foot swings, and while the body moves, the cycle goes on as it is.
        """
        if state.flying:
            return state
        gait = self.rules.gait
        starts = self.moving and not state.twist and not state.wish
        if starts or self.changes_gait(state):
            return state.with_clock(StepClock(gait, gait.turns[self._best_leg(state, 0.0)]))
        if not self.moving and not state.twist:
            waits, displaced = state.clock.times_to_lift(), self.displaced(state)
            legs = [leg for leg in range(len(waits)) if displaced[leg]]
            if legs:
                return state.with_clock(state.clock.at_turn_of(min(legs, key=waits.__getitem__)))
        return state

    def times_to_lift(self, state: WalkState) -> list[float]:
        """Seconds until each leg lifts, also across a change of gait."""
        if not self.changes_gait(state):
            return state.clock.times_to_lift()
        wait = state.time_to_land
        return _waits(self.rules.gait, self._best_leg(state, wait), wait)

    def due(self, before: WalkState, dt: float, after: WalkState) -> dict[int, float]:
        """Legs whose turn to lift came in a frame of `dt` s, and how long ago, s."""
        if self.changes_gait(before):
            return {}
        waits = before.clock.times_to_lift()
        due = {leg: dt - wait for leg, wait in enumerate(waits) if wait < dt - _ROUNDING}
        if due and not self.moving:
            displaced = self.displaced(after)
            due = {leg: since for leg, since in due.items() if displaced[leg]}
        return due

    def _best_leg(self, state: WalkState, wait: float) -> int:
        """Which leg should lift first, in `wait` s, for the body to go on as fast as possible."""
        twist, gait = state.wish or self.goal, self.rules.gait
        parts = [
            allowed_part(state.legs, _waits(gait, leg, wait), self.radius, twist)
            for leg in range(len(gait.turns))
        ]
        return parts.index(max(parts))


def _waits(gait: Gait, first: int, wait: float) -> list[float]:
    """Seconds until each leg lifts, when leg `first` does in `wait` s."""
    return [time + wait for time in StepClock(gait, gait.turns[first]).times_to_lift()]
