"""The bus thread: what it drives, what a stop reaches, and what a lost port changes. Virtual time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from driver_bench import Bench

from sts3215_driver.bus_thread import BusThread, State
from sts3215_driver.errors import PortError
from sts3215_driver.transport.memory import MemoryTransport

#: Longest wait for a thread that has something to do, s.
PATIENCE = 20.0


class Stepped:
    """A bus thread that waits behind each of its news until it is told to go on."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._go, self._arrived = threading.Semaphore(0), threading.Semaphore(0)
        self.thread = BusThread(bench.session, self._pause)

    def _pause(self) -> None:
        self._arrived.release()
        self._go.acquire(timeout=PATIENCE)

    def start(self) -> None:
        """Up to the first news."""
        self.thread.start()
        assert self._arrived.acquire(timeout=PATIENCE)

    def step(self, count: int = 1) -> None:
        """Go on to the next news."""
        for _ in range(count):
            self._go.release()
            assert self._arrived.acquire(timeout=PATIENCE)

    def ask(self, request: Callable[[], tuple[bool, str]], steps: int = 1) -> tuple[bool, str]:
        """Make a request as another thread would, and go on while it waits."""
        answers: list[tuple[bool, str]] = []
        asking = threading.Thread(target=lambda: answers.append(request()))
        known = len(self.thread._requests)
        asking.start()
        while len(self.thread._requests) == known and not answers:
            asking.join(0.001)
        self.step(steps)
        asking.join(PATIENCE)
        return answers[0]

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
        self._bench, self._plugged = bench, True
        bench.session._open_port = self._open  # type: ignore[method-assign]

    def _open(self) -> MemoryTransport:
        bench = self._bench
        if not self._plugged:
            raise PortError("port lost for the test")
        bench.transport = MemoryTransport(bench.device, bench.transport.clock)
        return bench.transport

    def pull(self) -> None:
        self._plugged = False
        self._bench.transport.close()

    def plug_in(self) -> None:
        self._plugged = True


def test_without_torque_at_the_start_no_goal_is_written() -> None:
    bench = Bench(2)
    bench.session.connect()
    with stepped(bench) as run:
        assert run.thread.state is State.FREE
        bench.aim(position=0.3)
        run.thread.goals = bench.goals
        run.step(5)
        assert run.torque() == [0, 0]
        assert not run.thread.ticks
