"""Real ports: a pseudo-terminal and a socket, lost and found."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sts3215_driver.bus import Bus
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.control import ControlClient
from sts3215_driver.emulator.pty_server import PtyServer, running
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.errors import PortError
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.timing import BusTiming
from sts3215_driver.transport.serial_port import SerialTransport, wait_for_port

SETUP = Setup(joints=[Joint(1), Joint(2), Joint(3)])
#: The servos share the interpreter with the test.
PATIENT = BusTiming(latency=0.5)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PtyServer]:
    server = PtyServer(build_bus(SETUP), tmp_path / "bus", tmp_path / "control")
    with running(server) as serving:
        yield serving


def test_servos_answer_over_a_pseudo_terminal(server: PtyServer) -> None:
    bus = Bus(SerialTransport(str(server.link), 1_000_000), PATIENT)
    assert not bus.learn_echo()
    assert bus.ping(2).id == 2
    readings = bus.sync_read(56, 6, [1, 2, 3])
    assert [reading.status for reading in readings] == [Status.OK] * 3
    bus.transport.close()


def test_a_port_that_is_pulled_raises_port_errors_and_nothing_else(
    server: PtyServer, tmp_path: Path
) -> None:
    bus = Bus(SerialTransport(str(server.link), 1_000_000), PATIENT)
    bus.ping(1)
    with ControlClient(tmp_path / "control") as control:
        control.command("unplug")
    for action in (
        lambda: bus.ping(1),
        lambda: bus.sync_write(42, 2, [(1, b"\x00\x08")]),
        lambda: bus.transport.read(bus.transport.clock.now()),
        bus.transport.drain,
        lambda: bus.transport.write(b"\x00"),
    ):
        with pytest.raises(PortError, match="was lost"):
            action()
    bus.transport.close()
    bus.transport.close()


def test_a_port_that_is_held_is_refused(server: PtyServer) -> None:
    first = SerialTransport(str(server.link), 1_000_000)
    with pytest.raises(PortError, match="cannot be opened"):
        SerialTransport(str(server.link), 1_000_000)
    first.close()
    SerialTransport(str(server.link), 1_000_000).close()


def test_a_lingering_emulator_answers_until_the_host_is_silent(tmp_path: Path) -> None:
    server = PtyServer(build_bus(SETUP), tmp_path / "bus")
    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(server.serve)
        bus = Bus(SerialTransport(str(server.link), 1_000_000), PATIENT)
        bus.ping(1)
        server.stop(linger=60.0)
        assert bus.ping(2).id == 2
        bus.transport.close()
        served.result()
    assert not (tmp_path / "bus").is_symlink()


def test_a_missing_port_says_so(tmp_path: Path) -> None:
    with pytest.raises(PortError, match="cannot be opened: No such file"):
        SerialTransport(str(tmp_path / "none"), 1_000_000)
    with pytest.raises(PortError, match=r"does not exist \(serial ports found: "):
        wait_for_port(str(tmp_path / "none"), 0.0)
    with pytest.raises(PortError, match="does not exist"):
        wait_for_port(str(tmp_path / "none"), 3600.0, lambda: True)


def test_a_port_that_appears_is_waited_for(tmp_path: Path) -> None:
    link = tmp_path / "bus"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_for_port, str(link), 20.0)
        link.touch()
        waiting.result(20.0)


@contextmanager
def board_on_the_network() -> Iterator[str]:
    """A board that passes bytes between a socket and the servos; its URL."""
    servos = build_bus(SETUP)
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                while True:
                    due = servos.next_arrival()
                    wait = 1.0 if due is None else max(due - time.monotonic(), 0.0)
                    if select.select([connection], [], [], wait)[0]:
                        data = connection.recv(4096)
                        if not data:
                            return
                        servos.receive(data, time.monotonic())
                    while (arrival := servos.transmit(time.monotonic())) is not None:
                        connection.sendall(arrival[1])

        served = pool.submit(serve)
        yield f"socket://127.0.0.1:{listener.getsockname()[1]}"
        served.result(20.0)


def test_a_board_on_the_network_is_a_port_like_any_other() -> None:
    with board_on_the_network() as url:
        wait_for_port(url, 0.0)
        port = SerialTransport(url, 1_000_000)
        with closing(port):
            bus = Bus(port, PATIENT)
            assert bus.ping(3).id == 3
            assert all(r.status is Status.OK for r in bus.sync_read(56, 15, [1, 2, 3]))


def test_ports_without_a_file_descriptor_are_read_as_well() -> None:
    port = SerialTransport("loop://", 1_000_000)
    port.write(b"hello")
    assert port.read(port.clock.now() + 5.0) == b"hello"
    assert port.read(port.clock.now()) == b""
    assert port.drain() == b""
    port.close()
