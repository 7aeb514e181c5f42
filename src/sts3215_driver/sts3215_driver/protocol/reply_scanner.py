"""Finds the replies to one request in whatever bytes arrive.

The header FF FF may stand in noise and inside data, lengths and checksums may be corrupt, and replies
may be late, doubled, out of order or missing. So the search goes on directly after a header that led
nowhere, never after the length that a broken packet claims.
"""

from __future__ import annotations

from collections.abc import Collection
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
    NOT_READ = 4


@dataclass(slots=True)
class ScanCounts:
    """What arrived and could not be used."""

    noise_bytes: int = 0
    wrong_id: int = 0
    wrong_length: int = 0
    bad_checksum: int = 0
    duplicate: int = 0


@dataclass
class ReplyScanner:
    """Replies of `ids` with `lengths` data bytes each.

    Args:
        ids: Servos that were asked, each at most once.
        lengths: Data lengths that are right. More than one where the register table's end clips.
        counts: Where to count what could not be used; may be shared between scanners.
    """

    ids: Collection[int]
    lengths: Collection[int]
    counts: ScanCounts = field(default_factory=ScanCounts)
    found: dict[int, StatusPacket] = field(default_factory=dict)
    faults: dict[int, Status] = field(default_factory=dict)
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
        while True:
            start = buffer.find(HEADER, position)
            if start < 0:
                # The last byte may be the first half of a header.
                keep = 1 if not final and size > position and buffer[-1] == HEADER[0] else 0
                self.counts.noise_bytes += size - position - keep
                position = size - keep
                break
            self.counts.noise_bytes += start - position
            position = start
            while start + 2 < size and buffer[start + 2] == 0xFF:
                start += 1
            self.counts.noise_bytes += start - position
            position = start
            end = self._packet_end(start)
            if end is None:
                if not final:
                    break
                end = start
            if end == start:
                position = start + len(HEADER)
                self.counts.noise_bytes += len(HEADER)
            else:
                position = end
        del buffer[:position]

    def _packet_end(self, start: int) -> int | None:
        """Judge the packet at `start`.

        Returns:
            Its end if it was taken, `start` if it leads nowhere, None if more bytes are needed.
        """
        buffer, size = self._buffer, len(self._buffer)
        if start + 4 > size:
            return None
        servo_id, length = buffer[start + 2], buffer[start + 3]
        end = start + 4 + length
        if servo_id not in self.ids:
            if end <= size and servo_id <= MAX_ID and length >= 2 and self._intact(start, end):
                self.counts.wrong_id += 1
                return end
            if end > size and servo_id <= MAX_ID and length - 2 in self.lengths:
                # Perhaps a late reply of somebody else; its data must not be searched for headers.
                return None
            return start
        if length - 2 not in self.lengths:
            self.counts.wrong_length += 1
            self.faults[servo_id] = Status.WRONG_LENGTH
            return start
        if end > size:
            return None
        if not self._intact(start, end):
            self.counts.bad_checksum += 1
            self.faults[servo_id] = Status.CORRUPT
            return start
        if servo_id in self.found:
            self.counts.duplicate += 1
        else:
            data = bytes(buffer[start + 5 : end - 1])
            self.found[servo_id] = StatusPacket(servo_id, Flags(buffer[start + 4]), data)
        return end

    def _intact(self, start: int, end: int) -> bool:
        return checksum(self._buffer[start + 2 : end - 1]) == self._buffer[end - 1]
