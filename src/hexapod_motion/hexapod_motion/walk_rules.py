"""How to walk, and what of it the legs can do: settings, checked against the robot's reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_pose import POSE_SIZE
from hexapod_motion.gaits import Gait
from hexapod_motion.workspace import Stance, StepLimits, Workspace
from stride_base.errors import RefusedError

#: Least radius that a pose or stance must leave to every foot, mm.
LEAST_RADIUS = 10.0


@dataclass(frozen=True)
class WalkSettings:
    """How to walk.

    Args:
        gait: Name of the gait.
        cycle_time: Duration of its cycle, s; 0 for the gait's own.
        step_height: How high feet are lifted, mm.
        stance_width: How much further out than when standing the feet are planted, mm.
        acceleration: Fastest change of the body's velocity, mm/s^2; of its turn that over LEVER.
    """

    gait: str = "tripod"
    cycle_time: float = 0.0
    step_height: float = 25.0
    stance_width: float = 0.0
    acceleration: float = 600.0


@dataclass(frozen=True, eq=False)
class WalkRules:
    """Settings made concrete.

    Args:
        gait: The gait to walk with.
        stance: Where to step, and how high.
        acceleration: Fastest change of the body's velocity, mm/s^2.
        limits: What the legs allow with the body at its standing pose.
    """

    gait: Gait
    stance: Stance
    acceleration: float
    limits: StepLimits

    @cached_property
    def centers(self) -> tuple[complex, ...]:
        """Middle of each foot's steps, mm."""
        return tuple(self.stance.centers.tolist())

    def parked(self, workspace: Workspace) -> WalkRules:
        """The same with feet where they stand between sequences."""
        stance = Stance(workspace.stand, self.stance.step_height)
        limits = StepLimits.of(workspace, stance, self.gait, [np.zeros(POSE_SIZE)])
        return replace(self, stance=stance, limits=limits)


def walk_rules(
    workspace: Workspace, gaits: Mapping[str, Gait], settings: WalkSettings
) -> WalkRules:
    """Check settings against the robot.

    Raises:
        RefusedError: the gait does not exist, or the legs cannot step like that.
    """
    if settings.gait not in gaits:
        raise RefusedError(f"there is no gait {settings.gait!r}; there are {', '.join(gaits)}")
    gait = gaits[settings.gait]
    if settings.cycle_time > 0.0:
        gait = replace(gait, cycle_time=settings.cycle_time)
    centers = workspace.stand + workspace.outward * settings.stance_width
    stance = Stance(centers, settings.step_height)
    limits = StepLimits.of(workspace, stance, gait, [np.zeros(POSE_SIZE)])
    radius = float(limits.radius.min())
    if radius < LEAST_RADIUS:
        raise RefusedError(
            f"with feet {settings.stance_width:g} mm further out and steps "
            f"{settings.step_height:g} mm high the legs reach only {radius:.0f} mm around, and "
            f"{LEAST_RADIUS:g} mm are needed"
        )
    if limits.foot_speed.min() <= 0.0:
        raise RefusedError(
            f"steps {settings.step_height:g} mm high in {gait.swing_time:.2f} s are faster than the "
            "joints; choose lower steps or a longer cycle time"
        )
    return WalkRules(gait, stance, settings.acceleration, limits)


def limits_of(
    workspace: Workspace,
    stances: Sequence[Stance],
    gaits: Sequence[Gait],
    poses: Sequence[FloatArray],
) -> StepLimits:
    """What holds for all stances, gaits and poses together."""
    found = [StepLimits.of(workspace, stance, gait, poses) for stance in stances for gait in gaits]
    return StepLimits(
        np.min([limits.radius for limits in found], axis=0),
        np.min([limits.foot_speed for limits in found], axis=0),
    )
