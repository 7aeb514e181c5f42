"""The bus cycle on virtual time: goals out, truth in, at the given rate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from driver_bench import Bench

from stride_base.errors import ConfigError
from sts3215_driver.cycle_plan import SyncPhase, plan_cycle
from sts3215_driver.goals import GoalMerger
from sts3215_driver.protocol.packets import Instruction
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.protocol.units import RAD_PER_STEP
from sts3215_driver.timing import BusTiming


def test_goals_reach_the_registers_and_the_joints_follow() -> None:
    bench = Bench(3)
    bench.start()
    for _ in range(60):
        bench.aim(position=0.5)
        feedback = bench.run()
    steps = round(0.5 * 4096 / math.tau)
    assert bench.positions().tolist() == [2048 - steps, 2048 + steps, 2048 - steps]
    np.testing.assert_allclose(feedback.position, 0.5, atol=0.02)


@pytest.mark.parametrize("count", [127, 253])
def test_more_servos_than_one_request_can_name_are_read_in_parts(count: int) -> None:
    bench = Bench(count, rate=5.0)
    requests: list[bytes] = []
    inner = bench.transport.write
    bench.transport.write = lambda data: (requests.append(data), inner(data))[1]  # type: ignore[method-assign]
    bench.start()
    assert bench.walk(3).fresh.all()
    # Servos drop everything but a SYNC_WRITE that has more than 128 parameters.
    assert max(len(r) - 6 for r in requests if r[4] != Instruction.SYNC_WRITE) <= 128


def test_without_new_goals_nothing_is_written() -> None:
    bench = Bench(2)
    bench.start()
    bench.aim(position=0.1)
    bench.run(10)
    assert bench.cycle.counts.without_new_goals == 9
    assert bench.cycle.written.number == 1


def test_a_joint_whose_last_move_was_lost_on_the_line_is_soon_where_the_others_are() -> None:
    bench = Bench(2)
    bench.start()
    for _ in range(20):
        bench.aim(position=0.0)
        bench.run()
    bench.do("fault deaf id=2 count=1")
    for _ in range(10):
        bench.aim(position=0.09)
        feedback = bench.run()
    np.testing.assert_allclose(feedback.position, 0.09, atol=0.015)


def test_wheels_turn_both_ways_and_stop_when_goals_stop() -> None:
    bench = Bench(0, wheels=2, command_timeout=0.2)
    bench.start()
    for _ in range(25):
        bench.aim(wheel=-2.0)
        feedback = bench.run()
    np.testing.assert_allclose(feedback.velocity, -2.0, atol=0.2)
    feedback = bench.run(40)
    assert [bench.register(i, "goal_speed") for i in (1, 2)] == [0, 0]
    np.testing.assert_allclose(feedback.velocity, 0.0, atol=0.05)
    assert bench.cycle.counts.timeouts == 2


def test_a_wheel_without_goals_of_its_own_stops_while_other_joints_get_theirs() -> None:
    bench = Bench(1, wheels=2, command_timeout=0.2)
    bench.start()
    bench.aim(wheel=2.0)
    bench.run()
    for count in range(25):
        bench.aim_at(j1=0.01 * count, w2=2.0)
        feedback = bench.run()
    assert [bench.register(i, "goal_speed") for i in (2, 3)] == [0, 1304]
    np.testing.assert_allclose(feedback.velocity[1:], [0.0, 2.0], atol=0.2)
    assert bench.cycle.written.velocity[1:].tolist() == [0.0, 2.0]
    assert bench.cycle.counts.timeouts == 1
    bench.aim_at(w1=-1.0)
    bench.run()
    assert bench.cycle.written.velocity[1:].tolist() == [-1.0, 2.0]


def test_the_stop_of_one_wheel_is_repeated_with_every_goal_of_the_others() -> None:
    bench = Bench(1, wheels=1, command_timeout=0.2)
    bench.start()
    bench.aim(wheel=2.0)
    bench.run(8)
    inner, lost = bench.transport.write, [0]

    def lose_three_writes(data: bytes) -> None:
        if data[4] == 0x83 and lost[0] < 5:
            lost[0] += 1
            return
        inner(data)

    bench.transport.write = lose_three_writes  # type: ignore[method-assign]
    for count in range(12):
        bench.aim_at(j1=0.01 * count)
        bench.run()
    assert lost[0] == 5
    assert bench.register(2, "goal_speed") == 0


def test_position_servos_hold_when_goals_stop() -> None:
    bench = Bench(2, command_timeout=0.2)
    bench.start()
    bench.walk(30)
    held = bench.positions()
    bench.run(50)
    assert bench.positions().tolist() == held.tolist()
    assert bench.register(1, "torque_enable") == 1


def test_a_stop_of_wheels_that_is_lost_on_the_line_is_repeated() -> None:
    bench = Bench(0, wheels=1, command_timeout=0.1)
    bench.start()
    bench.aim(wheel=2.0)
    bench.run(3)
    inner, lost = bench.transport.write, [0]

    def lose_three_writes(data: bytes) -> None:
        if data[4] == 0x83 and lost[0] < 3:
            lost[0] += 1
            return
        inner(data)

    bench.transport.write = lose_three_writes  # type: ignore[method-assign]
    bench.run(15)
    assert lost[0] == 3
    assert bench.register(1, "goal_speed") == 0


def steady_motion(lead: float, lose_one: bool) -> list[int]:
    """Steps of a joint that moves at 1 rad/s; in the middle a write may be lost."""
    bench = Bench(1)
    bench.start()
    bench.aim_at(j1=-1.0)
    bench.run(150)
    inner, cycle = bench.transport.write, 0

    def write(data: bytes) -> None:
        if not (lose_one and cycle == 30 and data[4] == 0x83):
            inner(data)

    bench.transport.write = write  # type: ignore[method-assign]
    steps, period = [], bench.cycle.plan.period
    for cycle in range(60):
        bench.aim_at(lead, j1=-1.0 + cycle * period + lead)
        steps.append(int(bench.run().steps[0]))
    return steps


def test_with_a_lead_of_a_period_a_lost_write_changes_nothing() -> None:
    """The goal before it still has a period to go, at the same speed."""
    assert steady_motion(0.02, True) == steady_motion(0.02, False)
    late = np.array(steady_motion(0.0, False)) - steady_motion(0.0, True)
    assert 8 <= abs(late[-1]) <= 14  # without lead it stays behind by what was lost, 13 steps


@pytest.mark.parametrize("feedback", ["short", "long"])
def test_every_value_is_the_servos_own(feedback: str) -> None:
    bench = Bench(3, feedback=feedback)
    bench.start()
    bench.do("load 2 0.4")
    values = bench.walk(40)
    for index, servo_id in enumerate(bench.table.ids):
        sign = bench.table.sign[index]
        present = bench.register(servo_id, "present_position")
        assert abs(values.steps[index] - present) <= 3
        assert values.voltage[index] == pytest.approx(
            bench.register(servo_id, "present_voltage") / 10, abs=0.11
        )
        assert values.temperature[index] == bench.register(servo_id, "present_temperature")
        expected = sign * (values.steps[index] - 2048) * math.tau / 4096
        assert values.position[index] == pytest.approx(expected)
    assert abs(values.load[1]) > abs(values.load[0]) + 0.05


def test_load_has_the_sign_of_the_joint() -> None:
    """The same torque on two joints, of which one servo is mounted the other way round."""
    bench = Bench(2)
    bench.start()
    bench.do("load 1 -0.5")
    bench.do("load 2 0.5")
    values = bench.run(60)
    assert values.load[0] == pytest.approx(values.load[1], abs=0.01)
    assert abs(values.load[0]) > 0.1


def test_a_missing_servo_keeps_its_last_value_with_a_growing_age() -> None:
    bench = Bench(3)
    bench.start()
    bench.walk(10)
    before = bench.walk(1)
    bench.do("fault drop id=2")
    during = bench.walk(3)
    assert during.status.tolist() == [Status.OK, Status.MISSING, Status.OK]
    assert during.position[1] == before.position[1]
    assert during.age[1] == pytest.approx(3 * 0.02, abs=0.01)
    assert during.age[0] < 0.01


def test_what_was_never_read_is_nan_and_infinitely_old() -> None:
    bench = Bench(2)
    bench.start()
    bench.do("fault drop id=2")
    feedback = bench.run()
    assert math.isnan(feedback.position[1]) and math.isinf(feedback.age[1])
    assert math.isnan(feedback.voltage[1]) and math.isnan(feedback.load[1])


def test_a_lost_reply_is_asked_for_again_within_the_cycle() -> None:
    bench = Bench(6)
    bench.start()
    bench.do("fault drop id=4 probability=0.3")
    missing = 0
    for _ in range(200):
        missing += int((bench.walk(1).status != Status.OK).sum())
    assert bench.session.bus_counts.retries > 30
    assert missing < bench.session.bus_counts.retries / 2


def test_a_silent_servo_does_not_cost_the_others_their_rate() -> None:
    bench = Bench(18, rate=150.0)
    bench.start()
    bench.do("power 7 off")
    bench.walk(20)
    start = bench.now
    others_bad = 0
    for _ in range(150):
        feedback = bench.walk(1)
        others_bad += int((np.delete(feedback.status, 6) != Status.OK).sum())
    assert bench.now - start == pytest.approx(1.0, abs=0.01)
    assert others_bad == 0


@pytest.mark.parametrize("length", [6, 15])
def test_random_faults_never_give_a_wrong_value(length: int) -> None:
    """The truth is the emulator's own state at the time of reading."""
    faults = [
        "corrupt:probability=0.02",
        "drop:probability=0.01",
        "truncate:probability=0.01",
        "noise:probability=0.02",
        "duplicate:probability=0.01",
        "delay:probability=0.01,time=0.004",
    ]
    bench = Bench(8, setup={"faults": faults}, feedback="short" if length == 6 else "long")
    bench.start()
    read = wrong = 0
    for _ in range(500):
        feedback = bench.walk(1)
        truth = np.array([bench.register(i, "present_position") for i in bench.table.ids])
        fresh = feedback.fresh
        read += int(fresh.sum())
        # Between reading and now a joint moves a little.
        wrong += int((np.abs(feedback.steps - truth)[fresh] > 8).sum())
    assert wrong == 0
    assert read > 0.99 * 8 * 500


def test_a_servo_that_answers_with_anothers_id_gives_no_wrong_value() -> None:
    bench = Bench(8, setup={"faults": ["wrong_id:probability=0.02"]})
    bench.start()
    for index in range(8):
        bench.do(f"load {index + 1} {0.1 * index}")
    wrong = 0
    for _ in range(300):
        feedback = bench.walk(1)
        truth = np.array([bench.register(i, "present_position") for i in bench.table.ids])
        wrong += int((np.abs(feedback.steps - truth)[feedback.fresh] > 8).sum())
    assert bench.session.bus_counts.scan.duplicate > 20
    assert wrong == 0


@pytest.mark.parametrize("shift", [1, 2, 5, -1, -3])
def test_a_servo_that_answers_with_the_id_of_one_whose_reply_is_lost_gives_no_wrong_value(
    shift: int,
) -> None:
    """Nobody else says anything in that name, so only turn and place can tell."""
    bench = Bench(8)
    bench.start()
    bench.aim_at(**{f"j{i}": 0.15 * i for i in range(1, 9)})
    bench.run(150)
    liar = 3 if shift > 0 else 6
    bench.do(f"fault wrong_id id={liar} shift={shift} probability=0.3")
    bench.do(f"fault drop id={liar + shift} probability=0.5")
    wrong = read = 0
    for _ in range(200):
        feedback = bench.run()
        truth = np.array([bench.register(i, "present_position") for i in bench.table.ids])
        fresh = feedback.fresh
        read += int(fresh.sum())
        wrong += int((np.abs(feedback.steps - truth)[fresh] > 20).sum())
    assert wrong == 0
    assert read > 0.8 * 8 * 200


def test_the_plan_for_18_servos() -> None:
    slow = plan_cycle(BusTiming(), 18, 50.0, "auto", "auto")
    fast = plan_cycle(BusTiming(), 18, 150.0, "auto", "auto")
    assert (slow.block.length, slow.phase) == (15, SyncPhase.AFTER_READ)
    assert (fast.block.length, fast.phase) == (6, SyncPhase.AFTER_WRITE)
    assert fast.bus_time < fast.period


@pytest.mark.parametrize(
    ("count", "baud", "rate", "fits"),
    [
        (8, 115_200, 50.0, True),
        (8, 115_200, 60.0, False),
        (18, 1_000_000, 150.0, True),
        (18, 1_000_000, 250.0, False),
        (6, 115_200, 50.0, True),
    ],
)
def test_what_does_not_fit_on_the_line_is_refused_with_the_sum(
    count: int, baud: int, rate: float, fits: bool
) -> None:
    timing = BusTiming(baud=baud)
    if fits:
        assert plan_cycle(timing, count, rate, "auto", "auto").bus_time < 1 / rate
        return
    with pytest.raises(
        ConfigError, match=rf"at most \d+ Hz: {count} servos at {baud} bit/s"
    ) as error:
        plan_cycle(timing, count, rate, "auto", "auto")
    highest = float(str(error.value).split("at most ")[1].split(" Hz")[0])
    assert plan_cycle(timing, count, highest - 1, "short", "auto").bus_time < 1 / highest


def test_a_wheel_with_a_position_offset_shows_its_position_without_it() -> None:
    """The servo applies its offset in position mode only, so a mode change would move the joint."""
    bench = Bench(0, wheels=1, setup={"settings": ["1:position_offset=300"]})
    bench.start()
    feedback = bench.run(3)
    raw = bench.register(1, "present_position")
    assert feedback.steps[0] == raw - 300


def test_a_line_that_is_held_down_for_a_while_costs_nothing_but_that_while() -> None:
    bench = Bench(6)
    bench.start()
    bench.walk(30)
    bench.do("fault stuck id=3 count=1 replies=60")
    held = [bench.walk(1) for _ in range(6)]
    after = bench.walk(20)
    assert not held[1].fresh.any()
    assert all(np.isfinite(feedback.position).all() for feedback in held)
    assert after.fresh.all()
    assert bench.cycle.watch.lost_settings == 0
    assert bench.cycle.watch.drivable.all()


def test_replies_out_of_order_are_all_taken() -> None:
    bench = Bench(6, setup={"faults": ["shuffle:probability=1"]})
    bench.start()
    assert all(bench.walk(1).fresh.all() for _ in range(50))


@pytest.mark.parametrize("feedback", ["short", "long"])
def test_the_supply_is_not_known_any_more_when_nobody_is_heard(feedback: str) -> None:
    bench = Bench(2, feedback=feedback)
    bench.start()
    assert bench.walk(20).supply == pytest.approx(7.4, abs=0.3)
    bench.do("power 1 off")
    bench.do("power 2 off")
    assert math.isnan(bench.walk(60).supply)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("duration", [1e-320, 1e308])
def test_goals_near_the_end_of_the_floats_are_cut_without_a_word(duration: float) -> None:
    bench = Bench(1, wheels=1)
    bench.start()
    bench.goals = GoalMerger(bench.table).merge(
        ["j1", "w1"], [1e308, math.nan], [duration] * 2, [math.nan, -1e308], bench.now
    )
    bench.run()
    assert bench.register(1, "goal_position") == 2048 - round(1.5 * 4096 / math.tau)
    assert 1 <= bench.register(1, "goal_speed") <= 1 / RAD_PER_STEP + 1
    assert bench.register(2, "goal_speed") == -3400
