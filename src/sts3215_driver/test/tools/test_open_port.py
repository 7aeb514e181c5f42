"""Opening ports: boot text, echo, who holds one, what to do about an error, and which port it is."""

from __future__ import annotations

import os
import tty

import pytest

from sts3215_driver.clock import VirtualClock
from sts3215_driver.errors import PortError
from sts3215_driver.tools import latency_timer, open_port
from sts3215_driver.tools.find_port import find_port, only_port
from sts3215_driver.tools.open_port import explain, open_bus, open_transport
from sts3215_driver.tools.port_holder import holder
from sts3215_driver.transport.boot_text import LONGEST, drain_boot_text
from sts3215_driver.transport.memory import MemoryTransport


class Talker:
    """Says things by itself."""

    def __init__(self, sayings):
        self.sayings = list(sayings)

    def receive(self, data, now):
        pass

    def transmit(self, until):
        if self.sayings and self.sayings[0][0] <= until:
            return self.sayings.pop(0)
        return None


def drained(sayings):
    transport = MemoryTransport(Talker(sayings), VirtualClock())
    return drain_boot_text(transport), transport.clock.now()


def test_a_quiet_line_costs_little() -> None:
    text, took = drained([])
    assert text == b"" and took <= 0.2


@pytest.mark.parametrize("length", [0.5, 1.0, 2.0])
def test_boot_text_is_drained_to_its_end(length) -> None:
    """An ESP32 that restarts on opening prints for 0.5 to 2 s, with pauses."""
    times = [0.08 + 0.3 * n for n in range(int(length / 0.3) + 1)]
    text, took = drained([(time, b"boot ") for time in times])
    assert text == b"boot " * len(times)
    assert times[-1] < took < times[-1] + 0.5


def test_a_board_that_never_stops_does_not_hold_the_tool_up() -> None:
    _, took = drained([(0.05 * n, b"x") for n in range(1000)])
    assert took <= LONGEST + 0.001


def test_boot_text_is_no_answer(bench) -> None:
    """Field report: bytes before the header give wrong values."""
    table = bench(1)
    table.boot_text = [(0.1 * n, b"\xff\xff\x01\x04\x00\x00\x04\xf6") for n in range(9)]
    bus = open_bus("fake", 1_000_000, opener=lambda port, baud: table.open(baud))
    assert bus.read(1, 56, 2).data == (2048).to_bytes(2, "little")
    assert not bus.timing.echo


def test_an_echo_is_learned_though_its_first_trace_is_lost(bench) -> None:
    table = bench(1)
    table.echo = True
    lost = iter([True])
    send = table._send
    table._send = lambda when, data: None if next(lost, False) else send(when, data)
    bus = open_bus("fake", 1_000_000, opener=lambda port, baud: table.open(baud))
    assert bus.timing.echo
    assert bus.ping(1).flags == 0


def test_the_port_is_closed_when_the_line_is_lost_while_opening(bench) -> None:
    transport = bench(1).open()
    transport.drain = lambda: (_ for _ in ()).throw(PortError("lost"))
    with pytest.raises(PortError):
        open_bus("fake", 1_000_000, opener=lambda port, baud: transport)
    assert not transport._open


@pytest.fixture
def pty():
    master, slave = os.openpty()
    tty.setraw(slave)
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_port_that_the_driver_holds_is_said_to_be_in_use(pty) -> None:
    first = open_transport(pty, 1_000_000)
    with pytest.raises(PortError, match=r"is in use by .*the driver node holds its port"):
        open_transport(pty, 1_000_000)
    first.close()
    open_transport(pty, 1_000_000).close()


def test_who_holds_a_port_is_named(tmp_path) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    inode = port.stat().st_ino
    (tmp_path / "locks").write_text(
        f"1: POSIX  ADVISORY  WRITE 11 00:1a:{inode} 0 EOF\n"
        f"2: FLOCK  ADVISORY  WRITE 4711 00:1a:{inode} 0 EOF\n"
    )
    (tmp_path / "4711").mkdir()
    (tmp_path / "4711" / "comm").write_text("sts3215_driver\n")
    assert holder(str(port), tmp_path) == "sts3215_driver, process 4711"
    (tmp_path / "locks").write_text("garbage\n")
    assert holder(str(port), tmp_path) == ""


@pytest.mark.parametrize(
    ("number", "advice"),
    [(13, "usermod -aG dialout"), (2, "serial ports found"), (16, "is in use")],
    ids=["permission", "absent", "busy"],
)
def test_every_reason_comes_with_what_to_do(number, advice) -> None:
    error = PortError("port /dev/ttyX cannot be opened: reason")
    error.__cause__ = OSError(number, os.strerror(number))
    assert advice in str(explain(error, "/dev/ttyX"))


def test_an_absent_port_lists_those_that_exist(tmp_path) -> None:
    with pytest.raises(PortError, match="No such file or directory; serial ports found"):
        open_transport(str(tmp_path / "ttyUSB9"), 1_000_000)


def test_ftdi_latency_timer_is_found_and_said(tmp_path) -> None:
    """Field report: 16 ms per read on FTDI."""
    (tmp_path / "ttyUSB0").mkdir()
    (tmp_path / "ttyUSB0" / "latency_timer").write_text("16\n")
    assert latency_timer.latency_timer("/dev/ttyUSB0", tmp_path) == 16
    text = latency_timer.remark("/dev/ttyUSB0", tmp_path)
    assert "16 ms" in text and f"echo 1 | sudo tee {tmp_path}/ttyUSB0/latency_timer" in text


@pytest.mark.parametrize("content", ["1\n", "", "x"])
def test_a_good_or_unreadable_timer_is_no_remark(tmp_path, content) -> None:
    (tmp_path / "ttyUSB0").mkdir()
    (tmp_path / "ttyUSB0" / "latency_timer").write_text(content)
    assert latency_timer.remark("/dev/ttyUSB0", tmp_path) == ""


@pytest.mark.parametrize("port", ["/dev/ttyACM0", "socket://robot:2217", "/dev/pts/3"])
def test_ports_without_a_timer(tmp_path, port) -> None:
    assert latency_timer.latency_timer(port, tmp_path) is None


def test_links_to_a_port_lead_to_its_timer(tmp_path) -> None:
    (tmp_path / "ttyUSB0").mkdir()
    (tmp_path / "ttyUSB0" / "latency_timer").write_text("16")
    device, link = tmp_path / "dev" / "ttyUSB0", tmp_path / "by-id"
    device.parent.mkdir()
    device.touch()
    link.symlink_to(device)
    assert latency_timer.latency_timer(str(link), tmp_path) == 16


def ports(**benches):
    def opener(port, baud):
        if port not in benches:
            raise PortError(f"port {port} cannot be opened: busy")
        return benches[port].open(baud)

    return opener


def test_two_equal_adapters_are_told_apart_by_their_ids(bench) -> None:
    """Field report: two equal adapters change places after reboot."""
    arm, legs = bench(1, 2), bench(1, 2, 3)
    for benches in ({"a": arm, "b": legs}, {"b": arm, "a": legs}):
        port = find_port([1, 2, 3], ["a", "b"], opener=ports(**benches))
        assert benches[port] is legs


def test_ids_on_two_ports_are_ambiguous(bench) -> None:
    with pytest.raises(PortError, match="answer on several ports: a, b"):
        find_port([1], ["a", "b"], opener=ports(a=bench(1), b=bench(1, 2)))


def test_what_was_found_on_each_port_is_said(bench) -> None:
    opener = ports(a=bench(1, 2), b=bench(9))
    with pytest.raises(PortError, match="a: without 3; b: no servo of these; port c cannot"):
        find_port([1, 2, 3], ["a", "b", "c"], opener=opener)


def test_finding_a_port_writes_nothing_and_closes_it(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)
    assert find_port([1], ["a"], opener=ports(a=table)) == "a"
    assert subject.written == []


def test_the_only_port_needs_no_name() -> None:
    assert only_port(["/dev/ttyUSB3"]) == "/dev/ttyUSB3"
    with pytest.raises(PortError, match="no USB serial port"):
        only_port([])


def test_a_patient_bus_outwaits_a_latency_timer_of_16_ms(bench) -> None:
    table = bench(1)
    send = table._send
    table._send = lambda when, data: send(when + 0.016, data)
    bus = open_port.make_bus(table.open(), 1_000_000)
    assert bus.read(1, 56, 2).data == (2048).to_bytes(2, "little")
