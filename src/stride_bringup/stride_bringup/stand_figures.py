"""How well a robot stands, measured on where its joints really are in a lock-step run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stride_bringup.lockstep import LockStep
from stride_bringup.motion_cores import MotionCore


@dataclass(frozen=True)
class Still:
    """A motion engine that wants one pose, at rest.

    Args:
        position: (n,) rad.
    """

    position: NDArray[np.float64]

    @property
    def velocity(self) -> NDArray[np.float64]:
        """(n,) 0 rad/s."""
        return np.zeros(len(self.position))

    def on_joint_states(self, names: Any, position: Any, velocity: Any, effort: Any) -> None:
        """It does not look."""

    def on_step(self, number: int) -> Still:
        """The pose."""
        return self

    def on_steering(self, command: float) -> None:
        """It does not steer."""


def stand(robot: LockStep, seconds: float = 4.0) -> NDArray[np.float64]:
    """Stand with all joints at 0 rad, and say where they are after `seconds`.

    Args:
        robot: Not started yet; its motion engine is replaced.

    Returns:
        (n,) rad, joint side, in the order of the frames: the sag of each joint.
    """
    names = robot.motion.names
    robot.motion = MotionCore(Still(np.zeros(len(names))), names)
    robot.start()
    robot.run(seconds)
    return joints(robot)


def joints(robot: LockStep) -> NDArray[np.float64]:
    """(n,) rad, where the joints of the frames really are."""
    data = robot.robot.data
    return np.array([data.joint(name).qpos[0] for name in robot.motion.names])
