"""The bus thread: what it drives, what a stop reaches, and what a lost port changes. Virtual time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from driver_bench import Bench

from sts3215_driver import bus_thread
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


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_thread, "RECONNECT_PERIOD", 0.0)


def test_a_lost_port_brings_the_torque_back() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        assert run.thread.state is State.LOST
        cable.plug_in()
        run.step()
        assert run.thread.state is State.RUNNING and run.thread.cycle == 1


def test_a_stop_while_the_port_is_lost_takes_the_torque_off_when_it_is_back() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        asking = run.ask(run.thread.stop)
        run.release()
        answer = asking.result(PATIENCE)
        assert not answer[0] and "torque goes off as soon as it is back" in answer[1]
        cable.plug_in()
        run.arrive()
        assert run.thread.state is State.FREE
        assert run.torque() == [0, 0]
        run.step(3)
        assert run.thread.state is State.FREE


def test_a_port_lost_in_the_middle_of_a_stop_does_not_save_the_torque() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        asking = run.ask(run.thread.stop)
        cable.pull()
        run.step()
        assert not asking.result(PATIENCE)[0]
        assert run.torque() == [1, 1]
        cable.plug_in()
        run.step()
        assert run.thread.state is State.FREE
        assert run.torque() == [0, 0]


def test_an_end_while_the_port_comes_back_does_not_switch_torque_on() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    seeded = []
    with stepped(bench) as run:
        cable.pull()
        run.step()
        bench.session.torque_on = lambda: seeded.append(1)  # type: ignore[method-assign]
        cable.plug_in(and_then=run.thread._ending.set)
        run.release()
        run.thread._thread.join(PATIENCE)
    assert not seeded
    assert run.torque() == [0, 0]


def test_a_request_that_was_given_up_is_not_carried_out_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(2)
    bench.session.connect()
    monkeypatch.setattr(bus_thread, "REQUEST_TIMEOUT", 0.0)
    with stepped(bench) as run:
        success, message = run.thread.set_torque(True)
        assert not success and "did not answer" in message
        run.step(3)
        assert run.torque() == [0, 0]


def test_a_stop_is_carried_out_however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(2)
    bench.start()
    monkeypatch.setattr(bus_thread, "REQUEST_TIMEOUT", 0.0)
    with stepped(bench) as run:
        assert not run.thread.stop()[0]
        run.step()
        assert run.torque() == [0, 0]
