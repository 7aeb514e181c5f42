"""Watching: values keep their age, nothing is invented, nothing is written."""

from __future__ import annotations

from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.tools.monitor import Monitor


def wait(bus, seconds):
    bus.transport.clock.sleep_until(bus.transport.clock.now() + seconds)


def test_a_silent_servo_keeps_its_last_values_with_their_age(bench, servo) -> None:
    subject = servo(1)
    bus = bench(subject, 2).bus()
    watch = Monitor(bus, [1, 2])
    watch.poll()
    subject.powered = False
    wait(bus, 1.0)
    row, other = watch.poll()
    assert row.status is Status.MISSING
    assert row.values["present_position"] == 2048 and row.age is not None and row.age >= 1.0
    assert other.status is Status.OK and other.age is not None and other.age < 0.1


def test_a_servo_that_never_answered_has_no_values(bench) -> None:
    (row,) = Monitor(bench(1).bus(), [5]).poll()
    assert (row.status, row.age, row.values) == (Status.MISSING, None, {})


def test_alarms_come_beside_values(bench, servo) -> None:
    subject = servo(1)
    subject.memory[65] = 0x24
    (row,) = Monitor(bench(subject).bus(), [1]).poll()
    assert row.flags == 0x24 and row.values["present_position"] == 2048


def test_speeds_are_in_steps_per_second_whatever_the_phase(bench, servo) -> None:
    fine, coarse = servo(1, phase=12), servo(2, phase=8)
    bus = bench(fine, coarse).bus()
    for each in (fine, coarse):
        each.set("present_speed", -3)
    watch = Monitor(bus, [1, 2])
    for _ in range(3):
        rows = watch.poll()
    assert [row.values["present_speed"] for row in rows] == [-3, -150]


def test_old_firmware_without_sync_read_is_watched_too(bench, servo) -> None:
    old = servo(1)
    old.knows_sync_read = False
    watch = Monitor(bench(old, 2).bus(), [1, 2])
    for _ in range(5):
        rows = watch.poll()
    assert [row.status for row in rows] == [Status.OK, Status.OK]


def test_nothing_but_reads_goes_onto_the_bus(bench) -> None:
    table = bench(1, 2)
    watch = Monitor(table.bus(), [1, 2, 3])
    for _ in range(10):
        watch.poll()
    assert {request[4] for request in table.requests} <= {0x01, 0x02, 0x82}
