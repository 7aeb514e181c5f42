"""Servos that lose power, raise alarms, or come back while the robot moves."""

from __future__ import annotations

import numpy as np
import pytest
from driver_bench import Bench

from sts3215_driver.protocol.flags import Flags
from sts3215_driver.servo_watch import Condition, WatchPolicy


def walking(count: int = 3, **settings: object) -> Bench:
    bench = Bench(count, **settings)
    bench.start()
    bench.walk(60)
    return bench


def brown_out(bench: Bench, servo_id: int, cycles: int) -> None:
    bench.do(f"power {servo_id} off")
    bench.walk(cycles)
    bench.do(f"power {servo_id} on")


@pytest.mark.parametrize("silence", [2, 5, 15, 40])
def test_a_servo_that_lost_power_is_seeded_where_it_is_before_it_moves(silence: int) -> None:
    """Its shaft was turned by hand meanwhile: torque must find the goal there, not where it was."""
    bench = walking()
    bench.do("power 2 off")
    bench.walk(silence)
    bench.do("turn 2 2400")
    bench.do("power 2 on")
    jump, previous, torque_seen = 0, None, False
    for _ in range(80):
        bench.walk(1)
        torque = bench.register(2, "torque_enable")
        present = bench.register(2, "present_position")
        if torque and not torque_seen:
            torque_seen = True
            assert abs(bench.register(2, "goal_position") - present) <= 60
        if previous is not None:
            jump = max(jump, abs(present - previous))
        previous = present
    assert torque_seen
    # 1 rad/s is 13 steps in a cycle; the motor may run ahead a little.
    assert jump <= 30
    assert bench.cycle.watch.lost_settings == 1
    assert bench.cycle.watch.condition(1) is Condition.DRIVING


@pytest.mark.parametrize("rate", [5.0, 10.0, 20.0])
def test_in_slow_cycles_as_well_torque_finds_the_goal_where_the_servo_is(rate: float) -> None:
    bench = Bench(3, rate=rate)
    bench.start()
    bench.walk(60)
    bench.do("power 2 off")
    bench.do("turn 2 3000")
    bench.do("power 2 on")
    while not bench.register(2, "torque_enable"):
        bench.walk(1)
    assert bench.register(2, "goal_position") == 3000
    assert bench.cycle.watch.lost_settings == 1


@pytest.mark.parametrize("rate", [1.0, 2.0, 3.0, 4.5])
def test_a_brown_out_between_two_slow_cycles_is_seen_before_the_next_goal(rate: float) -> None:
    bench = Bench(3, rate=rate)
    bench.start()
    bench.walk(5)
    bench.do("power 2 off")
    bench.do("power 2 on")
    bench.do("turn 2 3000")
    bench.walk(1)
    assert bench.register(2, "torque_enable") == 0
    assert not bench.cycle.watch.drivable[1] and bench.cycle.watch.drivable[[0, 2]].all()
    while not bench.register(2, "torque_enable"):
        bench.walk(1)
    assert bench.register(2, "goal_position") == 3000
    assert bench.cycle.watch.lost_settings == 1


def test_a_wheel_that_lost_its_mode_between_slow_cycles_is_not_stopped_as_a_joint() -> None:
    bench = Bench(
        1, wheels=1, rate=2.0, command_timeout=0.6, setup={"settings": ["2:operating_mode=0"]}
    )
    bench.start()
    bench.aim(wheel=2.0)
    bench.run(2)
    bench.do("power 2 off")
    bench.do("power 2 on")
    bench.run(2)
    assert bench.register(2, "torque_enable") == 0


def test_noise_alone_costs_nobody_a_goal_in_slow_cycles() -> None:
    bench = Bench(8, rate=4.0, setup={"faults": ["corrupt:probability=0.03"]})
    bench.start()
    bench.walk(60)
    assert bench.cycle.watch.lost_settings == 0
    share = np.mean(
        [bench.walk(1) is not None and bench.cycle.watch.drivable.mean() for _ in range(60)]
    )
    assert share > 0.97


def test_after_a_brown_out_the_joint_rejoins_the_motion() -> None:
    bench = walking()
    brown_out(bench, 2, 30)
    feedback = bench.walk(150)
    np.testing.assert_allclose(feedback.position[1], feedback.position[0], atol=0.02)


def test_the_others_walk_on_during_a_brown_out() -> None:
    bench = walking()
    bench.do("power 2 off")
    start = bench.now
    missed = sum(int(not bench.walk(1).fresh[[0, 2]].all()) for _ in range(100))
    assert missed == 0
    assert bench.now - start == pytest.approx(2.0, abs=0.03)


def test_a_servo_that_only_did_not_answer_is_not_seeded_anew() -> None:
    bench = walking()
    bench.do("fault drop id=2")
    bench.walk(10)
    bench.do("heal all")
    bench.walk(30)
    assert bench.cycle.watch.lost_settings == 0
    assert bench.cycle.watch.condition(1) is Condition.DRIVING


@pytest.mark.parametrize("fault", ["drop", "deaf"])
def test_a_servo_that_was_not_heard_while_the_others_moved_on_rejoins_slowly(fault: str) -> None:
    bench = Bench(3)
    bench.start()
    bench.do(f"fault {fault} id=2")
    for step in range(60):
        bench.aim(position=0.01 * step)
        bench.run()
    bench.do("heal all")
    fastest, previous = 0, bench.register(2, "present_position")
    for _ in range(80):
        bench.aim(position=0.6)
        feedback = bench.run()
        present = bench.register(2, "present_position")
        fastest, previous = max(fastest, abs(present - previous)), present
    # 1 rad/s is 13 steps in a cycle; the motor may run ahead a little.
    assert fastest <= 20
    np.testing.assert_allclose(feedback.position, 0.6, atol=0.02)


def test_a_silent_servo_gets_no_goals() -> None:
    bench = walking()
    bench.do("fault drop id=2")
    bench.walk(6)
    held = bench.register(2, "goal_position")
    bench.walk(30)
    assert bench.register(2, "goal_position") == held


def test_a_wheel_gets_its_mode_back_after_a_brown_out() -> None:
    bench = Bench(1, wheels=1, setup={"settings": ["2:operating_mode=0"]})
    bench.start()
    for _ in range(10):
        bench.aim(position=0.0, wheel=2.0)
        bench.run()
    bench.do("power 2 off")
    bench.run(20)
    bench.do("power 2 on")
    for _ in range(80):
        bench.aim(position=0.0, wheel=2.0)
        feedback = bench.run()
    assert bench.register(2, "operating_mode") == 1
    assert feedback.velocity[1] == pytest.approx(2.0, abs=0.2)


def test_one_hot_reading_stops_nothing() -> None:
    bench = walking()
    bench.do("alarm 2 temperature")
    bench.walk(2)
    bench.do("alarm 2 none")
    bench.walk(20)
    assert bench.cycle.watch.condition(1) is Condition.DRIVING


def test_three_readings_with_overload_release_that_servo_and_only_that() -> None:
    bench = walking()
    bench.do("alarm 2 overload")
    bench.walk(20)
    assert bench.cycle.watch.condition(1) is Condition.RELEASED
    assert bench.cycle.watch.trip_flags(1) == Flags.OVERLOAD
    assert [bench.register(i, "torque_enable") for i in (1, 2, 3)] == [1, 0, 1]
    bench.walk(50)
    assert bench.register(2, "torque_enable") == 0


def test_readings_go_on_while_an_alarm_lasts() -> None:
    bench = walking()
    bench.do("alarm 2 overload")
    assert bench.walk(30).fresh.all()


def test_a_released_servo_is_recovered_on_request_without_a_jump() -> None:
    bench = walking()
    bench.do("alarm 2 overload")
    bench.walk(20)
    bench.do("alarm 2 none")
    bench.do("turn 2 2300")
    assert bench.cycle.watch.recover(bench.now) == []
    previous, jump = bench.register(2, "present_position"), 0
    for _ in range(60):
        bench.walk(1)
        present = bench.register(2, "present_position")
        jump, previous = max(jump, abs(present - previous)), present
    assert bench.register(2, "torque_enable") == 1
    assert jump <= 30


def test_a_policy_recovers_by_itself() -> None:
    bench = walking(policy=WatchPolicy(recover_after=1.0))
    bench.do("alarm 2 overload")
    bench.walk(20)
    bench.do("alarm 2 none")
    bench.walk(30)
    assert bench.cycle.watch.condition(1) is Condition.RELEASED
    bench.walk(60)
    assert bench.cycle.watch.condition(1) is Condition.DRIVING


def test_low_voltage_is_reported_and_stops_nothing() -> None:
    bench = walking()
    bench.do("alarm 2 voltage")
    feedback = bench.walk(30)
    assert feedback.flags[1] == Flags.VOLTAGE
    assert bench.cycle.watch.condition(1) is Condition.DRIVING


def test_after_torque_off_nothing_is_written_or_repaired() -> None:
    bench = walking()
    bench.session.torque_off()
    bench.do("power 2 off")
    for _ in range(20):
        bench.cycle.read(bench.now + 0.02)
    bench.do("power 2 on")
    for _ in range(60):
        bench.cycle.read(bench.now + 0.02)
    assert [bench.register(i, "torque_enable") for i in (1, 2, 3)] == [0, 0, 0]


def test_lost_goals_alone_are_no_lost_settings() -> None:
    bench = walking(6)
    inner, count = bench.transport.write, [0]

    def lose_some_goals(data: bytes) -> None:
        count[0] += data[4] == 0x83
        if data[4] != 0x83 or count[0] % 3:
            inner(data)

    bench.transport.write = lose_some_goals  # type: ignore[method-assign]
    bench.walk(100)
    assert bench.cycle.watch.lost_settings == 0


def test_torque_that_went_away_without_a_silence_is_found_by_patrol() -> None:
    bench = walking()
    bench.aim(position=0.0)
    bench.run(30)
    bench.session.bus.write(2, 40, b"\x00")
    bench.run(20)
    assert bench.cycle.watch.lost_settings == 1
    assert bench.register(2, "torque_enable") == 1
