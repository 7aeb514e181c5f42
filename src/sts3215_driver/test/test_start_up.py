"""Bringing servos to life: nothing moves, nothing is guessed, torque comes last."""

from __future__ import annotations

import numpy as np
import pytest
from driver_bench import Bench

from sts3215_driver.errors import StartError
from sts3215_driver.protocol.packets import Instruction
from sts3215_driver.session import Session, SessionSettings


class Recorder:
    """Notes each servo's goal, position and torque after every request, between driver and servos."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._inner = bench, bench.transport.write
        self.states: list[dict[int, tuple[int, int, int]]] = []
        self.requests: list[bytes] = []
        bench.transport.write = self.write  # type: ignore[method-assign]

    def write(self, data: bytes) -> None:
        self._inner(data)
        self.requests.append(data)
        state = {
            i: tuple(
                self._bench.register(i, name)
                for name in ("torque_enable", "goal_position", "present_position")
            )
            for i in self._bench.table.ids
        }
        self.states.append(state)  # type: ignore[arg-type]


@pytest.mark.parametrize("pose", ["random", "900", "3300"])
def test_torque_never_comes_on_with_a_goal_other_than_the_present_position(pose: str) -> None:
    bench = Bench(4, setup={"pose": pose, "seed": 5})
    recorder = Recorder(bench)
    bench.start()
    seen_on = 0
    for state in recorder.states:
        for torque, goal, present in state.values():
            if torque:
                seen_on += 1
                assert abs(goal - present) <= 1
    assert seen_on


def test_nothing_moves_at_the_start() -> None:
    bench = Bench(4, setup={"pose": "random", "seed": 2})
    before = [bench.register(i, "present_position") for i in bench.table.ids]
    bench.start()
    bench.run(25)
    after = [bench.register(i, "present_position") for i in bench.table.ids]
    assert np.abs(np.subtract(after, before)).max() <= 1


def test_servos_that_do_not_answer_are_all_named_and_nothing_gets_torque() -> None:
    bench = Bench(4)
    bench.do("power 2 off")
    bench.do("power 4 off")
    with pytest.raises(StartError, match=r"servo 2 \(j2\), servo 4 \(j4\) do not answer") as error:
        bench.start()
    assert "power, cable, id and baud rate" in str(error.value)
    assert bench.register(1, "torque_enable") == 0


def test_a_servo_lost_between_inspection_and_torque_frees_the_others() -> None:
    bench = Bench(3)
    bench.session.connect()
    bench.do("power 3 off")
    with pytest.raises(StartError, match=r"servo 3 \(j3\)"):
        bench.session.torque_on()
    assert [bench.register(i, "torque_enable") for i in (1, 2)] == [0, 0]


def test_a_joint_that_sinks_while_others_are_seeded_is_not_pulled_back() -> None:
    bench = Bench(3)
    bench.session.connect()
    inner = bench.transport.write

    def write(data: bytes) -> None:
        inner(data)
        if data[2] == 1 and data[4] == Instruction.WRITE:
            bench.do("turn 3 2148")

    bench.transport.write = write  # type: ignore[method-assign]
    bench.session.torque_on()
    assert abs(bench.register(3, "goal_position") - 2148) <= 1


def test_a_servo_lost_while_goals_are_seeded_frees_those_that_hold_by_their_seed() -> None:
    bench = Bench(3)
    bench.session.connect()
    inner = bench.transport.write

    def write(data: bytes) -> None:
        inner(data)
        if data[2] == 2 and data[4] == Instruction.WRITE:
            bench.do("power 3 off")

    bench.transport.write = write  # type: ignore[method-assign]
    with pytest.raises(StartError, match=r"servo 3 \(j3\)"):
        bench.session.torque_on()
    assert [bench.register(i, "torque_enable") for i in (1, 2)] == [0, 0]


def test_a_servo_that_stands_where_no_goal_can_be_frees_those_that_hold_by_their_seed() -> None:
    bench = Bench(2)
    bench.session.connect()
    bench.do("register 2 present_position 32000")
    with pytest.raises(StartError, match=r"servo 2 \(j2\) stands where no goal can be"):
        bench.session.torque_on()
    assert bench.register(1, "torque_enable") == 0


def test_a_wheel_in_position_mode_is_put_into_wheel_mode_for_this_run() -> None:
    bench = Bench(1, wheels=1, setup={"settings": ["2:operating_mode=0"]})
    bench.start()
    assert bench.register(2, "operating_mode") == 1
    assert any("until its next power cycle" in warning for warning in bench.session.warnings)
    bench.do("power 2 off")
    bench.do("power 2 on")
    assert bench.register(2, "operating_mode") == 0


def test_coarse_speed_unit_is_read_from_the_phase_register() -> None:
    bench = Bench(2, setup={"settings": ["1:phase=8"]})
    bench.start()
    assert any("units of 50 step/s" in warning for warning in bench.session.warnings)
    for step in range(30):
        bench.aim(position=0.01 * step)
        feedback = bench.run()
    fine, coarse = (bench.register(i, "goal_speed") for i in (2, 1))
    assert 300 <= fine <= 350 and coarse in (6, 7)
    np.testing.assert_allclose(feedback.position, 0.29, atol=0.03)


def test_multi_turn_feedback_is_said() -> None:
    bench = Bench(1, setup={"settings": ["1:phase=28"]})
    bench.start()
    assert any("counts turns" in warning for warning in bench.session.warnings)


def test_different_firmware_is_a_warning_not_a_refusal() -> None:
    bench = Bench(2)
    bench.do("register 2 firmware_minor 9")
    bench.start()
    assert any("different firmware: 3.10, 3.9" in warning for warning in bench.session.warnings)


def test_a_servo_without_acknowledgements_starts_as_well() -> None:
    bench = Bench(2, setup={"settings": ["2:response_level=0"]})
    bench.start()
    assert bench.register(2, "torque_enable") == 1


def test_noise_on_the_line_does_not_prevent_the_start() -> None:
    bench = Bench(6, setup={"faults": ["corrupt:probability=0.05", "drop:probability=0.05"]})
    bench.start()
    assert all(bench.register(i, "torque_enable") == 1 for i in bench.table.ids)


def test_torque_off_reaches_all_and_names_who_does_not_answer() -> None:
    bench = Bench(3)
    bench.start()
    bench.do("power 2 off")
    holding = bench.session.torque_off()
    assert holding == ("servo 2 (j2) does not answer",)
    assert [bench.register(i, "torque_enable") for i in (1, 3)] == [0, 0]


def test_torque_off_goes_to_all_at_once_before_anybody_is_asked() -> None:
    bench = Bench(3)
    bench.start()
    recorder = Recorder(bench)
    bench.session.torque_off()
    first = recorder.requests[0]
    assert first[2] == 0xFE and first[4] == Instruction.WRITE
    assert all(torque == 0 for torque, _, _ in recorder.states[0].values())


def test_a_servo_that_does_not_know_sync_read_is_read_by_itself_from_then_on() -> None:
    bench = Bench(3)
    inner = bench.device._sync_read  # type: ignore[attr-defined]
    bench.device._sync_read = lambda request, *rest: [  # type: ignore[attr-defined,method-assign]
        reply for reply in inner(request, *rest) if reply.servo_id != 2
    ]
    bench.start()
    assert bench.session.bus.single_readers == {2}
    assert bench.walk(5).fresh.all()


def test_a_board_that_talks_json_instead_of_passing_packets_on_is_named() -> None:
    bench = Bench(2)
    answers: list[tuple[float, bytes]] = []

    def receive(data: bytes, now: float) -> None:
        if b'"T":105' in data:
            answers.append((now + 0.01, b'{"T":1051,"x":309,"y":0}\r\n'))

    def transmit(until: float) -> tuple[float, bytes] | None:
        return answers.pop(0) if answers and answers[0][0] <= until else None

    bench.device.receive, bench.device.transmit = receive, transmit  # type: ignore[method-assign]
    with pytest.raises(
        StartError, match=r"do not answer.*; on this port is a board that talks JSON"
    ):
        bench.start()


def test_a_start_that_nobody_needs_any_more_ends_at_once() -> None:
    bench = Bench(8)
    for servo_id in bench.table.ids:
        bench.do(f"power {servo_id} off")
    session = Session(
        bench.table, lambda: bench.transport, SessionSettings(latency=0.5), lambda: bench.now > 1.0
    )
    with pytest.raises(StartError, match="the start was given up"):
        session.connect()
    # One more servo is waited for; all of them in turn would take half a minute.
    assert bench.now < 3.0
