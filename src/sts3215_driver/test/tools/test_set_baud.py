"""Changing a rate: the ack comes at the old rate, verification and lock at the new one."""

from __future__ import annotations

import pytest

from stride_base.errors import RefusedError
from sts3215_driver.errors import BusError
from sts3215_driver.tools.set_baud import set_baud

LOCK, BAUD = 55, 6


class Crash(Exception):
    """The computer stops."""


def test_the_new_rate_is_kept_and_the_memory_locked_at_it(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject, 2)
    change = set_baud(table.bus, 1, 1_000_000, 115_200)
    assert (change.before, change.after, change.resumed) == (1_000_000, 115_200, False)
    assert subject.kept("baud_code") == 4
    assert subject.get("lock") == 1
    assert subject.written == [(LOCK, b"\x00"), (BAUD, b"\x04"), (LOCK, b"\x01")]
    assert table.servos[1].written == []


def test_code_5_is_76800(bench, servo) -> None:
    subject = servo(1)
    set_baud(bench(subject).bus, 1, 1_000_000, 76_800)
    assert subject.kept("baud_code") == 5


def test_a_servo_that_acknowledges_nothing_is_changed_as_well(bench, servo) -> None:
    subject = servo(1, response_level=0)
    set_baud(bench(subject).bus, 1, 1_000_000, 500_000)
    assert subject.kept("baud_code") == 1 and subject.get("lock") == 1


def test_a_rate_that_the_adapter_refuses_changes_nothing(bench, servo) -> None:
    """Field report: termios error at a rate; here the servo would be lost."""
    subject = servo(1)
    table = bench(subject)
    table.refused = {250_000}
    with pytest.raises(RefusedError, match="nothing was changed: the port does not work at 250000"):
        set_baud(table.bus, 1, 1_000_000, 250_000)
    assert subject.written == []


def test_a_rate_that_servos_do_not_have_is_refused(bench) -> None:
    with pytest.raises(RefusedError, match="expected one of 1000000, 500000"):
        set_baud(bench(1).bus, 1, 1_000_000, 9600)


def test_another_servo_of_this_id_at_the_new_rate_is_noticed(bench, servo) -> None:
    one, other = servo(1), servo(1, baud_code=1)
    with pytest.raises(RefusedError, match="another servo 1 answers at 500000"):
        set_baud(bench(one, other).bus, 1, 1_000_000, 500_000)
    assert one.written == other.written == []


def test_two_servos_with_one_id_are_refused(bench, servo) -> None:
    one, other = servo(1), servo(1)
    other.raw = 77
    with pytest.raises(RefusedError, match="looks like two servos"):
        set_baud(bench(one, other).bus, 1, 1_000_000, 500_000)


def test_behind_a_board_that_converts_the_rate_it_is_refused(bench, servo) -> None:
    """An ESP32 at 115200 with servos at 1 Mbit/s would not find the servo again."""
    table = bench(servo(1))
    table.servo_side = 1_000_000
    with pytest.raises(RefusedError, match="board in between"):
        set_baud(_behind_board(table), 1, 115_200, 500_000)
    assert table.servos[0].written == []


def _behind_board(table):
    def open_bus(baud):
        # The board's own link is deaf at any other rate.
        table.servo_side = 1_000_000 if baud == 115_200 else 1
        return table.bus(baud)

    return open_bus


@pytest.mark.parametrize("survived", range(6))
def test_after_a_crash_at_any_request_the_same_command_finishes_it(bench, servo, survived) -> None:
    subject = servo(1)
    table = bench(subject)
    seen: list[bytes] = []

    def stop(request: bytes) -> None:
        if seen or request[4] == 3:
            if len(seen) == survived:
                raise Crash
            seen.append(request)

    table.on_request = stop
    with pytest.raises(Crash):
        set_baud(table.bus, 1, 1_000_000, 500_000)
    table.on_request = lambda request: None
    resumed = subject.get("baud_code") == 1
    assert set_baud(table.bus, 1, 1_000_000, 500_000).resumed == resumed
    assert subject.kept("baud_code") == 1
    assert subject.get("lock") == 1


def test_done_before_is_said(bench, servo) -> None:
    with pytest.raises(RefusedError, match="at 500000 with its memory closed"):
        set_baud(bench(servo(1, baud_code=1)).bus, 1, 1_000_000, 500_000)


def test_a_missing_servo_is_named(bench) -> None:
    with pytest.raises(RefusedError, match="servo 9 does not answer at 1000000"):
        set_baud(bench(1).bus, 9, 1_000_000, 500_000)


def test_a_servo_that_falls_silent_is_said_with_its_state(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)

    def unplug(request: bytes) -> None:
        if request[4] == 3 and request[5] == BAUD:
            subject.powered = False

    table.on_request = unplug
    with pytest.raises(BusError, match="neither at 1000000 nor at 500000"):
        set_baud(table.bus, 1, 1_000_000, 500_000)


def test_every_port_is_closed_again(bench) -> None:
    table = bench(1)
    buses = []

    def open_bus(baud):
        assert all(not bus.transport._open for bus in buses)
        buses.append(table.bus(baud))
        return buses[-1]

    set_baud(open_bus, 1, 1_000_000, 500_000)
    assert all(not bus.transport._open for bus in buses)
