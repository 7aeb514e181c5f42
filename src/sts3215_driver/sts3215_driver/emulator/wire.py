"""Bytes on their way from the servos to the host, in the order in which they arrive."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from sts3215_driver.emulator.collisions import garble
from sts3215_driver.emulator.reply import Reply


@dataclass(slots=True, order=True)
class _Sending:
    arrival: float
    number: int
    start: float = field(compare=False)
    end: float = field(compare=False)
    data: bytes = field(compare=False)


class Wire:
    """What is on the wire now or will be soon."""

    def __init__(self) -> None:
        self._under_way: list[_Sending] = []
        self._sent = 0

    def send(self, replies: Iterable[Reply], begin: float, byte_time: float) -> None:
        """Put replies on the wire; their times count from `begin` (s)."""
        free: dict[int, float] = {}
        for reply in replies:
            start = begin + reply.start
            # A servo says one thing after the other.
            start = max(start, free.get(reply.servo_id, start))
            end = free[reply.servo_id] = start + len(reply.data) * byte_time
            if reply.data:
                self._sent += 1
                sending = _Sending(end + reply.late, self._sent, start, end, reply.data)
                heapq.heappush(self._under_way, sending)

    def withdraw(self, after: float) -> None:
        """Take back what does not start until later than `after` (s)."""
        self._under_way = [each for each in self._under_way if each.start <= after]
        heapq.heapify(self._under_way)

    def talk_over(self, start: float, end: float, random: Random) -> bool:
        """The host talks from `start` to `end` (s): garbles what servos say at that time.

        Returns:
            Whether there was anything.
        """
        spoiled = [each for each in self._under_way if each.start < end and each.end > start]
        for sending in spoiled:
            sending.data = garble(sending.data, random)
        return bool(spoiled)

    def take(self, until: float) -> tuple[float, bytes] | None:
        """The next bytes that have arrived by `until` (s), and when."""
        if not self._under_way or self._under_way[0].arrival > until:
            return None
        sending = heapq.heappop(self._under_way)
        return sending.arrival, sending.data

    def next_arrival(self, together: float) -> float | None:
        """See `EmulatedBus.next_arrival`."""
        if not self._under_way:
            return None
        latest = self._under_way[0].arrival + together
        return max(each.arrival for each in self._under_way if each.arrival <= latest)
