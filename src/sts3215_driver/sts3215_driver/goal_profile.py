"""From goals (be at this angle in this time) to goal position and goal speed registers.

The servo moves an internal target to the goal position at the goal speed, without acceleration. That
target is tracked here, so that a goal given with lead (due later than the next goal comes) gets the
speed that covers what is really left of the way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.goals import GoalSet
from sts3215_driver.protocol.units import RAD_PER_STEP, STEPS_PER_TURN, rounded
from sts3215_driver.servo_table import ServoTable

#: Largest goal speed that is sent, step/s; the servo itself turns no faster.
MAX_SPEED = 3400
#: Way left below which the internal target is at its goal, steps.
ARRIVED = 0.5
#: A goal speed of 0 means full speed on most servos, so it is never sent. Counts.
MIN_SPEED = 1


@dataclass(frozen=True)
class ServoCommand:
    """What goes into the registers.

    Args:
        active: (n,) servos that have a goal.
        position: (n,) steps; 0 for wheels.
        speed: (n,) counts of the servo's speed unit, never 0 for position servos; signed for wheels.
        clipped: How many joints were held at a limit of the servo file.
    """

    active: NDArray[np.bool_]
    position: NDArray[np.int64]
    speed: NDArray[np.int64]
    clipped: int


class GoalProfile:
    """The internal targets of all servos, stepped with the bus cycle.

    Args:
        servos: Mounting and limits.
        catch_up_speed: Fastest way back to the goals after torque came on, and to a goal that the
            servo should have reached, rad/s.
    """

    def __init__(self, servos: ServoTable, catch_up_speed: float) -> None:
        self._servos = servos
        self._catch_up = max(catch_up_speed / RAD_PER_STEP, MIN_SPEED)
        n = len(servos)
        self._target: NDArray[np.float64] = np.full(n, np.nan)
        self._goal: NDArray[np.float64] = np.full(n, np.nan)
        self._speed: NDArray[np.float64] = np.zeros(n)
        self._unit: NDArray[np.float64] = np.ones(n)
        self._catching_up = np.ones(n, np.bool_)

    def seed(self, position: NDArray[np.int64], speed_unit: NDArray[np.int64]) -> None:
        """The servos' goals are their present positions now.

        Args:
            position: (n,) steps.
            speed_unit: (n,) step/s that one count of the goal speed stands for.
        """
        self._unit = speed_unit.astype(np.float64)
        self._target = position.astype(np.float64)
        self._goal = self._target.copy()
        self._speed = np.zeros(len(self._servos))
        self._catching_up = np.ones(len(self._servos), np.bool_)

    def seed_one(self, index: int, position: int) -> None:
        """Like `seed`, for one servo that lost its goal; `position` in steps."""
        self._target[index] = self._goal[index] = position
        self._speed[index] = 0.0
        self._catching_up[index] = True

    def rejoin(self, index: int) -> None:
        """A servo that was not driven for a while gets goals again; it has held its last one."""
        self._catching_up[index] = True

    @property
    def catching_up(self) -> NDArray[np.bool_]:
        """(n,) joints that have not reached the stream of goals since they were given goals again."""
        return self._catching_up.copy()

    def advance(self, dt: float) -> None:
        """Let the internal targets move for `dt` s."""
        way = self._goal - self._target
        reach = self._speed * dt
        self._target += np.clip(way, -reach, reach)

    def command(self, goals: GoalSet, drivable: NDArray[np.bool_] | None = None) -> ServoCommand:
        """Registers for goals that are written now.

        Args:
            goals: Of all servos.
            drivable: (n,) servos that may be driven; all by default.
        """
        servos = self._servos
        active = np.where(servos.wheel, np.isfinite(goals.velocity), np.isfinite(goals.position))
        if drivable is not None:
            active &= drivable
        wanted = np.clip(goals.position, servos.minimum, servos.maximum)
        clipped = int(np.count_nonzero(active & ~servos.wheel & (wanted != goals.position)))
        exact = np.where(
            active & ~servos.wheel, servos.zero + servos.sign * wanted / RAD_PER_STEP, 0.0
        )
        position = np.clip(rounded(exact), 0, STEPS_PER_TURN - 1)
        # Durations near 0 and speeds near the end of the floats are cut below.
        with np.errstate(invalid="ignore", over="ignore"):
            left = np.abs(position - self._target)
            needed = np.nan_to_num(left / goals.duration)
            wanted_speed = np.nan_to_num(servos.sign * goals.velocity) / RAD_PER_STEP
        # Where the target has arrived, unless writes were lost: nobody acknowledges them.
        needed = np.where(left < ARRIVED, self._catch_up, needed)
        cap = np.where(self._catching_up, self._catch_up, MAX_SPEED)
        self._catching_up &= (needed > cap) | ~active
        counts = np.ceil(np.minimum(needed, cap) / self._unit - 1e-9)
        speed = np.maximum(counts, MIN_SPEED)
        wheel_speed = rounded(np.clip(wanted_speed, -MAX_SPEED, MAX_SPEED) / self._unit)
        moved = active & ~servos.wheel
        self._goal = np.where(moved, position, self._goal)
        self._speed = np.where(moved, speed * self._unit, self._speed)
        return ServoCommand(
            active=active,
            position=position.astype(np.int64),
            speed=np.where(servos.wheel, wheel_speed, speed).astype(np.int64),
            clipped=clipped,
        )
