"""What the feet do in a frame: carried along with the ground, landing, lifting, aiming."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from hexapod_motion import swing
from hexapod_motion.gaits import FEWEST
from hexapod_motion.planar import PlanarMove, Twist
from hexapod_motion.step_clock import StepClock
from hexapod_motion.walk_rules import WalkRules
from hexapod_motion.walk_state import Leg, WalkState

#: A foot this near to the middle of its steps need not step when the robot stops, mm.
SETTLED = 0.5
#: How briskly a landing place follows the command, rad/s.
BRISKNESS = 25.0
_LANDED = 1.0 - 1e-6


def rest_of(twist: Twist, acceleration: float) -> PlanarMove:
    """How the body still moves when it brakes from now on."""
    return PlanarMove.along(twist, twist.size / acceleration / 2.0)


def displaced(state: WalkState, centers: Sequence[complex], acceleration: float) -> list[bool]:
    """Which standing feet will not be at their centres when the body has stopped."""
    rest = rest_of(state.twist, acceleration)
    return [
        not leg.air and abs(rest.seen_after(leg.foot) - center) > SETTLED
        for leg, center in zip(state.legs, centers, strict=True)
    ]


def carried(leg: Leg, move: PlanarMove, dt: float) -> Leg:
    """`dt` s later: the body has moved, the ground has not; a swinging foot got on, or has landed."""
    foot = move.seen_after(leg.foot)
    if not leg.air:
        return Leg(foot, leg.center, foot, lifts=leg.lifts)
    landing = move.seen_after(leg.landing)
    progress = leg.progress + dt / leg.swing_time
    if progress >= _LANDED:
        return Leg(landing, leg.center, landing, lifts=leg.lifts)
    return Leg(
        foot,
        leg.center,
        landing,
        leg.landing_speed * move.turn.conjugate(),
        True,
        progress,
        leg.swing_time,
        leg.step_height,
        leg.lifts,
    )


def lifted(
    legs: Sequence[Leg],
    due: dict[int, float],
    rules: WalkRules,
    carries: Callable[[Collection[int]], bool],
) -> list[Leg]:
    """Lift the standing feet whose turn it is, as long as the others carry the robot.

    Args:
        legs: Six legs.
        due: Whose turn came, and how long ago, s.
        rules: How to walk.
        carries: Whether some of the feet carry the robot.
    """
    legs, down = list(legs), {index for index, leg in enumerate(legs) if not leg.air}
    for index, since in due.items():
        rest = down - {index}
        if index not in down or len(rest) < FEWEST or not carries(rest):
            continue
        down = rest
        leg, time = legs[index], rules.gait.swing_time
        legs[index] = replace(
            leg,
            center=rules.centers[index],
            air=True,
            progress=since / time,
            swing_time=time,
            step_height=rules.stance.step_height,
            lifts=leg.lifts + 1,
        )
    return legs


class Aim:
    """Where feet should land, as the body sees it now.

    Walking, half a stance ahead of the centre when they land; stopping, at the centre after the stop.

    Args:
        twist: Velocity of the body.
        wish: Velocity to plan for.
        clock: Gives the gait.
        moving: Whether it shall walk.
        acceleration: Of the body, mm/s^2.
    """

    def __init__(
        self, twist: Twist, wish: Twist, clock: StepClock, moving: bool, acceleration: float
    ) -> None:
        self._twist, self._moving = twist, moving
        self._rest = rest_of(twist, acceleration)
        self._half = PlanarMove.along(wish, clock.gait.stance_time / 2.0)

    def at(self, leg: Leg) -> complex:
        """The landing place of a swinging foot."""
        if not self._moving:
            return self._rest.seen_before(leg.center)
        until = PlanarMove.along(self._twist, leg.time_to_land)
        return until.seen_before(self._half.seen_before(leg.center))

    def followed(self, leg: Leg, fresh: bool, dt: float) -> Leg:
        """`leg` with its landing place moved: at once when it has just lifted, later less and less."""
        if not leg.air:
            return leg
        if fresh:
            return replace(leg, landing=self.at(leg), landing_speed=0j)
        free = swing.freedom(leg.progress)
        if free == 0.0:
            return leg
        away = self.at(leg) - leg.landing
        speed = leg.landing_speed
        speed += dt * BRISKNESS * (BRISKNESS * away - 2.0 * speed)
        return replace(leg, landing=leg.landing + dt * free * speed, landing_speed=speed)
