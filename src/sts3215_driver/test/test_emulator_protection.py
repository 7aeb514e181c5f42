"""How emulated servos guard themselves (bus specification 3.10 to 3.13 and 1.3)."""

import pytest

from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.flags import Flags

BLOCKED = ("1:friction=50",)


def flags(bench: Bench) -> Flags:
    status = bench.ask(packets.ping(1))
    assert status is not None
    return status.flags


def test_7_volt_servo_on_12_volt_shows_the_voltage_flag_and_works_all_the_same() -> None:
    bench = Bench(setup=Setup(voltage=12.0))
    bench.wait(0.2)
    status = bench.ask(packets.read(1, 62, 1))
    assert status is not None
    assert (status.flags, status.data) == (Flags.VOLTAGE, bytes((120,)))
    bench.set(1, "goal_position", 2300)
    bench.wait(1.0)
    assert abs(bench.get(1, "present_position") - 2300) < 4
    assert bench.get(1, "servo_status") == Flags.VOLTAGE


def test_voltage_flag_comes_and_goes_with_the_voltage() -> None:
    bench = Bench()
    for volts, expected in ((3.8, Flags.VOLTAGE), (7.4, Flags.NONE), (8.5, Flags.VOLTAGE)):
        bench.do(f"supply {volts}")
        bench.wait(0.2)
        assert flags(bench) == expected


def test_voltage_stops_the_drive_only_where_register_19_says_so() -> None:
    bench = Bench(setup=Setup(voltage=8.5, settings=("all:unload_condition=1",)))
    bench.wait(0.2)
    bench.set(1, "goal_position", 2300)
    bench.wait(1.0)
    assert bench.get(1, "present_position") == 2048
    assert bench.get(1, "torque_enable") == 1


def test_heat_stops_the_drive_and_5_degrees_below_the_limit_it_comes_back() -> None:
    bench = Bench(setup=Setup(loads=("1:torque=0.3",)))
    bench.set(1, "goal_position", 2048)
    bench.wait(0.5)
    bench.do("temperature 1 75")
    bench.wait(0.03)
    assert flags(bench) == Flags.NONE
    bench.wait(0.1)
    assert flags(bench) == Flags.TEMPERATURE
    assert bench.get(1, "present_load") == 0
    bench.do("temperature 1 66")
    bench.wait(0.1)
    assert flags(bench) == Flags.TEMPERATURE
    bench.do("temperature 1 64")
    bench.wait(0.1)
    assert flags(bench) == Flags.NONE
    bench.wait(1.0)
    assert bench.get(1, "present_load") < -50


def test_a_pushing_motor_gets_hot() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED, settings=("all:unload_condition=0",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(20.0)
    warm = bench.get(1, "present_temperature")
    assert 30 < warm < 45
    bench.set(1, "torque_enable", 0)
    bench.wait(60.0)
    assert 25 < bench.get(1, "present_temperature") < warm


def test_overload_weakens_the_drive_after_2_seconds() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED))
    bench.set(1, "goal_position", 3000)
    bench.wait(1.95)
    assert (flags(bench), bench.get(1, "present_load")) == (Flags.NONE, 970)
    bench.wait(0.1)
    assert (flags(bench), bench.get(1, "present_load")) == (Flags.OVERLOAD, 200)
    status = bench.ask(packets.read(1, 56, 2))
    assert status is not None
    assert (status.flags, status.data) == (Flags.OVERLOAD, b"\x00\x08")


def test_overload_that_register_19_leaves_out_shows_and_does_nothing() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED, settings=("all:unload_condition=0",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(2.5)
    assert (flags(bench), bench.get(1, "present_load")) == (Flags.OVERLOAD, 970)


@pytest.mark.parametrize("settings", ["protection_time=50", "overload_torque=98", "max_torque=790"])
def test_overload_follows_its_registers(settings: str) -> None:
    bench = Bench(setup=Setup(loads=BLOCKED, settings=(f"all:{settings}",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(0.6)
    assert (flags(bench) == Flags.OVERLOAD) == ("time" in settings)
    bench.wait(3.0)
    assert (flags(bench) == Flags.OVERLOAD) == ("time" in settings)


def test_a_servo_that_moves_is_not_overloaded() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=2",)))
    bench.set(1, "goal_pwm", 970)
    bench.wait(4.0)
    assert flags(bench) == Flags.NONE


@pytest.mark.parametrize(
    "easing",
    [
        ("goal_position", 2048),
        ("goal_position", 1000),
        ("goal_position", 3100),
        ("torque_enable", 0),
        ("torque_enable", 1),
    ],
)
def test_overload_clears_with_a_new_goal_or_torque(easing: tuple[str, int]) -> None:
    bench = Bench(setup=Setup(loads=BLOCKED))
    bench.set(1, "goal_position", 3000)
    bench.wait(2.5)
    assert flags(bench) == Flags.OVERLOAD
    bench.set(1, *easing)
    bench.wait(0.05)
    assert flags(bench) == Flags.NONE


def test_writing_the_same_goal_again_does_not_clear_an_overload() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED))
    for _ in range(60):
        bench.set(1, "goal_position", 3000)
        bench.wait(0.05)
    assert flags(bench) == Flags.OVERLOAD


def test_latched_overload_only_clears_with_torque_or_power() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED, firmware="overload=latched"))
    bench.set(1, "goal_position", 3000)
    bench.wait(2.5)
    bench.set(1, "goal_position", 2048)
    bench.wait(0.5)
    assert flags(bench) == Flags.OVERLOAD
    bench.set(1, "torque_enable", 0)
    bench.wait(0.05)
    assert flags(bench) == Flags.NONE


def test_over_current_switches_torque_off_until_somebody_switches_it_on() -> None:
    settings = "all:protection_current=200,over_current_time=50,overload_torque=100"
    bench = Bench(setup=Setup(loads=BLOCKED, settings=(settings,)))
    bench.set(1, "goal_position", 3000)
    bench.wait(0.45)
    assert flags(bench) == Flags.NONE
    assert bench.get(1, "present_current") > 400
    bench.wait(0.15)
    assert flags(bench) == Flags.CURRENT
    assert bench.get(1, "torque_enable") == 0
    bench.wait(1.0)
    assert bench.get(1, "present_load") == 0
    assert flags(bench) == Flags.CURRENT
    bench.set(1, "goal_position", 2048)
    bench.wait(0.05)
    assert flags(bench) == Flags.NONE


def test_over_current_without_register_19_shows_and_goes_on() -> None:
    settings = "all:protection_current=200,over_current_time=50,unload_condition=0"
    bench = Bench(setup=Setup(loads=BLOCKED, settings=(settings,)))
    bench.set(1, "goal_position", 3000)
    bench.wait(0.7)
    assert flags(bench) == Flags.CURRENT
    assert bench.get(1, "torque_enable") == 1


def test_alarms_can_be_forced_and_come_with_the_data() -> None:
    bench = Bench()
    bench.do("alarm 1 sensor overload 0x80")
    status = bench.ask(packets.read(1, 56, 2))
    assert status is not None
    assert status.flags == Flags.SENSOR | Flags.OVERLOAD | Flags.UNKNOWN_BIT7
    assert status.data == b"\x00\x08"
    bench.do("alarm 1 none")
    assert flags(bench) == Flags.NONE


def test_a_supply_that_breaks_down_under_load_lets_go_and_starts_anew() -> None:
    bench = Bench(setup=Setup(loads=BLOCKED, voltage=3.65))
    bench.set(1, "goal_position", 3000)
    bench.wait(0.05)
    assert bench.ask(packets.ping(1)) is None
    bench.wait(0.5)
    assert bench.get(1, "torque_enable") == 0
