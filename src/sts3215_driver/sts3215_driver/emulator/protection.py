"""How servos guard themselves: voltage, temperature, current and overload, for all at once.

Timers of the registers count in 10 ms, so that is how often this runs. A flag always shows in the
error byte; whether it also stops or weakens the drive depends on register 19.
"""

from __future__ import annotations

import numpy as np

from sts3215_driver.emulator.arrays import Array, Matrix, Switches, counters, filled, switches
from sts3215_driver.emulator.register_view import RegisterView
from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.protocol.units import AMPERE_PER_COUNT, VOLT_PER_COUNT

PERIOD = 0.01
_TORQUE, _STATUS = BY_NAME["torque_enable"].address, BY_NAME["servo_status"].address
_BITS = ("unload_condition", "over_current_time", "protection_time")
_SETTINGS = (
    "max_temperature",
    "max_voltage",
    "min_voltage",
    "protection_current",
    "protection_torque",
    "overload_torque",
)
_VOLTAGE, _TEMPERATURE = int(Flags.VOLTAGE), int(Flags.TEMPERATURE)
_CURRENT, _OVERLOAD = int(Flags.CURRENT), int(Flags.OVERLOAD)
#: 50 ticks of 1 ms
_SETTLE = 5
_COOL_DOWN = 5.0
#: Steps of motion that show that a servo is not blocked.
_MOVED = 50.0


class Protection:
    """Alarms of n servos.

    Args:
        matrix: Registers, (n, WIDTH); writes status and, on over-current, torque enable.
        latched_overload: Keep an overload until torque goes off, whatever the drive does.
    """

    def __init__(self, matrix: Matrix, latched_overload: bool) -> None:
        count = len(matrix)
        self._matrix, self._latched = matrix, latched_overload
        self._bits = RegisterView(matrix, _BITS)
        self._settings = RegisterView(matrix, _SETTINGS)
        self.flags = counters(count)
        self.forced = counters(count)  # alarms switched on from outside
        self._too_high = counters(count)
        self._hot = counters(count)
        self._strong = counters(count)
        self._blocked = counters(count)
        self._pushing = switches(count)
        self._push_sign = filled(count)
        self._push_position = filled(count)
        self.read_settings()

    def read_settings(self) -> None:
        """Take over EEPROM registers after they changed."""
        self._unload, self._current_time, self._overload_time = self._bits.raw()
        hottest, highest, lowest, current, weak, overload = self._settings.values()
        self._hottest, self._highest, self._lowest = hottest, highest, lowest
        self._largest_current = current
        self._weak, self._overload_duty = weak / 100.0, overload / 100.0

    def step(
        self, voltage: Array, temperature: Array, current: Array, demand: Array, position: Array
    ) -> Switches:
        """One period.

        Args:
            voltage: V, (n,).
            temperature: degC, (n,).
            current: A, (n,).
            demand: Duty that the control law gives within the limit of torque, (n,).
            position: Steps, (n,).

        Returns:
            Servos that just had their torque switched off, (n,).
        """
        torque = self._matrix[:, _TORQUE] == 1
        self._watch_voltage(np.rint(voltage / VOLT_PER_COUNT))
        self._watch_temperature(np.rint(temperature))
        released = self._watch_current(np.abs(current) / AMPERE_PER_COUNT, torque)
        self._watch_overload(demand, position, torque)
        self.publish()
        return released

    def publish(self) -> None:
        """Write the status register of every servo."""
        self._matrix[:, _STATUS] = self.flags | self.forced

    def stopped(self) -> Switches:
        """Servos whose drive is off because of heat or, if so configured, voltage."""
        acting = self._unload & (self.flags | self.forced)
        result: Switches = (acting & (_TEMPERATURE | _VOLTAGE)) > 0
        return result

    def ceiling(self) -> Array:
        """Largest duty that each servo may give; less than 1 after an overload."""
        acting = self._unload & (self.flags | self.forced)
        result: Array = np.where(acting & _OVERLOAD, self._weak, 1.0)
        return result

    def overloaded(self, index: int) -> bool:
        """Whether servo number `index` stands in overload."""
        return bool(self.flags[index] & _OVERLOAD)

    def clear_overload(self, index: int) -> None:
        """Torque was written or a new goal came: start anew."""
        self.flags[index] &= ~_OVERLOAD
        self._pushing[index] = False
        self.publish()

    def clear(self, index: int) -> None:
        """Servo number `index` starts up: nothing is known any more."""
        self.flags[index] = 0
        for counter in (self._too_high, self._hot, self._strong, self._blocked):
            counter[index] = 0
        self._pushing[index] = False
        self.publish()

    def _set(self, flag: int, where: Switches) -> None:
        self.flags = np.where(where, self.flags | flag, self.flags & ~flag)

    def _watch_voltage(self, counts: Array) -> None:
        high = counts > self._highest
        self._too_high = np.where(high, self._too_high + 1, 0)
        lasting = high & ((self._too_high > _SETTLE) | ((self.flags & _VOLTAGE) > 0))
        self._set(_VOLTAGE, lasting | (counts < self._lowest))

    def _watch_temperature(self, degrees: Array) -> None:
        hot = degrees > self._hottest
        self._hot = np.where(hot, self._hot + 1, 0)
        was = (self.flags & _TEMPERATURE) > 0
        cooled = degrees + _COOL_DOWN < self._hottest
        self._set(_TEMPERATURE, (self._hot > _SETTLE) | (was & ~cooled))

    def _watch_current(self, counts: Array, torque: Switches) -> Switches:
        watched = (self._largest_current > 0) & (self._current_time > 0)
        strong = watched & (counts >= self._largest_current)
        self._strong = np.where(strong, self._strong + 1, 0)
        was = (self.flags & _CURRENT) > 0
        keep = was & watched & (strong | ~torque)
        flagged = keep | (self._strong > self._current_time)
        self._set(_CURRENT, flagged)
        released: Switches = flagged & torque & ((self._unload & _CURRENT) > 0)
        self._matrix[released, _TORQUE] = 0
        return released

    def _watch_overload(self, demand: Array, position: Array, torque: Switches) -> None:
        was = ((self.flags & _OVERLOAD) > 0) & torque
        strong = torque & (np.abs(demand) > self._overload_duty)
        begins = strong & ~self._pushing & ~was
        self._push_sign = np.where(begins, np.sign(demand), self._push_sign)
        self._push_position = np.where(begins, position, self._push_position)
        self._blocked = np.where(begins, 0, self._blocked + 1)
        moved = np.abs(position - self._push_position) > _MOVED
        self._pushing = strong & ~moved
        overload = was | (self._pushing & (self._blocked > self._overload_time))
        if not self._latched:
            overload &= demand * self._push_sign >= self._weak
        self._set(_OVERLOAD, overload)
