"""EEPROM is written only while the memory is open, and it is closed again whatever happens."""

from __future__ import annotations

import pytest

from sts3215_driver.errors import BusError
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.memory_lock import open_memory
from sts3215_driver.tools.servo_facts import read_facts
from sts3215_driver.tools.settings import differences, write_settings


def change(bus, servo_id, **wanted):
    facts = read_facts(bus, servo_id)
    changes = differences(facts, wanted)
    write_settings(bus, facts, changes)
    return changes


def test_a_setting_outlasts_the_power(bench, servo) -> None:
    subject = servo(1)
    change(bench(subject).bus(), 1, max_temperature=65)
    subject.power_cycle()
    assert subject.get("max_temperature") == 65


def test_what_is_equal_is_not_written(bench, servo) -> None:
    subject = servo(1)
    assert change(bench(subject).bus(), 1, max_temperature=70, p_gain=32) == ()
    assert subject.written == []


def test_a_memory_that_was_left_open_is_closed_all_the_same(bench, servo) -> None:
    subject = servo(1)
    subject.set("lock", 0)
    change(bench(subject).bus(), 1, max_temperature=70)
    assert subject.get("lock") == 1


def test_only_the_registers_themselves_are_written(bench, servo) -> None:
    subject = servo(1)
    change(bench(subject).bus(), 1, min_angle_limit=-100, p_gain=20)
    assert subject.written == [
        (55, b"\x00"), (9, b"\x64\x80"), (21, b"\x14"), (55, b"\x01"),
    ]  # fmt: skip


def test_a_lost_acknowledgement_is_no_failure(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)
    bus = table.bus()
    table.mangle = lambda reply, number: None if len(reply) == 6 and number % 2 else reply
    change(bus, 1, max_temperature=65)
    assert subject.kept("max_temperature") == 65 and subject.get("lock") == 1


def test_a_value_that_does_not_hold_is_said_and_the_memory_closed(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject)
    bus = table.bus()
    table.on_request = lambda request: subject.set("max_temperature", 70)
    with pytest.raises(VerifyError, match="did not take max_temperature = 65 degC; it reads 70"):
        change(bus, 1, max_temperature=65)
    assert subject.get("lock") == 1


def test_the_memory_is_closed_when_something_fails_in_between(bench, servo) -> None:
    subject = servo(1)
    bus = bench(subject).bus()
    with pytest.raises(KeyboardInterrupt), open_memory(bus, 1):
        raise KeyboardInterrupt
    assert subject.get("lock") == 1


def test_a_memory_that_cannot_be_closed_is_said(bench, servo) -> None:
    subject = servo(1)
    bus = bench(subject).bus()
    with pytest.raises(BusError, match="memory of servo 1 may still be open"), open_memory(bus, 1):
        subject.powered = False
        bus.read_register(1, BY_NAME["id"])


def test_response_level_0_is_written_last_and_verified(bench, servo) -> None:
    subject = servo(1)
    bus = bench(subject).bus()
    changes = change(bus, 1, response_level=0, p_gain=20)
    assert [c.register.name for c in changes] == ["p_gain", "response_level"]
    assert subject.kept("response_level") == 0 and subject.get("lock") == 1
    change(bus, 1, response_level=1)
    assert subject.kept("response_level") == 1 and bus.unacknowledged == set()


@pytest.mark.parametrize("name", ["id", "baud_code", "goal_position", "present_position"])
def test_what_is_no_setting_is_no_difference(bench, name) -> None:
    with pytest.raises(ValueError, match="no setting"):
        differences(read_facts(bench(1).bus(), 1), {name: 1})
