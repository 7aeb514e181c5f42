"""What a servo does at the wire: section 3 of the bus specification, item by item."""

import pytest

from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.packets import Instruction, StatusPacket

OK = b"\xff\xff\x01\x02\x00\xfc"


def unlock(bench: Bench, servo_id: int = 1) -> None:
    bench.set(servo_id, "lock", 0)


def test_1_locked_setting_works_now_and_is_lost_at_power_off() -> None:
    bench = Bench()
    bench.set(1, "max_torque", 500)
    assert bench.get(1, "max_torque") == 500
    bench.do("power 1 off")
    bench.do("power 1 on")
    bench.wait(1.0)
    assert bench.get(1, "max_torque") == 1000
    assert bench.get(1, "lock") == 1


@pytest.mark.parametrize(("ack", "voice"), [("old", 1), ("new", 9)])
def test_2_id_changes_at_once_and_the_ack_carries_the_old_or_the_new_one(
    ack: str, voice: int
) -> None:
    bench = Bench(setup=Setup(firmware=f"id_ack={ack}"))
    unlock(bench)
    status = bench.set(1, "id", 9)
    assert status is not None and status.id == voice
    assert bench.ask(packets.ping(1)) is None
    assert bench.ask(packets.ping(9)) == StatusPacket(9, status.flags, b"")
    bench.set(9, "lock", 1)
    bench.do("power 9 off")
    bench.do("power 9 on")
    bench.wait(1.0)
    assert bench.ask(packets.ping(9)) is not None


def test_3_baud_change_is_acknowledged_at_the_old_rate_and_then_holds() -> None:
    bench = Bench()
    assert bench.set(1, "baud_code", 4) is not None
    assert bench.ask(packets.ping(1)) is None
    bench.bus.baud = 115_200
    assert bench.exchange(packets.ping(1)) == OK


def test_4_a_goal_switches_torque_on_by_itself() -> None:
    bench = Bench()
    bench.set(1, "torque_enable", 0)
    bench.set(1, "goal_position", 2100)
    assert bench.get(1, "torque_enable") == 1


def test_5_torque_on_with_a_stale_goal_drives_to_position_0() -> None:
    bench = Bench()
    bench.set(1, "torque_enable", 1)
    bench.wait(2.0)
    assert bench.get(1, "present_position") < 10


def test_6_mode_write_zeroes_speed_acceleration_and_torque() -> None:
    bench = Bench()
    bench.ask(packets.write(1, 41, bytes((50, 0, 8, 0, 0, 0xE8, 3))))
    bench.set(1, "operating_mode", 1)
    assert bench.get(1, "goal_speed") == bench.get(1, "acceleration") == 0
    assert bench.get(1, "torque_enable") == 0


def test_6_offset_shows_in_position_mode_only() -> None:
    bench = Bench(setup=Setup(pose="1500", settings=("all:position_offset=300",)))
    assert bench.get(1, "present_position") == 1200
    bench.set(1, "operating_mode", 1)
    assert bench.get(1, "present_position") == 1500


@pytest.mark.parametrize("steps", [0, 1, 1000, 2047, 2048, 2049, 4095])
def test_7_128_to_torque_enable_makes_the_present_position_2048(steps: int) -> None:
    bench = Bench(setup=Setup(pose=str(steps)))
    bench.ask(packets.write(1, 40, b"\x80"))
    assert bench.get(1, "present_position") == 2048
    assert bench.get(1, "torque_enable") == 0
    bench.do("power 1 off")
    bench.do("power 1 on")
    bench.wait(1.0)
    assert bench.get(1, "present_position") == 2048


def test_7_half_a_turn_is_out_of_reach_for_the_offset_of_old_firmware() -> None:
    bench = Bench(setup=Setup(pose="0", firmware="version=3.9"))
    bench.ask(packets.write(1, 40, b"\x80"))
    assert bench.get(1, "position_offset") == 2047
    assert bench.get(1, "present_position") == 2049


def test_8_step_mode_counts_from_the_last_goal_and_shows_what_is_left() -> None:
    settings = "all:operating_mode=3,min_angle_limit=0,max_angle_limit=0"
    bench = Bench(setup=Setup(settings=(settings,)))
    start = bench.angle(1)
    for _ in range(2):
        bench.ask(packets.write(1, 42, b"\x00\x10"))  # 4096 steps, the second before the first ends
        bench.wait(0.1)
    assert 7000 < bench.get(1, "present_position") < 8192
    bench.wait(3.0)
    assert abs(bench.get(1, "present_position")) < 4
    assert bench.angle(1) - start == pytest.approx(2 * 2 * 3.14159, abs=0.01)
    bench.ask(packets.write(1, 42, b"\x00\x90"))
    bench.wait(2.0)
    assert bench.angle(1) - start == pytest.approx(2 * 3.14159, abs=0.01)


def test_8_step_mode_stops_at_limits_that_are_not_both_0() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=3",)))
    bench.ask(packets.write(1, 42, b"\x00\x10"))
    bench.wait(3.0)
    assert bench.angle(1) == pytest.approx(3.1415, abs=0.01)


def test_9_turns_are_forgotten_at_power_off() -> None:
    settings = "all:phase=28,min_angle_limit=0,max_angle_limit=0"
    bench = Bench(setup=Setup(settings=(settings,)))
    bench.set(1, "goal_position", 2048 + 5000)
    bench.wait(3.0)
    position = bench.get(1, "present_position")
    assert abs(position - 7048) < 4
    bench.do("power 1 off")
    bench.do("power 1 on")
    bench.wait(1.0)
    assert bench.get(1, "present_position") == position - 4096


def test_9_reset_forgets_the_turns_too_and_lets_go() -> None:
    settings = "all:phase=28,min_angle_limit=0,max_angle_limit=0"
    bench = Bench(setup=Setup(settings=(settings,)))
    bench.set(1, "goal_position", 2048 - 4096)
    bench.wait(3.0)
    assert abs(bench.get(1, "present_position") + 2048) < 4
    assert bench.exchange(packets.packet(1, Instruction.RESET)) == OK
    assert abs(bench.get(1, "present_position") - 2048) < 4
    assert bench.get(1, "torque_enable") == 0


def test_single_turn_feedback_hides_the_turns() -> None:
    bench = Bench(setup=Setup(settings=("all:min_angle_limit=0,max_angle_limit=0",)))
    bench.set(1, "goal_position", 2048 + 4096)
    bench.wait(3.0)
    assert abs(bench.get(1, "present_position") - 2048) < 4
    assert bench.angle(1) == pytest.approx(2 * 3.14159, abs=0.01)


def test_goal_is_limited_to_the_angle_limits() -> None:
    bench = Bench(setup=Setup(settings=("all:min_angle_limit=1800,max_angle_limit=2300",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(1.0)
    assert abs(bench.get(1, "present_position") - 2300) < 4
    bench.set(1, "goal_position", -100)
    bench.wait(1.0)
    assert abs(bench.get(1, "present_position") - 1800) < 4
    assert bench.get(1, "goal_position") == -100


def test_14_read_is_clipped_at_the_last_register_and_silent_beyond() -> None:
    bench = Bench()
    status = bench.ask(packets.read(1, 80, 20))
    assert status is not None and status.data == bytes((2, 20, 50, 1, 150, 100, 1))
    assert bench.exchange(packets.read(1, 87, 1)) == b""
    whole = bench.ask(packets.read(1, 0, 120))
    assert whole is not None and len(whole.data) == 87


def test_14_read_only_writes_are_acknowledged_and_do_nothing() -> None:
    bench = Bench()
    assert bench.exchange(packets.write(1, 56, b"\x00\x00")) == OK
    assert bench.exchange(packets.write(1, 3, b"\x00\x00")) == OK
    assert bench.get(1, "present_position") == 2048
    assert bench.get(1, "model_number") == 777


def test_14_unknown_instruction_is_acknowledged_unless_broadcast() -> None:
    bench = Bench()
    assert bench.exchange(packets.packet(1, 0x55)) == OK
    assert bench.exchange(packets.packet(packets.BROADCAST_ID, 0x55)) == b""


def test_15_response_level_0_answers_ping_and_reads_only() -> None:
    bench = Bench()
    assert bench.exchange(packets.write(1, 8, b"\x00")) == b""
    for request in (
        packets.write(1, 42, b"\x00\x08"),
        packets.reg_write(1, 42, b"\x00\x09"),
        packets.action(1),
    ):
        assert bench.exchange(request) == b""
    assert bench.get(1, "goal_position") == 0x900
    assert bench.ask(packets.ping(1)) is not None
    assert bench.exchange(packets.sync_read(56, 2, [1])) != b""


def test_15_unlocked_broadcast_of_the_response_level_stays() -> None:
    bench = Bench((1, 2))
    bench.exchange(packets.write(packets.BROADCAST_ID, 55, b"\x00"))
    bench.exchange(packets.write(packets.BROADCAST_ID, 8, b"\x00"))
    bench.do("power all off")
    bench.do("power all on")
    bench.wait(1.0)
    assert bench.exchange(packets.write(2, 42, b"\x00\x08")) == b""


def test_18_brown_out_resets_ram_and_is_silent_for_a_while() -> None:
    bench = Bench()
    bench.ask(packets.write(1, 41, bytes((50, 0, 8, 0, 0, 0xE8, 3))))
    bench.do("supply 3.0")
    bench.wait(0.05)
    bench.do("supply 7.4")
    bench.wait(0.1)
    assert bench.ask(packets.ping(1)) is None
    bench.wait(0.5)
    status = bench.ask(packets.read(1, 40, 10))
    assert status is not None and status.data == bytes((0, 0, 0, 0, 0, 0, 0, 0, 0xE8, 3))


def test_reboot_is_not_answered_and_silent_for_800_ms() -> None:
    bench = Bench()
    bench.set(1, "torque_limit", 500)
    start = bench.clock.now()
    assert bench.exchange(packets.packet(1, Instruction.REBOOT)) == b""
    bench.wait(start + 0.79 - bench.clock.now())
    assert bench.ask(packets.ping(1)) is None
    bench.wait(start + 0.83 - bench.clock.now())
    assert bench.get(1, "torque_limit") == 1000


def test_unplugged_servo_is_silent_and_its_neighbour_is_not() -> None:
    bench = Bench((1, 2))
    bench.do("power 1 off")
    assert bench.ask(packets.ping(1)) is None
    assert bench.ask(packets.ping(2)) is not None


def test_reg_write_waits_for_action() -> None:
    bench = Bench((1, 2))
    for servo_id in (1, 2):
        bench.ask(packets.reg_write(servo_id, 42, b"\x00\x09"))
        assert bench.get(servo_id, "async_write_flag") == 1
        assert bench.get(servo_id, "goal_position") == 0
    assert bench.exchange(packets.action()) == b""
    for servo_id in (1, 2):
        assert bench.get(servo_id, "async_write_flag") == 0
        assert bench.get(servo_id, "goal_position") == 0x900


@pytest.mark.parametrize(("parameters", "shown"), [(b"", 2048), (b"\x00\x04", 1024)])
def test_calibrate_makes_the_present_position_what_is_asked_for(
    parameters: bytes, shown: int
) -> None:
    bench = Bench(setup=Setup(pose="333"))
    request = packets.packet(1, Instruction.CALIBRATE, parameters)
    assert bench.exchange(request) == OK
    assert bench.get(1, "present_position") == shown
    bench.exchange(packets.packet(1, Instruction.REBOOT))
    bench.wait(1.0)
    assert bench.get(1, "present_position") == shown


def test_calibrate_is_unknown_to_old_firmware() -> None:
    bench = Bench(setup=Setup(pose="333", firmware="version=3.9"))
    assert bench.exchange(packets.packet(1, Instruction.CALIBRATE)) == OK
    assert bench.get(1, "present_position") == 333
    assert bench.get(1, "firmware_minor") == 9


def test_recovery_restores_the_factory_values_or_the_last_backup() -> None:
    bench = Bench((7,))
    unlock(bench, 7)
    bench.set(7, "p_gain", 20)
    bench.exchange(packets.packet(7, Instruction.RECOVERY))
    assert bench.get(7, "p_gain") == 32
    unlock(bench, 7)
    bench.set(7, "p_gain", 20)
    bench.exchange(packets.packet(7, Instruction.BACKUP))
    bench.set(7, "p_gain", 40)
    bench.exchange(packets.packet(7, Instruction.RECOVERY))
    assert bench.get(7, "p_gain") == 20


def test_read_is_never_broadcast() -> None:
    assert Bench((1, 2)).exchange(packets.read(packets.BROADCAST_ID, 56, 2)) == b""


def test_read_with_other_than_two_parameters_is_not_answered() -> None:
    assert Bench().exchange(packets.packet(1, Instruction.READ, b"\x38")) == b""


def test_old_firmware_does_not_know_sync_read() -> None:
    bench = Bench((1, 2), Setup(firmware="sync_read=no"))
    assert bench.exchange(packets.sync_read(56, 2, [1, 2])) == b""


def test_sync_write_writes_everyone_and_nobody_answers() -> None:
    bench = Bench((1, 2, 3))
    items = [(1, b"\x01\x00"), (2, b"\x02\x00"), (9, b"\x09\x00")]
    (request,) = packets.sync_write(46, 2, items)
    assert bench.exchange(request) == b""
    assert [bench.get(n, "goal_speed") for n in (1, 2, 3)] == [1, 2, 0]


def test_ff_ff_in_a_write_loses_it_for_everyone() -> None:
    bench = Bench((1, 2))
    bad = packets.status(packets.BROADCAST_ID, Instruction.WRITE, b"\x2e\xff\xff")
    bench.exchange(bad)
    assert bench.get(1, "goal_speed") == bench.get(2, "goal_speed") == 0


def test_phase_bit_2_multiplies_speeds_by_50() -> None:
    fine = Bench(setup=Setup(settings=("all:operating_mode=1",)))
    coarse = Bench(setup=Setup(settings=("all:operating_mode=1,phase=8",)))
    fine.set(1, "goal_speed", 1000)
    coarse.set(1, "goal_speed", 20)
    for bench, shown in ((fine, 1000), (coarse, 20)):
        bench.wait(1.0)
        assert bench.get(1, "present_speed") == pytest.approx(shown, abs=1)
        assert bench.bank.plant.state.velocity[0] == pytest.approx(1000 * 2 * 3.1416 / 4096, 0.01)


@pytest.mark.parametrize(("phase", "moves"), [(12, True), (4, False)])
def test_phase_bit_3_says_whether_speed_0_is_full_speed_or_none(phase: int, moves: bool) -> None:
    bench = Bench(setup=Setup(settings=(f"all:phase={phase}",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(1.0)
    assert (bench.get(1, "present_position") > 2900) == moves


def test_position_feedback_can_be_reversed_and_then_runs_away_unless_the_drive_is_too() -> None:
    bench = Bench(setup=Setup(pose="1000", settings=("all:phase=141",)))  # bits 7 and 0
    assert bench.get(1, "present_position") == 3095
    bench.set(1, "goal_position", 2000)
    bench.wait(1.0)
    assert abs(bench.get(1, "present_position") - 2000) < 4
    assert bench.angle(1) == pytest.approx((2095 - 2048) * 2 * 3.1416 / 4096, abs=0.01)
    wild = Bench(setup=Setup(settings=("all:phase=13,min_angle_limit=0,max_angle_limit=0",)))
    wild.set(1, "goal_position", 2100)
    wild.wait(1.0)
    assert wild.angle(1) < -1.0


def test_writing_an_offset_shifts_the_shown_position_without_motion() -> None:
    bench = Bench()
    bench.set(1, "goal_position", 2048)
    bench.wait(0.2)
    before = bench.angle(1)
    bench.do("load 1 friction=100")
    bench.set(1, "position_offset", -100)
    assert bench.get(1, "present_position") == 2148
    assert bench.angle(1) == before


def test_same_requests_give_the_same_bytes() -> None:
    def run() -> list[tuple[float, bytes]]:
        bench = Bench((1, 2, 3), Setup(faults=("corrupt:probability=0.3",), seed=5))
        heard = []
        for k in range(50):
            goal = (1800 + 17 * k).to_bytes(2, "little")
            (write,) = packets.sync_write(42, 2, [(n, goal) for n in (1, 2, 3)])
            bench.port.write(write)
            heard += bench.listen(packets.sync_read(56, 15, [1, 2, 3]), 0.0101)
        return heard

    assert run() == run()


def test_asking_more_often_does_not_change_the_motion() -> None:
    quiet, busy = Bench(), Bench()
    for bench in (quiet, busy):
        bench.set(1, "goal_position", 3000)
    for _ in range(8):
        busy.get(1, "present_load")
    for bench in (quiet, busy):
        bench.wait(0.5 - bench.clock.now())
        bench.bus.advance(0.5)
    assert quiet.angle(1) == busy.angle(1)
