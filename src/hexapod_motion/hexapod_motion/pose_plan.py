"""Which pose the body aims at: as much of the wanted one as the legs can reach."""

from __future__ import annotations

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_pose import POSE_SIZE, PoseRamp
from hexapod_motion.walk_rules import LEAST_RADIUS
from hexapod_motion.workspace import Stance, Workspace

#: How often a new pose is looked at, s: finding what is in reach takes longer than a frame should.
PERIOD = 0.1


class PosePlan:
    """A wanted pose, what of it is aimed at, and the way there.

    Attributes:
        ramp: The pose now and its target.
        part: How much of the wanted pose is aimed at, 0 to 1.
    """

    def __init__(self) -> None:
        self.ramp = PoseRamp()
        self.part = 1.0
        self._wanted: FloatArray = np.zeros(POSE_SIZE)
        self._age = PERIOD
        self._open = False

    @property
    def arrived(self) -> bool:
        """Whether the body rests at what is aimed at, and nothing else is wanted."""
        return self.ramp.arrived and not self._open

    def want(self, pose: FloatArray) -> None:
        """Aim at (6,) `pose`."""
        if not np.array_equal(pose, self._wanted):
            self._wanted, self._open = pose, True

    def look_again(self) -> None:
        """The stance changed: what is in reach may be another part of the pose."""
        self._open = True

    def aim(self, workspace: Workspace, stance: Stance, dt: float) -> bool:
        """Let `dt` s pass; True if the target changed."""
        self._age += dt
        if not self._open or self._age < PERIOD:
            return False
        self._open, self._age = False, 0.0
        self.part = workspace.fitting_part(stance, self._wanted, LEAST_RADIUS)
        before, self.ramp.target = self.ramp.target, self._wanted * self.part
        return not np.array_equal(before, self.ramp.target)

    def poses(self) -> list[FloatArray]:
        """Poses that the body takes until it has arrived."""
        now, target = self.ramp.value, self.ramp.target
        return [now] if np.array_equal(now, target) else [now, (now + target) / 2.0, target]
