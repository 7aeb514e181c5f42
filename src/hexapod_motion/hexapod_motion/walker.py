"""Walking by velocity: one procedural gait for every direction, at any speed that the legs can reach.

Planted feet move against the body by exactly the inverse of its move, so none slips; swinging feet go
from where they lifted to where they will land, both fixed to the ground. See docs/hexapod_motion.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hexapod_motion import steps
from hexapod_motion.arrays import BoolArray, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.body_pose import POSE_SIZE, rotation
from hexapod_motion.foot_limits import allowed_part, can_stop
from hexapod_motion.gaits import Gait
from hexapod_motion.geometry import Geometry
from hexapod_motion.planar import STILL, PlanarMove, Twist
from hexapod_motion.pose_plan import PosePlan
from hexapod_motion.schedule import Schedule
from hexapod_motion.step_clock import StepClock
from hexapod_motion.support import stability_margin
from hexapod_motion.walk_rules import WalkRules, WalkSettings, limits_of, walk_rules
from hexapod_motion.walk_state import Leg, WalkState
from hexapod_motion.workspace import Stance, StepLimits, Workspace

#: A leg lifts only where this much of the static stability margin is left, mm.
LEAST_MARGIN = 5.0


class Walker:
    """A walking robot, stepped frame by frame.

    Args:
        geometry: The robot.
        gaits: Its gaits by name.
        settings: How to walk.

    Raises:
        RefusedError: the settings cannot be walked with.

    Attributes:
        state: Feet and velocity.
    """

    def __init__(
        self, geometry: Geometry, gaits: Mapping[str, Gait], settings: WalkSettings
    ) -> None:
        self._gaits = gaits
        self._workspace = Workspace(geometry)
        self._body = BodyFrame(geometry)
        self._settings = settings
        self._free_rules = self._rules = self.checked(settings)
        self._parked_rules = self._rules.parked(self._workspace)
        self._parking = self._passing = False
        self._command = self._goal = STILL
        self._wanted_pose: FloatArray = np.zeros(POSE_SIZE)
        self._pose = PosePlan()
        self.state = self._standing(geometry.stand)
        self._before = (self.state, self._pose.ramp.snapshot())
        self._limits = self._rules.limits
        self._radius: list[float] = self._limits.radius.tolist()

    @property
    def settings(self) -> WalkSettings:
        return self._settings

    @property
    def cycle_time(self) -> float:
        """Duration of a cycle of the gait, s."""
        return self._rules.gait.cycle_time

    @property
    def settled(self) -> bool:
        """Whether it stands still with all feet where they belong."""
        return self.state.at_rest and not any(self._schedule.displaced(self.state))

    @property
    def resting(self) -> bool:
        """Settled, not about to walk, and the body at its pose."""
        return not self.moving and self._pose.arrived and self.settled

    @property
    def parked(self) -> bool:
        """Whether `park` is done: it stands as between sequences."""
        return self._parking and self.resting and not self.pose.any()

    @property
    def moving(self) -> bool:
        """Whether it is told to walk."""
        return not self._parking and bool(self._command)

    @property
    def pose(self) -> FloatArray:
        """(6,) the body's pose now."""
        return self._pose.ramp.value

    @property
    def pose_part(self) -> float:
        """How much of the wanted pose the legs can reach, 0 to 1."""
        return self._pose.part

    @property
    def limits(self) -> StepLimits:
        """What the legs allow now."""
        return self._limits

    @property
    def down(self) -> BoolArray:
        """(6,) which feet are on the ground."""
        return np.array([not leg.air for leg in self.state.legs])

    def command(self, twist: Twist) -> None:
        """Walk with a finite twist; STILL to stop."""
        if twist != self._command:
            self._command = twist
            self._goal = self._limited(twist)

    def hold_pose(self, pose: FloatArray) -> None:
        """Hold the body at (6,) `pose`, or as much of it as the legs can reach."""
        self._wanted_pose = pose
        if not self._parking:
            self._pose.want(pose)

    def checked(self, settings: WalkSettings) -> WalkRules:
        """Rules for `change`; RefusedError if the legs cannot walk like that."""
        return walk_rules(self._workspace, self._gaits, settings)

    def change(self, settings: WalkSettings) -> None:
        """Walk differently; each foot follows when it lifts, the gait when all are down.

        Raises:
            RefusedError: the gait does not exist, or the legs cannot step like that.
        """
        self._free_rules, self._settings = self.checked(settings), settings
        self._parked_rules = self._free_rules.parked(self._workspace)
        self._rules = self._parked_rules if self._parking else self._free_rules
        self._pose.look_again()
        self._refresh_limits()

    def take_over(self, points: FloatArray) -> None:
        """Begin with the feet at (6, 3) `points` in limb frames, all on the ground, the body level."""
        self._parking, self._rules = False, self._free_rules
        self._command = self._goal = STILL
        self._wanted_pose = np.zeros(POSE_SIZE)
        self._pose = PosePlan()
        self.state = self._standing(points)
        self._before = (self.state, self._pose.ramp.snapshot())
        self._refresh_limits()

    def park(self) -> None:
        """Stop, and bring feet and body to the standing pose, whatever else is wanted."""
        if not self._parking:
            self._parking, self._rules = True, self._parked_rules
            self._pose.want(np.zeros(POSE_SIZE))
            self._refresh_limits()

    def resume(self) -> None:
        """End parking."""
        if self._parking:
            self._parking, self._rules = False, self._free_rules
            self._pose.want(self._wanted_pose)
            self._refresh_limits()

    def back(self) -> None:
        """Undo the last step."""
        self.state, ramp = self._before
        self._pose.ramp.restore(ramp)

    def step(self, dt: float) -> FloatArray:
        """Move on for `dt` s; (6, 3) feet in limb frames, mm."""
        self._before = (self.state, self._pose.ramp.snapshot())
        if self._pose.aim(self._workspace, self._rules.stance, dt):
            self._refresh_limits()
        if self.moving or not self.settled:
            self.state = self._advanced(dt)
        elif self._passing:
            self.state = self._recentered()
        self._pose.ramp.step(dt, hold=not self._has_room())
        if self._passing and self._is_through():
            self._refresh_limits()
        return self.points()

    def points(self) -> FloatArray:
        """(6, 3) feet in limb frames, mm."""
        legs = self.state.legs
        ground = np.array([leg.ground for leg in legs])
        height = np.array([leg.height for leg in legs])
        return self._workspace.feet_to_limbs(ground, height, self.pose)

    def margin(self) -> float:
        """Static stability margin now, mm."""
        return self._margin(self.state.legs, [i for i in range(6) if not self.state.legs[i].air])

    def _standing(self, points: FloatArray) -> WalkState:
        places = self._body.from_limbs(points).tolist()
        feet = [complex(x, y) for x, y, _z in places]
        legs = tuple(map(Leg.standing, feet, self._rules.centers))
        return WalkState(legs, StepClock(self._rules.gait, 0.0))

    def _advanced(self, dt: float) -> WalkState:
        """The state after a frame."""
        rules, moving, schedule = self._rules, self.moving, self._schedule
        state = schedule.clocked(self.state)
        most = rules.acceleration * dt
        if moving:
            wish = state.wish.ramped(self._goal, most)
            twist = self._next_twist(state, wish, most, schedule.times_to_lift(state))
        else:
            twist = wish = state.twist.braked(most)
        move = PlanarMove.along(state.twist.middle(twist), dt)
        legs: Sequence[Leg] = [steps.carried(leg, move, dt) for leg in state.legs]
        clock, lifts = state.clock.after(dt), [leg.lifts for leg in legs]
        due = schedule.due(state, dt, replace(state, legs=tuple(legs), twist=twist))
        if due:
            legs = steps.lifted(legs, due, rules, lambda feet: self._carries(legs, feet))
        aim = steps.Aim(twist, wish, clock, moving, rules.acceleration)
        legs = [
            aim.followed(leg, leg.lifts != before, dt)
            for leg, before in zip(legs, lifts, strict=True)
        ]
        return WalkState(tuple(legs), clock, twist, wish)

    def _next_twist(
        self, state: WalkState, wish: Twist, most: float, lifting: Sequence[float]
    ) -> Twist:
        """The body's velocity in the next frame, at most `most` mm/s from the present one.

        Slower than wished where a foot would be carried too far before its turn to lift comes, and
        always slow enough to stop with all feet in reach.
        """
        radius = self._radius
        part = allowed_part(state.legs, lifting, radius, wish)
        twist = state.twist.ramped(wish.times(part), most)
        braking = twist.size / self._rules.acceleration
        if can_stop(state.legs, lifting, radius, twist, braking):
            return twist
        return state.twist.braked(most)

    def _recentered(self) -> WalkState:
        """The state with the gait and the centres to walk with, while it stands still anyway."""
        legs = zip(self.state.legs, self._rules.centers, strict=True)
        moved = tuple(replace(leg, center=center) for leg, center in legs)
        return replace(self.state, legs=moved, clock=StepClock(self._rules.gait, 0.0))

    @property
    def _schedule(self) -> Schedule:
        return Schedule(self._rules, self._radius, self._goal, self.moving)

    def _limited(self, command: Twist) -> Twist:
        """The command, slower if need be, all its parts in proportion, so that every leg can follow."""
        part = 1.0
        for center, limit in zip(
            self._rules.centers, self._limits.foot_speed.tolist(), strict=True
        ):
            part = min(part, limit / max(abs(command.at(center)), 1e-9))
        return command.times(part)

    def _carries(self, legs: Sequence[Leg], feet: Collection[int]) -> bool:
        return self._margin(legs, feet) >= LEAST_MARGIN

    def _margin(self, legs: Sequence[Leg], feet: Collection[int]) -> float:
        """Static stability margin on some of the feet, mm."""
        center = rotation(self.pose) @ self._body.center_of_gravity + self.pose[:3]
        places = np.array([(legs[foot].foot.real, legs[foot].foot.imag) for foot in feet])
        return stability_margin(places, center[:2])

    def _has_room(self) -> bool:
        """Whether all feet are, or will land, where the pose under way leaves them room."""
        if self._pose.ramp.arrived:
            return True
        for leg, limit in zip(self.state.legs, self._radius, strict=True):
            move = PlanarMove.along(self.state.twist, leg.time_to_land)
            if abs(move.seen_after(leg.landing) - leg.center) > limit + 2.0 * steps.SETTLED:
                return False
        return True

    def _refresh_limits(self) -> None:
        """What is allowed until all changes of gait, stance and pose under way are through."""
        stances, gaits, poses = [self._rules.stance], [self._rules.gait], self._pose.poses()
        centers = np.array([leg.center for leg in self.state.legs])
        if not np.array_equal(centers, self._rules.stance.centers):
            stances.append(Stance(centers, self._rules.stance.step_height))
        if self._schedule.changes_gait(self.state):
            gaits.append(self.state.clock.gait)
        self._passing = len(stances) + len(gaits) + len(poses) > 3
        if self._passing or poses[0].any():
            self._limits = limits_of(self._workspace, stances, gaits, poses)
        else:
            self._limits = self._rules.limits
        self._radius = self._limits.radius.tolist()
        self._goal = self._limited(self._command)

    def _is_through(self) -> bool:
        centers = tuple(leg.center for leg in self.state.legs)
        return (
            self._pose.ramp.arrived
            and not self._schedule.changes_gait(self.state)
            and centers == self._rules.centers
        )
