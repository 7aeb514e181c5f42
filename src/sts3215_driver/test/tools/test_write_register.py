"""Writing one register: verified, EEPROM locked again, and nothing dangerous by accident."""

from __future__ import annotations

import pytest

from stride_base.errors import RefusedError
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.write_register import write_register


def write(table, name, value, force=False, servo_id=1):
    return write_register(table.bus(), servo_id, BY_NAME[name], value, force)


def test_a_setting_is_written_verified_and_locked(bench, servo) -> None:
    subject = servo(1)
    result = write(bench(subject), "max_temperature", 65)
    assert (result.before, result.after, result.written) == (70, 65, True)
    subject.power_cycle()
    assert subject.get("max_temperature") == 65 and subject.get("lock") == 1


def test_an_equal_setting_is_not_written_and_that_is_said(bench, servo) -> None:
    subject = servo(1)
    result = write(bench(subject), "max_temperature", 70)
    assert not result.written and "has this value already" in result.notes[0]
    assert subject.written == []


def test_force_keeps_a_setting_that_was_in_force_for_this_run_only(bench, servo) -> None:
    """A value written while locked reads like a kept one, and is lost at power-off."""
    subject = servo(1)
    subject.set("operating_mode", 1)
    assert not write(bench(subject), "operating_mode", 1).written
    assert subject.kept("operating_mode") == 0
    write(bench(subject), "operating_mode", 1, force=True)
    assert subject.kept("operating_mode") == 1


def test_negative_values_are_sign_magnitude(bench, servo) -> None:
    subject = servo(1)
    write(bench(subject), "min_angle_limit", -100)
    assert bytes(subject.memory[9:11]) == b"\x64\x80"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("present_position", 0, "measured by the servo"),
        ("firmware_minor", 9, "measured by the servo"),
        ("id", 3, "stride set-id"),
        ("baud_code", 4, "stride set-baud"),
        ("lock", 0, "easily forgotten"),
        ("torque_enable", 5, "means nothing"),
        ("max_temperature", 101, "expected 0 to 100"),
        ("goal_speed", 3401, "expected -3400 to 3400"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_what_is_always_refused(bench, servo, name, value, reason, force) -> None:
    subject = servo(1)
    with pytest.raises(RefusedError, match=reason):
        write(bench(subject), name, value, force)
    assert subject.written == []


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("speed_unit_factor", 1, "set in the factory"),
        ("torque_enable", 128, "reads? 2048"),
        ("phase", 12 | 2, "belong to the electronics"),
        ("goal_position", 1000, "at full speed: goal_speed is 0"),
        ("goal_pwm", 100, "switches torque on by itself"),
        ("goal_speed", 0, "speed 0 means full speed"),
        ("goal_speed", 100, "switches torque on by itself"),
    ],
)
def test_what_needs_force(bench, servo, name, value, reason) -> None:
    """Field report: speed 0 moves at full speed (phase bit 3)."""
    subject = servo(1)
    subject.goes_to_goal = False
    with pytest.raises(RefusedError, match=f"{reason}.*--force"):
        write(bench(subject), name, value)
    assert subject.written == []
    write(bench(subject), name, value, force=True)
    assert subject.written != []


@pytest.mark.parametrize("name", ["operating_mode", "position_offset", "phase"])
def test_with_torque_on_nothing_is_written_that_lets_the_joint_leap(bench, servo, name) -> None:
    subject = servo(1)
    subject.goes_to_goal = False
    subject.set("torque_enable", 1)
    with pytest.raises(RefusedError, match="torque is on"):
        write(bench(subject), name, 1, force=True)
    assert subject.written == []


def test_torque_comes_on_with_the_present_position_as_goal(bench, servo) -> None:
    """After power-on the goal register is 0, and the servo would drive there."""
    subject = servo(1)
    subject.raw = 3100
    result = write(bench(subject), "torque_enable", 1)
    assert subject.get("torque_enable") == 1
    assert subject.get("goal_position") == 3100 and subject.raw == 3100
    assert subject.written[0] == (42, (3100).to_bytes(2, "little"))
    assert "the goal was set to 3100 first" in result.notes[0]


def test_torque_of_a_wheel_comes_on_at_rest(bench, servo) -> None:
    subject = servo(1, operating_mode=1)
    write(bench(subject), "torque_enable", 1)
    assert subject.get("goal_speed") == 0 and subject.get("torque_enable") == 1


def test_torque_goes_off_again_when_the_goal_does_not_hold(bench, servo) -> None:
    subject = servo(1)
    subject.raw, subject.goes_to_goal = 1500, False
    table = bench(subject)
    table.on_request = lambda request: subject.set("goal_position", 0)
    with pytest.raises(VerifyError, match="did not take goal_position"):
        write(table, "torque_enable", 1)
    assert subject.get("torque_enable") == 0


def test_torque_goes_off_again_when_the_servo_moves(bench, servo) -> None:
    subject = servo(1)
    subject.raw, subject.goes_to_goal = 1500, False
    subject.motion = lambda now: 400.0 * subject.get("torque_enable")
    with pytest.raises(VerifyError, match="moved by 400 steps"):
        write(bench(subject), "torque_enable", 1)
    assert subject.get("torque_enable") == 0


def test_torque_that_is_on_keeps_its_goal(bench, servo) -> None:
    subject = servo(1)
    subject.goes_to_goal = False
    subject.set("torque_enable", 1)
    subject.set("goal_position", 900)
    write(bench(subject), "torque_enable", 1)
    assert subject.get("goal_position") == 900


def test_torque_off_is_plain(bench, servo) -> None:
    subject = servo(1)
    subject.goes_to_goal = False
    subject.set("torque_enable", 1)
    assert write(bench(subject), "torque_enable", 0).after == 0


def test_phase_0_is_written_with_a_warning(bench, servo) -> None:
    result = write(bench(servo(1)), "phase", 0)
    assert "50 times faster" in " ".join(result.notes)


def test_step_mode_with_limits_says_that_the_joint_will_stop(bench, servo) -> None:
    """Field report: joint stops at the end of its range in multi-turn."""
    result = write(bench(servo(1)), "operating_mode", 3)
    assert "need min_angle_limit and max_angle_limit 0" in " ".join(result.notes)


def test_an_offset_of_2114_goes_the_other_way_round(bench, servo) -> None:
    """Field report: "magnitude 2114 exceeds 2047"."""
    subject = servo(1)
    result = write(bench(subject), "position_offset", 2114)
    assert result.after == -1982
    assert int.from_bytes(subject.memory[31:33], "little") == 0x0800 | 1982
    assert "other way round" in " ".join(result.notes)


@pytest.mark.parametrize(("minor", "after"), [(9, -2047), (10, 2048)])
def test_half_a_turn_of_offset_on_both_firmware_generations(bench, servo, minor, after) -> None:
    result = write(bench(servo(1, firmware_minor=minor)), "position_offset", 2048)
    assert result.after == after
    assert bool(result.notes) == (minor == 9)


def test_centring_by_128_is_read_back_from_the_offset(bench, servo) -> None:
    subject = servo(1)
    subject.raw = 2500
    result = write(bench(subject), "torque_enable", 128, force=True)
    assert "position_offset is 452 now" in result.notes[0]


def test_a_silent_servo_is_named(bench) -> None:
    with pytest.raises(Exception, match="servo 4 did not answer"):
        write(bench(1), "p_gain", 30, servo_id=4)
