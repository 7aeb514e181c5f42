"""One servo or two at an id, and who is there at all."""

from __future__ import annotations

import pytest

from sts3215_driver.tools.examine import Knock, examine, knock


def test_who_is_there(bench) -> None:
    bus = bench(1).bus()
    assert knock(bus, 1) is Knock.ANSWERS
    assert knock(bus, 2) is Knock.SILENT


def test_a_healthy_servo_is_one(bench) -> None:
    result = examine(bench(1, 2).bus(), 1)
    assert not result.looks_double and result.evidence == ""


def test_a_servo_with_an_alarm_is_one(bench, servo) -> None:
    subject = servo(1)
    subject.memory[65] = 0x21
    assert not examine(bench(subject).bus(), 1).looks_double


def test_a_moving_servo_is_one(bench, servo) -> None:
    subject = servo(1)
    subject.motion = lambda now: 900 * (now - 100)
    subject.set("present_speed", 900)
    assert not examine(bench(subject).bus(), 1).looks_double


def test_garbled_answers_show_two(bench, servo) -> None:
    one, other = servo(1), servo(1)
    one.raw, other.raw = 100, 3000
    result = examine(bench(one, other).bus(), 1)
    assert result.looks_double
    assert "answers are garbled" in result.evidence


@pytest.mark.parametrize("rhythm", [(0, 1), (0, 0, 1), (0, 1, 1, 0, 0)])
def test_settings_that_change_from_read_to_read_show_two(bench, servo, rhythm) -> None:
    subject = servo(1)
    table = bench(subject)
    bus = table.bus()
    turn = iter(rhythm * 100)

    def swap(request: bytes) -> None:
        if request[5] == 0:
            subject.set("p_gain", (32, 16)[next(turn)])

    table.on_request = swap
    result = examine(bus, 1)
    assert result.looks_double
    assert "p_gain changes from read to read" in result.evidence


def test_a_position_that_leaps_at_rest_shows_two(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)
    bus = table.bus()
    turn = iter([0, 1] * 100)

    def swap(request: bytes) -> None:
        if request[5] == 56:
            subject.raw = (500, 2500)[next(turn)]

    table.on_request = swap
    assert examine(bus, 1).alternating


def test_one_corrupt_packet_in_a_hundred_shows_nothing(bench) -> None:
    table = bench(1)
    table.mangle = lambda reply, number: (
        reply[:-1] + bytes([reply[-1] ^ 1]) if number % 5 == 0 else reply
    )
    assert not examine(table.bus(), 1).looks_double


def test_two_stray_bytes_before_each_answer_are_no_second_servo(bench) -> None:
    table = bench(1)
    table.mangle = lambda reply, number: b"\x00\xff" + reply
    assert not examine(table.bus(), 1).looks_double


def test_two_whole_answers_to_one_question_show_two(bench) -> None:
    table = bench(1)
    table.mangle = lambda reply, number: reply + reply
    assert examine(table.bus(), 1).looks_double


def test_an_adapter_that_echoes_changes_nothing(bench, servo) -> None:
    """The reply to PING with the voltage alarm is byte for byte the PING."""
    table = bench(servo(1))
    table.echo = True
    bus = table.bus()
    assert knock(bus, 1) is Knock.ANSWERS
    assert knock(bus, 2) is Knock.SILENT
    assert not examine(bus, 1).looks_double
