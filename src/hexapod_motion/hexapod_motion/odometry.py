"""Where the robot has got to, from the feet that stand: what they do against the body, the body does."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hexapod_motion.arrays import LIMBS, BoolArray, FloatArray

#: Growth of the variance: m^2 per m walked, rad^2 per rad turned and per m walked.
XY_GROWTH = 0.05**2
YAW_GROWTH = 0.05**2
YAW_GROWTH_PER_M = 0.02**2
#: Standard deviations of what is measured anew in every frame: height (m), tilt (rad), velocities.
HEIGHT_SIGMA, TILT_SIGMA = 0.005, 0.02
SPEED_SIGMA, TURN_SIGMA = 0.02, 0.05


@dataclass(frozen=True)
class Odometry:
    """Pose of the body in the world and its velocity in its own axes.

    Args:
        x, y, z: Place, m.
        yaw: Heading, rad.
        forward, left, turn: Velocity, m/s and rad/s.
        xy_variance: Of x and of y, m^2.
        yaw_variance: Of the heading, rad^2.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0
    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0
    xy_variance: float = 0.0
    yaw_variance: float = 0.0


class Odometer:
    """Adds up the body's moves.

    Attributes:
        value: The present estimate.
    """

    def __init__(self) -> None:
        self.value = Odometry()
        self._feet: FloatArray | None = None
        self._standing: BoolArray = np.zeros(LIMBS, dtype=np.bool_)

    def rest(self) -> Odometry:
        """No foot is known to stand: the robot stays where it is thought to be."""
        self._feet, old = None, self.value
        self.value = replace(old, forward=0.0, left=0.0, turn=0.0)
        return self.value

    def step(self, feet: FloatArray, standing: BoolArray, dt: float) -> Odometry:
        """Take the next frame.

        Args:
            feet: (6, 3) in the body's axes, levelled (z against gravity), mm.
            standing: (6,) which feet are on the ground; none: as `rest`.
            dt: Time since the last frame, s.
        """
        if not standing.any():
            return self.rest()
        before, was, old = self._feet, self._standing, self.value
        self._feet, self._standing = feet, standing
        both = standing & was
        height = -float(feet[standing, 2].mean()) / 1000.0
        if before is None or both.sum() < 2:
            self.value = replace(old, z=height, forward=0.0, left=0.0, turn=0.0)
            return self.value
        shift, angle = body_move(before[both], feet[both])
        # The velocity is the mean one, in the axes half-way.
        heading = old.yaw + angle / 2.0
        ahead = shift * complex(math.cos(-angle / 2.0), math.sin(-angle / 2.0))
        world = ahead * complex(math.cos(heading), math.sin(heading))
        length = abs(shift) / 1000.0
        self.value = Odometry(
            x=old.x + world.real / 1000.0,
            y=old.y + world.imag / 1000.0,
            z=height,
            yaw=math.remainder(old.yaw + angle, 2.0 * math.pi),
            forward=ahead.real / 1000.0 / dt,
            left=ahead.imag / 1000.0 / dt,
            turn=angle / dt,
            xy_variance=old.xy_variance + XY_GROWTH * length,
            yaw_variance=old.yaw_variance + YAW_GROWTH * abs(angle) + YAW_GROWTH_PER_M * length,
        )
        return self.value


def body_move(before: FloatArray, after: FloatArray) -> tuple[complex, float]:
    """Least-squares move of the body while (n, 3) feet stood still: shift (mm, x + i y) and turn (rad).

    The shift is seen from before the move.
    """
    old = before[:, 0] + 1j * before[:, 1]
    new = after[:, 0] + 1j * after[:, 1]
    middle, center = complex(old.mean()), complex(new.mean())
    turned = complex(np.vdot(new - center, old - middle))
    angle = math.atan2(turned.imag, turned.real)
    return middle - center * complex(math.cos(angle), math.sin(angle)), angle
