"""Which servos may be driven, and what has to be done about the others. Pure, stepped once a cycle.

A servo that was silent may have lost its power and with it torque, goal and mode; goals would switch its
torque on by themselves, from wherever it fell. So it gets none until it was looked at. A servo that
raises an alarm three times in a row is tripped, and recovered only on request or by policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.reply_scanner import Status

#: Alarms that say the servo is in danger. A low or high voltage is reported only.
TRIP_FLAGS = Flags.SENSOR | Flags.TEMPERATURE | Flags.CURRENT | Flags.OVERLOAD


class Condition(Enum):
    """How a servo is doing."""

    DRIVING = "driving"
    SILENT = "silent"
    SUSPECT = "answers again, not verified yet"
    LOST_SETTINGS = "lost its settings"
    TRIPPED = "tripped"
    RELEASED = "tripped, torque off"


class Task(Enum):
    """What the bus has to do about one servo."""

    VERIFY = "verify"
    RESEED = "reseed"
    RELEASE = "release"


_TASKS = {
    Condition.SUSPECT: Task.VERIFY,
    Condition.LOST_SETTINGS: Task.RESEED,
    Condition.TRIPPED: Task.RELEASE,
}


@dataclass(frozen=True)
class WatchPolicy:
    """When a servo is no longer driven, and when it is again.

    Args:
        silent_after: Missed readings in a row.
        trip_after: Readings with an alarm in a row.
        release: Whether a tripped servo's torque is switched off; otherwise alarms are only reported.
        recover_after: Try a tripped servo again after this time, s; 0: only on request.
        recovery_period: Shortest time between two recoveries of one servo, s.
    """

    silent_after: int = 3
    trip_after: int = 3
    release: bool = True
    recover_after: float = 0.0
    recovery_period: float = 2.0


class ServoWatch:
    """Condition of all servos of a robot."""

    def __init__(self, count: int, policy: WatchPolicy) -> None:
        self._policy = policy
        self._conditions = [Condition.DRIVING] * count
        self._missed = [0] * count
        self._alarms = [0] * count
        self._trip_flags = [Flags.NONE] * count
        self._tripped_at = [0.0] * count
        self._recovered_at = [-np.inf] * count
        self._drivable: NDArray[np.bool_] = np.ones(count, np.bool_)
        self.lost_settings = 0
        self.trips = 0

    @property
    def drivable(self) -> NDArray[np.bool_]:
        """(n,) servos that get goals; a new array whenever it changes."""
        return self._drivable

    @property
    def free(self) -> NDArray[np.bool_]:
        """(n,) servos that an alarm has tripped and whose torque is off."""
        return np.array([condition is Condition.RELEASED for condition in self._conditions])

    def condition(self, index: int) -> Condition:
        return self._conditions[index]

    def trip_flags(self, index: int) -> Flags:
        """The alarms that tripped a servo."""
        return self._trip_flags[index]

    def observe(self, status: Sequence[int], flags: Sequence[int], now: float) -> None:
        """One cycle's readings.

        Args:
            status: Status of each servo; STALE says nothing.
            flags: Alarm bits of each servo; looked at where the status is OK.
            now: s.
        """
        for index, (outcome, alarm) in enumerate(zip(status, flags, strict=True)):
            if outcome == Status.OK:
                self._heard(index, Flags(alarm), now)
            elif outcome != Status.STALE:
                self._missed[index] += 1
                if self._missed[index] >= self._policy.silent_after:
                    self._set(index, Condition.SILENT)

    def next_task(self) -> tuple[int, Task] | None:
        """The most urgent thing to do, or None. Tripped servos go first."""
        waiting = [
            (condition is not Condition.TRIPPED, index, _TASKS[condition])
            for index, condition in enumerate(self._conditions)
            if condition in _TASKS
        ]
        return min(waiting, key=lambda entry: entry[:2])[1:] if waiting else None

    def verified(self, index: int) -> None:
        """The servo still has its torque and its goal."""
        self._set(index, Condition.DRIVING)

    def settings_lost(self, index: int) -> None:
        """The servo's RAM is not as it was written."""
        if self._conditions[index] in (Condition.DRIVING, Condition.SUSPECT):
            self.lost_settings += 1
            self._set(index, Condition.LOST_SETTINGS)

    def reseeded(self, index: int) -> None:
        """Goal := present position and torque are on again."""
        self._alarms[index] = 0
        self._set(index, Condition.DRIVING)

    def released(self, index: int) -> None:
        """Torque of a tripped servo is off."""
        self._set(index, Condition.RELEASED)

    def silent(self, index: int) -> None:
        """It did not answer while something was done about it."""
        self._set(index, Condition.SILENT)

    def recover(self, now: float) -> list[int]:
        """Try tripped servos again.

        Returns:
            Those that must wait, since their last recovery was less than `recovery_period` ago.
        """
        too_soon = []
        for index, condition in enumerate(self._conditions):
            if condition is not Condition.RELEASED:
                continue
            if now - self._recovered_at[index] < self._policy.recovery_period:
                too_soon.append(index)
                continue
            self._recovered_at[index] = now
            self._alarms[index] = 0
            self._set(index, Condition.LOST_SETTINGS)
        return too_soon

    def restart(self) -> None:
        """Torque came on for all, with seeds."""
        for index in range(len(self._conditions)):
            self._missed[index] = self._alarms[index] = 0
            self._set(index, Condition.DRIVING)

    def _heard(self, index: int, flags: Flags, now: float) -> None:
        self._missed[index] = 0
        condition = self._conditions[index]
        if condition is Condition.SILENT:
            self._set(index, Condition.SUSPECT)
        danger = flags & TRIP_FLAGS
        self._alarms[index] = self._alarms[index] + 1 if danger else 0
        if condition is Condition.RELEASED:
            waited = now - self._tripped_at[index]
            if not danger and 0.0 < self._policy.recover_after <= waited:
                self.recover(now)
            return
        if (
            self._policy.release
            and self._alarms[index] >= self._policy.trip_after
            and condition in (Condition.DRIVING, Condition.SUSPECT)
        ):
            self.trips += 1
            self._tripped_at[index] = now
            self._trip_flags[index] = danger
            self._set(index, Condition.TRIPPED)

    def _set(self, index: int, condition: Condition) -> None:
        if self._conditions[index] is condition:
            return
        if condition is Condition.SILENT and self._conditions[index] in (
            Condition.TRIPPED,
            Condition.RELEASED,
        ):
            return
        self._conditions[index] = condition
        drivable = self._drivable.copy()
        drivable[index] = condition is Condition.DRIVING
        self._drivable = drivable
