"""Registers of an emulated servo: what lives where, and what a write does besides."""

import pytest

from sts3215_driver.emulator.firmware import Firmware
from sts3215_driver.emulator.servo_memory import Effect, ServoMemory
from sts3215_driver.protocol.registers import BY_NAME, REGISTERS, Storage


def put(memory: ServoMemory, name: str, value: int) -> int:
    register = BY_NAME[name]
    return memory.write(register.address, register.encode(value))


def test_new_servo_shows_the_defaults_of_the_table() -> None:
    memory = ServoMemory()
    for register in REGISTERS:
        assert memory.get(register.name) == register.default, register.name


@pytest.mark.parametrize("register", [r for r in REGISTERS if r.storage is Storage.READ_ONLY])
def test_read_only_registers_keep_their_value(register) -> None:
    memory = ServoMemory()
    memory.write(register.address, bytes(register.size * [0x55]))
    assert memory.get(register.name) == register.default


def test_write_over_the_end_keeps_what_fits() -> None:
    memory = ServoMemory()
    memory.write(86, b"\x05\x06\x07")
    assert memory.read(80, 20) == bytes((2, 20, 50, 1, 150, 100, 5))
    assert memory.write(87, b"\x01") == Effect.NONE


def test_read_is_clipped_at_the_last_register_and_impossible_beyond() -> None:
    memory = ServoMemory()
    assert len(memory.read(0, 255) or b"") == 87
    assert memory.read(86, 1) == b"\x01"
    assert memory.read(87, 1) is None


def test_locked_eeprom_write_works_now_and_is_lost_at_power_off() -> None:
    memory = ServoMemory()
    put(memory, "p_gain", 16)
    assert memory.get("p_gain") == 16
    memory.power_on()
    assert memory.get("p_gain") == 32


def test_unlocked_eeprom_write_stays_and_the_lock_comes_back() -> None:
    memory = ServoMemory()
    put(memory, "lock", 0)
    put(memory, "p_gain", 16)
    memory.power_on()
    assert memory.get("p_gain") == 16
    assert memory.get("lock") == 1


def test_unlocking_later_does_not_store_what_was_written_before() -> None:
    memory = ServoMemory()
    put(memory, "p_gain", 16)
    put(memory, "lock", 0)
    put(memory, "d_gain", 8)
    memory.power_on()
    assert (memory.get("p_gain"), memory.get("d_gain")) == (32, 8)


def test_other_firmware_drops_locked_writes() -> None:
    memory = ServoMemory(firmware=Firmware(locked_writes="dropped"))
    put(memory, "goal_speed", 100)
    put(memory, "operating_mode", 1)
    assert memory.get("operating_mode") == 0
    assert memory.get("goal_speed") == 100


def test_power_on_resets_ram_and_takes_the_torque_limit_from_max_torque() -> None:
    memory = ServoMemory({"max_torque": 600})
    put(memory, "acceleration", 50)
    put(memory, "goal_position", 1000)
    put(memory, "torque_limit", 300)
    memory.power_on()
    assert memory.get("torque_enable") == memory.get("acceleration") == 0
    assert memory.get("goal_position") == memory.get("goal_speed") == 0
    assert memory.get("torque_limit") == 600


@pytest.mark.parametrize(
    ("mode", "goal"),
    [(0, "goal_position"), (1, "goal_speed"), (2, "goal_pwm"), (3, "goal_position")],
)
def test_the_goal_of_the_mode_switches_torque_on_and_others_do_not(mode: int, goal: str) -> None:
    for name in ("goal_position", "goal_speed", "goal_pwm", "acceleration", "torque_limit"):
        memory = ServoMemory({"operating_mode": mode})
        put(memory, name, 0)
        assert memory.get("torque_enable") == (name == goal), name


def test_half_a_goal_switches_torque_on_too() -> None:
    memory = ServoMemory()
    memory.write(43, b"\x08")
    assert memory.get("torque_enable") == 1


def test_mode_write_zeroes_speed_acceleration_and_torque() -> None:
    memory = ServoMemory()
    memory.write(41, bytes((50, 0, 8, 0, 0, 0xE8, 3)))
    assert memory.get("torque_enable") == 1
    put(memory, "operating_mode", 1)
    assert memory.get("goal_speed") == memory.get("acceleration") == 0
    assert memory.get("torque_enable") == 0
    assert memory.get("goal_position") == 2048


def test_128_to_torque_enable_asks_for_the_centre_and_reads_back_0() -> None:
    memory = ServoMemory()
    assert memory.write(40, b"\x80") & Effect.CENTRE
    assert memory.get("torque_enable") == 0


def test_values_are_stored_as_they_come() -> None:
    memory = ServoMemory()
    memory.write(46, b"\xff\xff")
    assert memory.read(46, 2) == b"\xff\xff"


def test_held_write_waits_for_action_and_a_later_one_replaces_it() -> None:
    memory = ServoMemory()
    memory.hold(42, b"\x00\x04")
    memory.hold(42, b"\x00\x08")
    assert (memory.get("async_write_flag"), memory.get("goal_position")) == (1, 0)
    memory.release()
    assert (memory.get("async_write_flag"), memory.get("goal_position")) == (0, 2048)
    assert memory.release() == Effect.NONE


def test_recovery_brings_back_the_backup_but_keeps_the_id() -> None:
    memory = ServoMemory()
    put(memory, "lock", 0)
    put(memory, "p_gain", 20)
    memory.backup()
    put(memory, "p_gain", 40)
    put(memory, "id", 9)
    memory.recover()
    assert (memory.get("id"), memory.get("p_gain")) == (9, 20)
    assert memory.stored("p_gain") == 20


def test_a_setting_out_of_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="id is 300"):
        ServoMemory({"id": 300})
