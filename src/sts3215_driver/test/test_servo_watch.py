"""Which servos are driven: silence, alarms, recovery."""

from __future__ import annotations

from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.servo_watch import Condition, ServoWatch, Task, WatchPolicy

OK, MISSING, STALE = Status.OK, Status.MISSING, Status.STALE


def watch(**policy: object) -> ServoWatch:
    return ServoWatch(2, WatchPolicy(**policy))  # type: ignore[arg-type]


def see(
    servos: ServoWatch, outcome: Status, flags: int = 0, times: int = 1, now: float = 0.0
) -> None:
    """Servo 0 is well, servo 1 as given."""
    for _ in range(times):
        servos.observe([OK, outcome], [0, flags], now)


def test_two_lost_replies_change_nothing() -> None:
    servos = watch()
    see(servos, MISSING, times=2)
    see(servos, OK)
    see(servos, MISSING, times=2)
    assert servos.drivable.tolist() == [True, True]
    assert servos.next_task() is None


def test_a_silent_servo_gets_no_goals_and_is_verified_when_it_is_back() -> None:
    servos = watch()
    see(servos, MISSING, times=3)
    assert servos.drivable.tolist() == [True, False]
    assert servos.next_task() is None
    see(servos, OK)
    assert servos.next_task() == (1, Task.VERIFY)
    servos.verified(1)
    assert servos.drivable.tolist() == [True, True]


def test_not_being_asked_is_not_silence() -> None:
    servos = watch()
    see(servos, STALE, times=100)
    assert servos.drivable.all()


def test_lost_settings_are_seeded_before_it_is_driven_again() -> None:
    servos = watch()
    see(servos, MISSING, times=3)
    see(servos, OK)
    servos.settings_lost(1)
    assert servos.next_task() == (1, Task.RESEED)
    assert not servos.drivable[1]
    servos.reseeded(1)
    assert servos.drivable.all() and servos.lost_settings == 1


def test_one_reading_with_an_alarm_trips_nothing() -> None:
    servos = watch()
    for _ in range(10):
        see(servos, OK, Flags.TEMPERATURE, times=2)
        see(servos, OK)
    assert servos.trips == 0 and servos.drivable.all()


def test_three_readings_with_an_alarm_trip() -> None:
    servos = watch()
    see(servos, OK, Flags.OVERLOAD, times=3)
    assert servos.condition(1) is Condition.TRIPPED
    assert servos.trip_flags(1) == Flags.OVERLOAD
    assert servos.next_task() == (1, Task.RELEASE)
    assert servos.drivable.tolist() == [True, False]


def test_a_voltage_alarm_is_only_reported() -> None:
    servos = watch()
    see(servos, OK, Flags.VOLTAGE, times=100)
    assert servos.trips == 0 and servos.drivable.all()


def test_alarms_are_only_reported_if_the_policy_says_so() -> None:
    servos = watch(release=False)
    see(servos, OK, Flags.OVERLOAD, times=100)
    assert servos.drivable.all()


def test_a_tripped_servo_is_recovered_on_request_but_not_too_often() -> None:
    servos = watch(recovery_period=2.0)
    see(servos, OK, Flags.OVERLOAD, times=3)
    servos.released(1)
    see(servos, OK, times=1000, now=100.0)
    assert servos.condition(1) is Condition.RELEASED
    assert servos.recover(100.0) == []
    assert servos.next_task() == (1, Task.RESEED)
    servos.reseeded(1)
    see(servos, OK, Flags.OVERLOAD, times=3, now=100.5)
    servos.released(1)
    assert servos.recover(101.0) == [1]
    assert servos.condition(1) is Condition.RELEASED
    assert servos.recover(102.5) == []


def test_a_policy_recovers_after_a_time_when_the_alarm_is_gone() -> None:
    servos = watch(recover_after=5.0)
    see(servos, OK, Flags.OVERLOAD, times=3, now=10.0)
    servos.released(1)
    see(servos, OK, Flags.OVERLOAD, now=16.0)
    assert servos.condition(1) is Condition.RELEASED
    see(servos, OK, now=14.0)
    assert servos.condition(1) is Condition.RELEASED
    see(servos, OK, now=15.1)
    assert servos.next_task() == (1, Task.RESEED)


def test_torque_on_for_all_forgets_everything() -> None:
    servos = watch()
    see(servos, MISSING, times=3)
    servos.restart()
    assert servos.drivable.all() and servos.next_task() is None
