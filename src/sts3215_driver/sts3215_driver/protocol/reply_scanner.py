"""Finds the replies to one request in whatever bytes arrive.

The header FF FF may stand in noise and inside data, lengths and checksums may be corrupt, and replies
may be late, doubled, out of order or missing. So the search goes on directly after a header that led
nowhere, never after the length that a broken packet claims.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.packets import HEADER, MAX_ID, StatusPacket, checksum


class Status(IntEnum):
    """Outcome of asking one servo, as in servo_interfaces/ServoStates."""

    OK = 0
    MISSING = 1
    CORRUPT = 2
    WRONG_LENGTH = 3
    STALE = 4


@dataclass(slots=True)
class ScanCounts:
    """What arrived and could not be used."""

    noise_bytes: int = 0
    wrong_id: int = 0
    wrong_length: int = 0
    bad_checksum: int = 0
    duplicate: int = 0
    out_of_turn: int = 0
    late: int = 0


@dataclass
class ReplyScanner:
    """Replies of `ids` with `lengths` data bytes each.

    Args:
        ids: Servos that were asked, each at most once.
        lengths: Data lengths that are right. More than one where the register table's end clips.
        counts: Where to count what could not be used; may be shared between scanners.
        unanswered: By id, the data length of an earlier request that may still be answered: such a reply
            is late, not wrong, and never taken for the new one.
    """

    ids: Collection[int]
    lengths: Collection[int]
    counts: ScanCounts = field(default_factory=ScanCounts)
    unanswered: Mapping[int, int] = field(default_factory=dict)
    found: dict[int, StatusPacket] = field(default_factory=dict)
    faults: dict[int, Status] = field(default_factory=dict)
    disputed: set[int] = field(default_factory=set)
    _buffer: bytearray = field(default_factory=bytearray)

    @property
    def complete(self) -> bool:
        """Whether every servo has answered."""
        return len(self.found) == len(self.ids)

    def status(self, servo_id: int) -> Status:
        """Outcome for one servo so far."""
        if servo_id in self.found:
            return Status.OK
        return self.faults.get(servo_id, Status.MISSING)

    def feed(self, data: bytes) -> None:
        """Take bytes in the order in which they arrived."""
        self._buffer += data
        self._scan(final=False)

    def finish(self) -> None:
        """No more bytes come: look once more behind a packet that never became whole."""
        self._scan(final=True)
        self.counts.noise_bytes += len(self._buffer)
        self._buffer.clear()

    def _scan(self, final: bool) -> None:
        buffer, position = self._buffer, 0
        size = len(buffer)
        while position < size:
            start = buffer.find(HEADER, position)
            if start < 0:
                # The last byte may be the first half of a header.
                start = size - 1 if not final and buffer[-1] == HEADER[0] else size
                self.counts.noise_bytes += start - position
                position = start
                break
            while start + 2 < size and buffer[start + 2] == HEADER[0]:
                start += 1
            self.counts.noise_bytes += start - position
            position = start
            end = self._packet_end(start, final)
            if end is None and not final:
                break
            if end is None or end == start:
                end = start + len(HEADER)
                self.counts.noise_bytes += len(HEADER)
            position = end
        del buffer[:position]

    def _packet_end(self, start: int, final: bool) -> int | None:
        """Judge the packet at `start`.

        Returns:
            Its end if it was taken, `start` if it leads nowhere, None if more bytes are needed.
        """
        buffer = self._buffer
        if start + 4 > len(buffer):
            return None
        servo_id, data_length = buffer[start + 2], buffer[start + 3] - 2
        end = start + 6 + data_length
        if servo_id not in self.ids:
            return self._judge_stranger(servo_id, data_length, start, end)
        if data_length not in self.lengths:
            if self.unanswered.get(servo_id) == data_length:
                return self._judge_late(start, end)
            self.counts.wrong_length += 1
            self.faults[servo_id] = Status.WRONG_LENGTH
            return start
        if end > len(buffer):
            return None
        if not self._intact(start, end):
            self.counts.bad_checksum += 1
            self.faults[servo_id] = Status.CORRUPT
            return start
        inner = self._holds_a_reply(start, end)
        if inner is None and not final:
            return None
        if inner:
            # A reply that was cut off, and the checksum fits the next one's bytes by chance.
            self.faults[servo_id] = Status.CORRUPT
            return start
        data = bytes(buffer[start + 5 : end - 1])
        self._take(StatusPacket(servo_id, Flags(buffer[start + 4]), data))
        return end

    def _take(self, reply: StatusPacket) -> None:
        """Keep a reply, unless its id has answered already with something else: then somebody answers
        in another's name, and nobody knows who."""
        earlier = self.found.get(reply.id)
        if earlier is not None or reply.id in self.disputed:
            self.counts.duplicate += 1
            if earlier is not None and earlier != reply:
                del self.found[reply.id]
                self.disputed.add(reply.id)
                self.faults[reply.id] = Status.CORRUPT
        else:
            self.found[reply.id] = reply

    def _holds_a_reply(self, start: int, end: int) -> bool | None:
        """Whether an intact reply begins inside of a packet; None if more bytes are needed to tell."""
        buffer, size = self._buffer, len(self._buffer)
        place = start + len(HEADER)
        while 0 <= (place := buffer.find(HEADER, place, end + 1)) < end:
            while place + 2 < size and buffer[place + 2] == HEADER[0]:
                place += 1
            if place >= end:
                return False
            if place + 4 > size:
                return None
            if buffer[place + 2] in self.ids and buffer[place + 3] - 2 in self.lengths:
                inner_end = place + 4 + buffer[place + 3]
                if inner_end > size:
                    return None
                if self._intact(place, inner_end):
                    return True
            place += 1
        return False

    def _judge_stranger(self, servo_id: int, data_length: int, start: int, end: int) -> int | None:
        """A packet of somebody who was not asked: taken whole if intact, since headers in its data are
        none."""
        if servo_id > MAX_ID or data_length < 0:
            return start
        if end > len(self._buffer):
            return None if data_length in self.lengths else start
        if not self._intact(start, end):
            return start
        self.counts.wrong_id += 1
        return end

    def _judge_late(self, start: int, end: int) -> int | None:
        if end > len(self._buffer):
            return None
        if not self._intact(start, end):
            return start
        self.counts.late += 1
        return end

    def _intact(self, start: int, end: int) -> bool:
        return checksum(self._buffer[start + 2 : end - 1]) == self._buffer[end - 1]
