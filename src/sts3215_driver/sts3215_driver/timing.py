"""How long an exchange takes, and how long to wait for what may not come."""

from __future__ import annotations

from dataclasses import dataclass

from sts3215_driver.protocol.packets import OVERHEAD

BITS_PER_BYTE = 10
#: Byte times that a servo leaves free before its slot in a SYNC_READ.
SLOT_GAP = 3
#: Byte times by which each id delays its answer to a broadcast PING.
PING_SLOT = 9


@dataclass(frozen=True)
class BusTiming:
    """Properties of the line.

    Args:
        baud: Bit rate of the slowest link between us and the servos, bit/s.
        turnaround: Longest time from the end of a request to the start of a servo's reply, s.
        latency: Longest extra delay of adapter and operating system, s.
        echo: Whether the adapter sends back what we write; a property of the adapter, not of a reply.
    """

    baud: int = 1_000_000
    turnaround: float = 0.0005
    latency: float = 0.003
    echo: bool = False

    def wire_time(self, byte_count: int) -> float:
        """Time that bytes occupy the wire, s."""
        return byte_count * BITS_PER_BYTE / self.baud

    def slot(self, data_length: int) -> float:
        """Time between the starts of two replies to a SYNC_READ, s."""
        return self.wire_time(data_length + OVERHEAD + SLOT_GAP)

    def reply(self, data_length: int) -> float:
        """Time that one reply occupies the wire, s."""
        return self.wire_time(data_length + OVERHEAD)

    def sync_read(self, data_length: int, count: int) -> float:
        """Time on the wire of a SYNC_READ of `count` servos with its replies, s."""
        return self.wire_time(OVERHEAD + 2 + count) + count * self.slot(data_length)

    def sync_write(self, data_length: int, count: int) -> float:
        """Time on the wire of a SYNC_WRITE to `count` servos, s."""
        return self.wire_time(OVERHEAD + 2 + count * (data_length + 1))

    def read(self, data_length: int) -> float:
        """Time on the wire of a READ of one servo with its reply, s."""
        return self.wire_time(OVERHEAD + 2) + self.turnaround + self.reply(data_length)


class LatencyEstimate:
    """How much later than computed replies really are, learned from exchanges that were complete.

    Waiting for a missing servo then costs what this line needs, not what the worst line would.

    Args:
        longest: Never wait longer, s.
        shortest: Never wait less, s: what a busy computer may add at any time.
    """

    #: Complete exchanges that must be seen before the estimate is believed.
    ENOUGH = 20
    #: Safety over the largest delay seen.
    MARGIN = 2.0
    #: Weight of the past in one exchange: a single slow one is forgotten after some hundred.
    MEMORY = 0.995

    def __init__(self, longest: float, shortest: float = 0.0002) -> None:
        self._longest, self._shortest = longest, shortest
        self._seen = 0
        self._recent = 0.0

    def add(self, delay: float) -> None:
        """The last byte of a complete exchange came `delay` s later than computed."""
        self._seen += 1
        self._recent = max(delay, self._recent * self.MEMORY)

    def punish(self) -> None:
        """Something came too late to be used: wait longer again."""
        self._recent = self._longest

    @property
    def value(self) -> float:
        """How long to wait beyond the computed time, s."""
        if self._seen < self.ENOUGH:
            return self._longest
        return min(self._longest, max(self._shortest, self.MARGIN * self._recent))
