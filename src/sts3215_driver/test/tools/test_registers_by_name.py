"""Registers by name, their values with units, and lists of ids."""

from __future__ import annotations

import pytest

from stride_base.errors import RefusedError
from sts3215_driver.protocol.registers import BY_NAME, REGISTERS
from sts3215_driver.tools.id_lists import parse_ids
from sts3215_driver.tools.register_names import find_register, find_registers
from sts3215_driver.tools.register_values import decode, encode, show
from sts3215_driver.tools.servo_facts import read_facts


@pytest.mark.parametrize(
    ("typed", "name"),
    [("present_position", "present_position"), ("Present-Position", "present_position"),
     ("56", "present_position"), ("0x38", "present_position"), ("lock", "lock")],
)  # fmt: skip
def test_a_register_is_found_by_name_or_address(typed, name) -> None:
    assert find_register(typed).name == name


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [("present_positon", "present_position"), ("voltage", "present_voltage"),
     ("torque_enabled", "torque_enable"), ("max_temp", "max_temperature")],
)  # fmt: skip
def test_an_unknown_name_suggests_the_nearest(typed, suggested) -> None:
    with pytest.raises(RefusedError, match=f"did you mean .*{suggested}"):
        find_register(typed)


@pytest.mark.parametrize("typed", ["50", "57", "87", "-1", "qqqqqq", ""])
def test_reserved_and_unknown_addresses_are_no_registers(typed) -> None:
    with pytest.raises(RefusedError):
        find_register(typed)


def test_all_is_every_register() -> None:
    assert find_registers(["all"]) == REGISTERS


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("present_voltage", 121, "12.1 V"),
        ("present_position", -100, "-100 step (-8.79 deg)"),
        ("present_load", -123, "-12.3 % of duty"),
        ("present_current", -20, "-130 mA"),
        ("present_temperature", 35, "35 degC"),
        ("operating_mode", 1, "1 (wheel)"),
        ("baud_code", 5, "5 (76800 bit/s)"),
        ("baud_code", 9, "9 (unknown)"),
        ("servo_status", 5, "5 (voltage, temperature)"),
        ("servo_status", 0, "0 (none)"),
        ("unload_condition", 44, "44 (temperature, current, overload)"),
        ("present_speed", 3070, "3070 (3070 step/s, 4.709 rad/s)"),
        ("protection_time", 200, "2 s"),
        ("p_gain", 32, "32"),
    ],
)
def test_values_are_shown_with_their_unit(name, value, text) -> None:
    assert show(BY_NAME[name], value) == text


def test_speeds_without_phase_bit_2_count_in_50_steps() -> None:
    assert "150 step/s" in show(BY_NAME["goal_speed"], 3, phase=8)


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [("present_position", 0x8064, -100), ("present_load", 0x047B, -123),
     ("goal_pwm", 0x05F4, -500), ("goal_speed", 0x8064, -100)],
)  # fmt: skip
def test_every_register_has_its_own_sign_bit(name, raw, value) -> None:
    """Field reports: position near -32768, 1354.75 deg, load and PWM and wheel speed wrong."""
    assert decode(BY_NAME[name], raw.to_bytes(2, "little"), (3, 10)) == value
    if name.startswith("goal"):
        assert encode(BY_NAME[name], value, (3, 10)) == raw.to_bytes(2, "little")


def test_all_registers_are_read_with_alarms_beside_them(bench, servo) -> None:
    subject = servo(6, present_voltage=74)
    subject.memory[65] = 0x20
    facts = read_facts(bench(subject).bus(), 6)
    assert facts.registers["present_voltage"] == 74
    assert facts.flags == 0x20
    assert set(facts.registers) == set(BY_NAME)


def test_an_offset_is_read_in_the_coding_of_its_firmware(bench, servo) -> None:
    new, old = servo(1), servo(2, firmware_minor=9)
    for each in (new, old):
        each.memory[31:33] = (4096).to_bytes(2, "little")
    bus = bench(new, old).bus()
    assert read_facts(bus, 1).registers["position_offset"] == 2048
    assert read_facts(bus, 2).registers["position_offset"] == 0


def test_lists_of_ids() -> None:
    assert parse_ids("1,3,5-7, 3") == [1, 3, 5, 6, 7]


@pytest.mark.parametrize("text", ["", "a", "5-", "7-5", "254", "1,,2", "-1", "1-300"])
def test_what_is_no_list_of_ids(text) -> None:
    with pytest.raises(RefusedError):
        parse_ids(text)
