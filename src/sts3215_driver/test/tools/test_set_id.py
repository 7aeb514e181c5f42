"""Changing an id: kept, locked at the new id, and recoverable wherever it is interrupted."""

from __future__ import annotations

import pytest

from stride_base.errors import RefusedError
from sts3215_driver.errors import BusError, PortError
from sts3215_driver.tools.set_id import set_id

LOCK, ID = 55, 5


@pytest.mark.parametrize("ack_with_new_id", [False, True], ids=["old id", "new id"])
def test_the_new_id_is_kept_at_power_off_whichever_id_the_ack_carries(
    bench, servo, ack_with_new_id
) -> None:
    subject = servo(1)
    subject.ack_with_new_id = ack_with_new_id
    change = set_id(bench(subject, 2).bus(), 1, 7)
    assert (change.old, change.new, change.resumed) == (1, 7, False)
    assert subject.get("id") == subject.kept("id") == 7


def test_the_memory_is_locked_again_at_the_new_id(bench, servo) -> None:
    """Field report: id change lost after power cycle; or the lock stays open."""
    subject = servo(1)
    set_id(bench(subject).bus(), 1, 7)
    assert subject.get("lock") == 1
    assert subject.written[-1] == (LOCK, b"\x01")
    assert [address for address, _ in subject.written] == [LOCK, ID, LOCK]


def test_a_servo_that_acknowledges_nothing_is_changed_as_well(bench, servo) -> None:
    subject = servo(1, response_level=0)
    set_id(bench(subject).bus(), 1, 7)
    assert subject.kept("id") == 7
    assert subject.get("lock") == 1


def test_noise_on_the_line_does_not_end_it(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)
    table.mangle = lambda reply, number: None if number % 7 == 0 else reply
    set_id(table.bus(), 1, 7)
    assert subject.kept("id") == 7 and subject.get("lock") == 1


def test_an_id_that_is_taken_is_refused(bench, servo) -> None:
    subject = servo(1)
    with pytest.raises(RefusedError, match="id 2 is taken"):
        set_id(bench(subject, 2).bus(), 1, 2)
    assert subject.written == []


def test_a_taken_id_is_seen_though_two_servos_shout_there(bench, servo) -> None:
    one, other = servo(2), servo(2, model_number=1234)
    with pytest.raises(RefusedError, match="id 2 is taken"):
        set_id(bench(1, one, other).bus(), 1, 2)


def test_two_servos_with_the_old_id_are_refused(bench, servo) -> None:
    one, other = servo(1), servo(1)
    other.raw = 900
    with pytest.raises(RefusedError, match="id 1 looks like two servos"):
        set_id(bench(one, other).bus(), 1, 7)
    assert one.written == other.written == []


@pytest.mark.parametrize("new", [-1, 254, 255, 1000])
def test_what_is_no_id_is_refused(bench, new) -> None:
    with pytest.raises(RefusedError, match="expected 0 to 253"):
        set_id(bench(1).bus(), 1, new)


def test_the_same_id_is_refused(bench) -> None:
    with pytest.raises(RefusedError, match="already"):
        set_id(bench(1).bus(), 1, 1)


def test_a_missing_servo_is_named(bench) -> None:
    with pytest.raises(RefusedError, match="servo 5 does not answer"):
        set_id(bench(1).bus(), 5, 6)


class Crash(Exception):
    """The computer stops."""


@pytest.mark.parametrize("survived", range(7))
def test_after_a_crash_at_any_request_the_same_command_finishes_it(bench, servo, survived) -> None:
    """The computer stops when so many requests are done, counted from the first write."""
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
        set_id(table.bus(), 1, 7)
    table.on_request = lambda request: None
    if subject.get("id") == 1:
        assert not set_id(table.bus(), 1, 7).resumed
    elif subject.get("lock") == 0:
        assert set_id(table.bus(), 1, 7).resumed
    else:
        with pytest.raises(RefusedError, match="changed before"):
            set_id(table.bus(), 1, 7)
    assert subject.kept("id") == 7
    assert subject.get("lock") == 1


def test_a_crash_behind_the_write_is_found_and_finished(bench, servo) -> None:
    """The id is written, the memory still open."""
    subject = servo(7)
    subject.set("lock", 0)
    assert set_id(bench(subject).bus(), 1, 7).resumed
    assert subject.get("lock") == 1
    assert subject.kept("id") == 7


def test_power_lost_behind_the_write_says_that_it_was_changed_before(bench) -> None:
    with pytest.raises(RefusedError, match="servo 7 is there with its memory closed"):
        set_id(bench(7).bus(), 1, 7)


def test_a_servo_that_does_not_take_the_id_is_locked_again(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)

    def spoil(request: bytes) -> None:
        if request[4] == 3 and request[5] == ID:
            subject.set("lock", 1)
            subject.drops_locked_writes = True

    table.on_request = spoil
    with pytest.raises(BusError, match="still 1, its memory closed"):
        set_id(table.bus(), 1, 7)
    assert subject.get("lock") == 1


def test_a_servo_that_falls_silent_is_said_with_its_state(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)

    def unplug(request: bytes) -> None:
        if request[4] == 3 and request[5] == ID:
            subject.powered = False

    table.on_request = unplug
    with pytest.raises(BusError, match=r"neither at 1 nor at 7.*cut its power"):
        set_id(table.bus(), 1, 7)


def test_a_lost_port_ends_it(bench) -> None:
    table = bench(1)
    bus = table.bus()
    bus.transport.close()
    with pytest.raises(PortError):
        set_id(bus, 1, 7)
