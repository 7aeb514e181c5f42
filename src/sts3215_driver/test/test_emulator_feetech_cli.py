"""Another stranger on the emulator: the PyPI package feetech-cli, unmodified, agrees with our bus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
import serial
from feetech_cli.protocol import FeetechError, PacketHandler

from sts3215_driver.bus import Bus
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.pty_server import PtyServer, running
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.timing import BusTiming
from sts3215_driver.transport.serial_port import SerialTransport

ATTEMPTS = 50
Result = TypeVar("Result")


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Path]:
    setup = Setup(joints=[Joint(1), Joint(2), Joint(3)], pose="random", seed=4)
    with running(PtyServer(build_bus(setup), tmp_path / "bus")) as server:
        yield server.link


def patiently(action: Callable[[], Result]) -> Result:
    """Its time limits are short for a busy machine."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except FeetechError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def ours(link: Path) -> dict[int, bytes]:
    """What our own bus reads of registers 0 to 39 and 56 to 61."""
    transport = SerialTransport(str(link), 1_000_000)
    bus = Bus(transport, BusTiming(latency=0.5))
    read = {i: bus.read(i, 0, 40).data + bus.read(i, 56, 6).data for i in (1, 2, 3)}
    transport.close()
    return read


def test_it_reads_what_we_read(link: Path) -> None:
    with serial.Serial(str(link), 1_000_000, timeout=0.2) as port:
        handler = PacketHandler(port)
        for servo_id in (1, 2, 3):
            patiently(lambda servo_id=servo_id: handler.ping(servo_id))
        low = {i: bytes(patiently(lambda i=i: handler.read(i, 0, 40))) for i in (1, 2, 3)}
        fast = patiently(lambda: handler.sync_read([1, 2, 3], 56, 6))
    theirs = {i: low[i] + bytes(fast[i][1]) for i in (1, 2, 3)}
    assert theirs == ours(link)


def test_it_changes_an_id_and_writes_goals(link: Path) -> None:
    with serial.Serial(str(link), 1_000_000, timeout=0.2) as port:
        handler = PacketHandler(port)
        patiently(lambda: handler.write(2, 55, [0]))
        patiently(lambda: handler.write(2, 5, [9]))
        patiently(lambda: handler.write(9, 55, [1]))
        handler.sync_write(42, [(1, [0xD0, 0x07]), (9, [0x98, 0x08])])
        assert bytes(patiently(lambda: handler.read(1, 42, 2))) == b"\xd0\x07"
    transport = SerialTransport(str(link), 1_000_000)
    bus = Bus(transport, BusTiming(latency=0.5))
    assert sorted(bus.broadcast_ping()) == [1, 3, 9]
    assert bus.read(9, 42, 2).data == b"\x98\x08"
    assert bus.read(9, 55, 1).data == b"\x01"
    transport.close()
