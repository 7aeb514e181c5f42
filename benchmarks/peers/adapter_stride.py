"""Stride's bus, as a peer of the others."""

from __future__ import annotations

from sts3215_driver.bus import Bus
from sts3215_driver.transport.serial_port import SerialTransport

GIVE_UP_AFTER, PROBE_EVERY = 5, 10


class Peer:
    def __init__(self, port: str, ids: list[int], period: float) -> None:
        self._bus = Bus(SerialTransport(port, 1_000_000))
        self._bus.learn_echo()
        self._ids, self._period = ids, period
        self._misses = dict.fromkeys(ids, 0)
        self._cycle = 0

    def cycle(self, goals: dict[int, bytes]) -> dict[int, bytes]:
        """Write all goals, read what there is; as the driver's cycle does."""
        self._cycle += 1
        clock = self._bus.transport.clock
        until = clock.now() + self._period
        self._bus.sync_write(42, 6, goals.items())
        asked = [
            i
            for i in self._ids
            if self._misses[i] < GIVE_UP_AFTER or (self._cycle + i) % PROBE_EVERY == 0
        ]
        found = {}
        for reading in self._bus.sync_read(56, 6, asked, until):
            if reading.packet is None:
                self._misses[reading.id] += 1
            else:
                self._misses[reading.id] = 0
                found[reading.id] = reading.packet.data
        return found
