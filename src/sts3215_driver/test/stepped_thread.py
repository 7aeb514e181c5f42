"""A bus thread that tests step news by news, on virtual time, and a cable that they can pull."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from driver_bench import Bench

from sts3215_driver.bus_thread import BusThread
from sts3215_driver.errors import PortError
from sts3215_driver.transport.memory import MemoryTransport

#: Longest wait for a thread that has something to do, s.
PATIENCE = 20.0


class Stepped:
    """A bus thread that waits behind each of its news until it is told to go on."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._go, self._arrived = threading.Semaphore(0), threading.Semaphore(0)
        self._pool = ThreadPoolExecutor(1)
        self.thread = BusThread(bench.session, self._pause)

    def _pause(self) -> None:
        self._arrived.release()
        self._go.acquire(timeout=PATIENCE)

    def start(self) -> None:
        """Up to the first news."""
        self.thread.start()
        self.arrive()

    def release(self) -> None:
        """Go on."""
        self._go.release()

    def arrive(self) -> None:
        """Wait for the next news."""
        assert self._arrived.acquire(timeout=PATIENCE)

    def step(self, count: int = 1) -> None:
        """Go on to the next news."""
        for _ in range(count):
            self.release()
            self.arrive()

    def ask(self, request: Callable[[], tuple[bool, str]]) -> Future[tuple[bool, str]]:
        """Make a request as another thread would; it is in the queue when this returns."""
        queued = threading.Event()

        class Queue(deque[object]):
            def append(self, item: object) -> None:
                super().append(item)
                queued.set()

        self.thread._requests = Queue(self.thread._requests)  # type: ignore[assignment]
        future = self._pool.submit(request)
        assert queued.wait(PATIENCE)
        return future

    def torque(self) -> list[int]:
        return [self.bench.register(i, "torque_enable") for i in self.bench.table.ids]


@contextmanager
def stepped(bench: Bench) -> Iterator[Stepped]:
    """A thread that has run its first cycle; it ends with the block."""
    run = Stepped(bench)
    run.start()
    try:
        yield run
    finally:
        run.thread._ending.set()
        run._go.release(1000)
        assert run.thread.close(PATIENCE)


class Cable:
    """Unplugs a bench: its port is lost at the next write, and cannot be opened until `plug_in`."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.plug_in()
        bench.session._open_port = self._open  # type: ignore[method-assign]

    def _open(self) -> MemoryTransport:
        bench = self._bench
        if not self._plugged:
            raise PortError("port lost for the test")
        self._and_then()
        bench.transport = MemoryTransport(bench.device, bench.transport.clock)
        return bench.transport

    def pull(self) -> None:
        self._plugged = False
        self._bench.transport.close()

    def plug_in(self, and_then: Callable[[], object] = lambda: None) -> None:
        self._plugged, self._and_then = True, and_then
