"""Somebody else's driver on the emulator: the PyPI package feetech-servo-sdk, unmodified."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import scservo_sdk as sdk

GOAL, POSITION = 42, 56
ATTEMPTS = 20_000


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Path]:
    """Three servos in a process of their own."""
    place = tmp_path / "servos"
    command = [sys.executable, "-m", "sts3215_driver.emulator.cli", "--link", str(place)]
    with subprocess.Popen(
        [*command, "--servos", "3", "--pose", "2000"], stdout=subprocess.PIPE, text=True
    ) as emulator:
        assert emulator.stdout is not None
        assert emulator.stdout.readline().strip() == str(place)
        yield place
        emulator.send_signal(signal.SIGTERM)
        assert emulator.wait() == 0
    assert list(tmp_path.iterdir()) == []


def until(success: Callable[[], bool]) -> bool:
    """Whether it succeeds within some attempts: its time limits are short for a busy machine, and it
    trips over the part of a reply that came by then."""
    for _ in range(ATTEMPTS):
        try:
            if success():
                return True
        except IndexError:
            continue
    return False


def test_sdk_pings_reads_writes_and_moves(link: Path) -> None:
    port = sdk.PortHandler(str(link))
    packet = sdk.PacketHandler(0)
    assert port.openPort()
    assert port.setBaudRate(1_000_000)
    try:
        assert until(lambda: packet.ping(port, 1) == (777, sdk.COMM_SUCCESS, 0))
        assert until(lambda: packet.read2ByteTxRx(port, 1, POSITION) == (2000, sdk.COMM_SUCCESS, 0))
        assert until(lambda: packet.write2ByteTxRx(port, 1, GOAL, 2200) == (sdk.COMM_SUCCESS, 0))
        assert until(lambda: abs(packet.read2ByteTxRx(port, 1, POSITION)[0] - 2200) < 5)

        writer = sdk.GroupSyncWrite(port, packet, GOAL, 2)
        for servo_id in (1, 2, 3):
            assert writer.addParam(servo_id, list((1900).to_bytes(2, "little")))
        assert writer.txPacket() == sdk.COMM_SUCCESS

        reader = sdk.GroupSyncRead(port, packet, POSITION, 4)
        for servo_id in (1, 2, 3):
            assert reader.addParam(servo_id)

        def arrived() -> bool:
            return reader.txRxPacket() == sdk.COMM_SUCCESS and all(
                abs(reader.getData(servo_id, POSITION, 2) - 1900) < 5 for servo_id in (1, 2, 3)
            )

        assert until(arrived)
    finally:
        port.closePort()
