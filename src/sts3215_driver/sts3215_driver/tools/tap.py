"""A transport that also remembers what was heard: garbage is evidence when one looks for faults."""

from __future__ import annotations

from sts3215_driver.transport.base import Transport

LONGEST_MEMORY = 65536


class Tap(Transport):
    """Passes everything on to `inner`."""

    def __init__(self, inner: Transport) -> None:
        self.clock = inner.clock
        self._inner = inner
        self._heard = bytearray()

    def take(self) -> bytes:
        """All bytes heard since the last call, oldest first."""
        heard = bytes(self._heard)
        self._heard.clear()
        return heard

    def write(self, data: bytes) -> None:
        self._inner.write(data)

    def read(self, deadline: float) -> bytes:
        return self._remember(self._inner.read(deadline))

    def drain(self) -> bytes:
        return self._remember(self._inner.drain())

    def close(self) -> None:
        self._inner.close()

    def _remember(self, data: bytes) -> bytes:
        self._heard += data
        del self._heard[:-LONGEST_MEMORY]
        return data
