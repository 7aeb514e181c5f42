"""Everything that changes while walking, as values: a step makes new ones.

All places are complex, x forward + i y left, mm, in the level frame under the standing body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexapod_motion import swing
from hexapod_motion.planar import STILL, Twist
from hexapod_motion.step_clock import StepClock


@dataclass(frozen=True)
class Leg:
    """A foot on the ground or in the air.

    Args:
        foot: Where it stands, or left the ground, as the body sees it now.
        center: The middle of its steps, as it was when it lifted last.
        landing: Where it will land, as the body sees it now; while it stands the same as `foot`.
        landing_speed: How fast that place still moves over the ground, mm/s.
        air: Whether it swings.
        progress: How far in the swing, 0 to 1.
        swing_time: How long the swing takes, s.
        step_height: How high it goes, mm.
        lifts: How often it has lifted.
    """

    foot: complex
    center: complex
    landing: complex
    landing_speed: complex = 0j
    air: bool = False
    progress: float = 0.0
    swing_time: float = 1.0
    step_height: float = 0.0
    lifts: int = 0

    @staticmethod
    def standing(foot: complex, center: complex) -> Leg:
        return Leg(foot, center, foot)

    @property
    def time_to_land(self) -> float:
        """Seconds until it lands; 0 on the ground."""
        return (1.0 - self.progress) * self.swing_time if self.air else 0.0

    @property
    def is_settled(self) -> bool:
        """Whether it stands, or will land where nothing changes any more."""
        return not self.air or swing.freedom(self.progress) < 0.5

    @property
    def ground(self) -> complex:
        """The place that it is over now."""
        if not self.air:
            return self.foot
        return self.foot + swing.way(self.progress) * (self.landing - self.foot)

    @property
    def height(self) -> float:
        """Height over the ground, mm."""
        return self.step_height * swing.height(self.progress) if self.air else 0.0


@dataclass(frozen=True)
class WalkState:
    """Feet and velocity of a walking robot.

    Args:
        legs: Six legs.
        clock: Time within the cycle.
        twist: Velocity of the body.
        wish: Velocity that the command asks for, ramped; steps are planned for it.
    """

    legs: tuple[Leg, ...]
    clock: StepClock
    twist: Twist = STILL
    wish: Twist = STILL

    @property
    def flying(self) -> bool:
        """Whether any foot swings."""
        return any(leg.air for leg in self.legs)

    @property
    def at_rest(self) -> bool:
        """Whether body and feet stand still."""
        return not self.twist and not self.flying

    @property
    def time_to_land(self) -> float:
        """Seconds until all feet are down."""
        return max(leg.time_to_land for leg in self.legs)

    def with_clock(self, clock: StepClock) -> WalkState:
        return replace(self, clock=clock)
