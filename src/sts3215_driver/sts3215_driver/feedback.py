"""What the servos answered, in SI units and on the joint side, with the age of every value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.bus import Reading
from sts3215_driver.protocol.registers import BY_NAME, Block
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.protocol.units import (
    AMPERE_PER_COUNT,
    LOAD_PER_COUNT,
    RAD_PER_STEP,
    STEPS_PER_TURN,
    VOLT_PER_COUNT,
)
from sts3215_driver.servo_table import ServoTable

#: Registers 56 to 61, and 62 to 70 behind them in a long block.
_FAST = np.dtype([("position", "<u2"), ("speed", "<u2"), ("load", "<u2")])
_SLOW = np.dtype(
    [
        ("voltage", "u1"),
        ("temperature", "u1"),
        ("async_write", "u1"),
        ("status", "u1"),
        ("moving", "u1"),
        ("goal", "<u2"),
        ("current", "<u2"),
    ]
)
SLOW = Block(62, _SLOW.itemsize)
_POSITION = BY_NAME["present_position"]
#: No servo turns faster, also not when it is pushed through its gears, step/s; twice its own speed.
FASTEST = 2 * 3400
#: Noise of a reading, and the farthest way that is believed after a long silence, steps.
SLACK, FARTHEST = 16, 256
#: A servo that was not heard for longer says nothing about the supply any more, s.
SUPPLY_TIMEOUT = 1.0


@dataclass(frozen=True)
class Feedback:
    """The newest readings of all servos. NaN where nothing was ever read; arrays are not changed.

    Args:
        status: (n,) Status of this cycle's reading.
        steps: (n,) present position, servo steps, of the last good reading; 0 before the first.
        position: (n,) rad.
        velocity: (n,) rad/s.
        load: (n,) drive duty, -1 to 1, in the direction of the joint.
        age: (n,) s since position, velocity and load were read; infinite when never.
        voltage: (n,) V.
        temperature: (n,) degC.
        current: (n,) A.
        flags: (n,) alarm bits of the last good reading.
    """

    status: NDArray[np.uint8]
    steps: NDArray[np.int64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    load: NDArray[np.float64]
    age: NDArray[np.float64]
    voltage: NDArray[np.float64]
    temperature: NDArray[np.float64]
    current: NDArray[np.float64]
    flags: NDArray[np.uint8]

    @property
    def fresh(self) -> NDArray[np.bool_]:
        """(n,) servos that were read in this cycle."""
        return self.status == Status.OK

    @property
    def supply(self) -> float:
        """Median voltage of the servos that are heard, V; NaN without any."""
        heard = self.voltage[np.isfinite(self.voltage) & (self.age <= SUPPLY_TIMEOUT)]
        return float(np.median(heard)) if len(heard) else math.nan


class FeedbackDecoder:
    """Keeps the last good reading of every servo; a missing one changes nothing but its age.

    Args:
        servos: Mounting of the servos.
        speed_unit: (n,) step/s that one count of the present speed stands for.
        offset: (n,) steps that the servo adds to its present position and should not: its position
            offset is not applied outside of position mode, so wheels show it.
    """

    def __init__(
        self,
        servos: ServoTable,
        speed_unit: NDArray[np.int64] | None = None,
        offset: NDArray[np.int64] | None = None,
    ) -> None:
        n = len(servos)
        self._servos = servos
        self._speed_unit = np.ones(n, np.int64) if speed_unit is None else speed_unit
        self._offset = np.zeros(n, np.int64) if offset is None else offset
        self._status: NDArray[np.uint8] = np.full(n, Status.STALE, np.uint8)
        self._steps = np.zeros(n, np.int64)
        self._position = np.full(n, np.nan)
        self._velocity = np.full(n, np.nan)
        self._load = np.full(n, np.nan)
        self._time = np.full(n, -np.inf)
        self._voltage = np.full(n, np.nan)
        self._temperature = np.full(n, np.nan)
        self._current = np.full(n, np.nan)
        self._flags = np.zeros(n, np.uint8)

    @property
    def flags(self) -> list[int]:
        """Alarm bits of each servo's last good reading."""
        return self._flags.tolist()

    def plausible(self, readings: Sequence[Reading], now: float) -> list[Reading]:
        """`readings` without those that are not certain and farther from the last one of their servo
        than it can have turned since: they are somebody else's. One that really is there is believed as
        soon as nobody is missing, which alone in a repeated exchange it is at once."""
        checked = list(readings)
        for index, reading in enumerate(checked):
            if reading.packet is None or reading.certain:
                continue
            steps = _POSITION.decode(reading.packet.data[: _POSITION.size]) - self._offset[index]
            half = STEPS_PER_TURN // 2
            way = abs((steps - self._steps[index] + half) % STEPS_PER_TURN - half)
            age = now - self._time[index]
            if math.isfinite(age) and way > min(SLACK + FASTEST * age, FARTHEST):
                checked[index] = Reading(reading.id, Status.CORRUPT, None)
        return checked

    def update(self, readings: Sequence[Reading], now: float) -> None:
        """Take one SYNC_READ of all servos (in the servo table's order) of registers from 56 on.

        Args:
            readings: One per servo, 6 or 15 data bytes each.
            now: When they were read, s.
        """
        self._status = np.array([reading.status for reading in readings], np.uint8)
        good = [i for i, reading in enumerate(readings) if reading.packet is not None]
        if not good:
            return
        found = [reading.packet for reading in readings if reading.packet is not None]
        fast = np.frombuffer(b"".join(p.data[: _FAST.itemsize] for p in found), _FAST)
        sign = self._servos.sign[good]
        steps = _sign_magnitude(fast["position"], 15) - self._offset[good]
        self._steps[good] = steps
        self._position[good] = sign * (steps - self._servos.zero[good]) * RAD_PER_STEP
        speed = _sign_magnitude(fast["speed"], 15) * self._speed_unit[good]
        self._velocity[good] = sign * speed * RAD_PER_STEP
        self._load[good] = sign * _sign_magnitude(fast["load"], 10) * LOAD_PER_COUNT
        self._time[good] = now
        self._flags[good] = [packet.flags for packet in found]
        if len(found[0].data) >= _FAST.itemsize + _SLOW.itemsize:
            slow = np.frombuffer(b"".join(p.data[_FAST.itemsize :] for p in found), _SLOW)
            self._take_slow(np.array(good), slow)

    def update_slow(self, index: int, data: bytes) -> None:
        """Take registers 62 to 70 of one servo, read apart."""
        self._take_slow(np.array([index]), np.frombuffer(data, _SLOW))

    def feedback(self, now: float) -> Feedback:
        """Everything that is known at `now` (s), as a value."""
        return Feedback(
            status=self._status,
            steps=self._steps.copy(),
            position=self._position.copy(),
            velocity=self._velocity.copy(),
            load=self._load.copy(),
            age=now - self._time,
            voltage=self._voltage.copy(),
            temperature=self._temperature.copy(),
            current=self._current.copy(),
            flags=self._flags.copy(),
        )

    def _take_slow(self, index: NDArray[np.int64], slow: NDArray[np.void]) -> None:
        self._voltage[index] = slow["voltage"] * VOLT_PER_COUNT
        self._temperature[index] = slow["temperature"]
        current = _sign_magnitude(slow["current"], 15) * AMPERE_PER_COUNT
        self._current[index] = self._servos.sign[index] * current
        self._flags[index] |= slow["status"]


def _sign_magnitude(raw: NDArray[np.uint16], sign_bit: int) -> NDArray[np.int64]:
    """Vectorised `decode_sign_magnitude`."""
    magnitude = (raw & ((1 << sign_bit) - 1)).astype(np.int64)
    return np.where(raw >> sign_bit & 1, -magnitude, magnitude)
