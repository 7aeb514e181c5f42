"""Watching servos without driving them: only reads go onto the bus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.registers import BY_NAME, FEEDBACK_LONG
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.start_up import COARSE_SPEED_UNIT, PHASE_FINE_SPEED
from sts3215_driver.tools.examine import Knock, examine, knock

#: SYNC_READs without any answer of a servo that answers by itself: its firmware does not know them.
PATIENCE = 3


@dataclass(frozen=True)
class Row:
    """The newest that is known of one servo.

    Args:
        id: The servo.
        status: Outcome of the last question.
        age: Since the values were read, s; None if never. They stay the last good ones.
        values: Signed values by register name; present_speed in step/s. Empty if never read.
        flags: Alarms that came with them.
        colliding: Whether two servos seem to share the id; what was read may be of either.
    """

    id: int
    status: Status
    age: float | None
    values: dict[str, int]
    flags: Flags
    colliding: bool = False


class Monitor:
    """Reads some servos in turn.

    Args:
        bus: The bus.
        ids: Servos, each once.
    """

    def __init__(self, bus: Bus, ids: Sequence[int]) -> None:
        self._bus, self._ids = bus, list(ids)
        self._known: dict[int, tuple[float, dict[str, int], Flags]] = {}
        self._speed_unit: dict[int, int] = {}
        self._silent = dict.fromkeys(ids, 0)
        self._garbled = dict.fromkeys(ids, 0)
        self._colliding: set[int] = set()

    def poll(self) -> list[Row]:
        """Ask everybody once.

        Returns:
            One row per servo, in the order of the ids; the age tells old values from new.

        Raises:
            PortError
        """
        block, clock = FEEDBACK_LONG, self._bus.transport.clock
        self._learn_speed_units()
        status: dict[int, Status] = {}
        for reading in self._bus.sync_read(block.address, block.length, self._ids):
            status[reading.id] = reading.status
            if reading.packet is None:
                continue
            values = block.decode(reading.packet.data)
            values["present_speed"] *= self._speed_unit.get(reading.id, 1)
            flags = reading.packet.flags | Flags(values["servo_status"])
            self._known[reading.id] = (clock.now(), values, flags)
        self._find_single_readers(status)
        self._find_colliding(status)
        now = clock.now()
        return [self._row(servo_id, status[servo_id], now) for servo_id in self._ids]

    def _row(self, servo_id: int, status: Status, now: float) -> Row:
        colliding = servo_id in self._colliding
        if servo_id not in self._known:
            return Row(servo_id, status, None, {}, Flags.NONE, colliding)
        time, values, flags = self._known[servo_id]
        return Row(servo_id, status, now - time, values, flags, colliding)

    def _learn_speed_units(self) -> None:
        """One servo per poll, so that absent ones do not hold up the others."""
        unknown = [each for each in self._ids if each not in self._speed_unit]
        if not unknown:
            return
        servo_id = min(unknown, key=lambda each: self._silent[each])
        try:
            phase = self._bus.read_register(servo_id, BY_NAME["phase"])
        except NoReplyError:
            self._silent[servo_id] += 1
            return
        self._speed_unit[servo_id] = 1 if phase & PHASE_FINE_SPEED else COARSE_SPEED_UNIT

    def _find_single_readers(self, status: dict[int, Status]) -> None:
        """Who answers a question to itself but never one to all is read alone from now on."""
        for servo_id, outcome in status.items():
            if outcome is not Status.MISSING or servo_id in self._bus.single_readers:
                self._silent[servo_id] = 0
                continue
            self._silent[servo_id] += 1
            if self._silent[servo_id] == PATIENCE and servo_id not in self._known:
                try:
                    self._bus.ping(servo_id)
                except NoReplyError:
                    continue
                self._bus.single_readers.add(servo_id)

    def _find_colliding(self, status: dict[int, Status]) -> None:
        """Whose answer fails again and again, or who never answers, is looked at once, alone."""
        for servo_id, outcome in status.items():
            if outcome is Status.OK:
                continue
            self._garbled[servo_id] += 1
            if self._garbled[servo_id] != PATIENCE:
                continue
            garbage = knock(self._bus, servo_id) is not Knock.SILENT
            if garbage and examine(self._bus, servo_id).looks_double:
                self._colliding.add(servo_id)
