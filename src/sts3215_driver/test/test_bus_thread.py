"""The bus thread: what it drives, what a stop reaches, and what a lost port changes."""

from __future__ import annotations

import pytest
from driver_bench import Bench
from stepped_thread import PATIENCE, Cable, stepped

from sts3215_driver import bus_thread
from sts3215_driver.bus_thread import State


def test_without_torque_at_the_start_no_goal_is_written() -> None:
    bench = Bench(2)
    bench.session.connect()
    with stepped(bench) as run:
        assert run.thread.state is State.FREE
        bench.aim(position=0.3)
        run.thread.goals = bench.goals
        run.step(5)
        assert run.torque() == [0, 0]
        assert not run.thread.ticks


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_thread, "RECONNECT_PERIOD", 0.0)


def test_a_lost_port_brings_the_torque_back() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        assert run.thread.state is State.LOST
        cable.plug_in()
        run.step()
        assert run.thread.state is State.RUNNING and run.thread.cycle == 1


def test_a_stop_while_the_port_is_lost_takes_the_torque_off_when_it_is_back() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        asking = run.ask(run.thread.stop)
        run.release()
        answer = asking.result(PATIENCE)
        assert not answer[0] and "torque goes off as soon as it is back" in answer[1]
        cable.plug_in()
        run.arrive()
        assert run.thread.state is State.FREE
        assert run.torque() == [0, 0]
        run.step(3)
        assert run.thread.state is State.FREE


def test_a_port_lost_in_the_middle_of_a_stop_does_not_save_the_torque() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        asking = run.ask(run.thread.stop)
        cable.pull()
        run.step()
        assert not asking.result(PATIENCE)[0]
        assert run.torque() == [1, 1]
        cable.plug_in()
        run.step()
        assert run.thread.state is State.FREE
        assert run.torque() == [0, 0]


def test_an_end_while_the_port_comes_back_does_not_switch_torque_on() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    seeded = []
    with stepped(bench) as run:
        cable.pull()
        run.step()
        bench.session.torque_on = lambda: seeded.append(1)  # type: ignore[method-assign]
        cable.plug_in(and_then=run.thread._ending.set)
        run.release()
        run.thread._thread.join(PATIENCE)
    assert not seeded
    assert run.torque() == [0, 0]


def test_a_request_that_was_given_up_is_not_carried_out_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(2)
    bench.session.connect()
    monkeypatch.setattr(bus_thread, "REQUEST_TIMEOUT", 0.0)
    with stepped(bench) as run:
        success, message = run.thread.set_torque(True)
        assert not success and "did not answer" in message
        run.step(3)
        assert run.torque() == [0, 0]


def test_a_stop_is_carried_out_however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(2)
    bench.start()
    monkeypatch.setattr(bus_thread, "REQUEST_TIMEOUT", 0.0)
    with stepped(bench) as run:
        assert not run.thread.stop()[0]
        run.step()
        assert run.torque() == [0, 0]


def test_an_end_before_the_lost_port_was_found_again_takes_the_torque_off_if_it_is_back() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        cable.plug_in()
        run.thread._ending.set()
    assert run.torque() == [0, 0]
    assert run.thread.trouble == ""


def test_an_end_without_a_port_says_that_torque_may_be_on() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
    assert "port lost for the test" in run.thread.trouble
