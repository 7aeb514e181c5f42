"""A bus in memory on virtual time: nothing sleeps, and a run repeats bit for bit."""

from __future__ import annotations

from typing import Protocol

from sts3215_driver.clock import Clock, VirtualClock
from sts3215_driver.errors import PortError
from sts3215_driver.transport.base import Transport


class SerialDevice(Protocol):
    """What hangs on the other end of the wire; told the time, never asks for it."""

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host, written at `now` (s)."""

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        """The next bytes that are at the host no later than `until`, and when; None without any."""


class MemoryTransport(Transport):
    """A port whose other end is a SerialDevice in the same process."""

    def __init__(self, device: SerialDevice, clock: Clock | None = None) -> None:
        self.clock = clock if clock is not None else VirtualClock()
        self._device = device
        self._open = True

    def write(self, data: bytes) -> None:
        self._check_open()
        self._device.receive(data, self.clock.now())

    def read(self, deadline: float) -> bytes:
        self._check_open()
        arrival = self._device.transmit(deadline)
        if arrival is None:
            self.clock.sleep_until(deadline)
            return b""
        self.clock.sleep_until(arrival[0])
        return arrival[1]

    def drain(self) -> bytes:
        self._check_open()
        waiting = bytearray()
        while (arrival := self._device.transmit(self.clock.now())) is not None:
            waiting += arrival[1]
        return bytes(waiting)

    def close(self) -> None:
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            raise PortError("the in-memory port is closed")
