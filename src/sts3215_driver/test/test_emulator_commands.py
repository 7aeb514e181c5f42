"""What can be done to running servos by a line of text."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts3215_driver.emulator.bench import Bench
from sts3215_driver.protocol import packets


def test_state_shows_registers_and_what_is_behind_them() -> None:
    bench = Bench((1, 2))
    bench.do("load 2 0.3 inertia=0.001")
    state = bench.do("state 2")
    assert state["id"] == 2
    assert state["present_position"] == 2048
    assert state["load"] == {"torque": 0.3, "inertia": 0.001, "gravity": 0.0, "friction": 0.0}
    assert state["powered"] is state["answers"] is True
    assert len(bytes.fromhex(state["registers"])) == 87
    assert [each["id"] for each in bench.do("state")] == [1, 2]


def test_load_changes_one_value_and_keeps_the_others() -> None:
    bench = Bench()
    bench.do("load 1 gravity=0.5")
    bench.do("load 1 0.2")
    assert bench.do("state 1")["load"]["gravity"] == 0.5
    assert bench.do("state 1")["load"]["torque"] == 0.2


def test_turn_moves_the_shaft_and_it_stays_there() -> None:
    bench = Bench()
    bench.do("turn 1 100")
    bench.wait(0.5)
    assert bench.get(1, "present_position") == 100


def test_register_glitches_a_measurement_until_it_is_freed() -> None:
    bench = Bench()
    bench.do("register 1 present_temperature 77")
    assert bench.get(1, "present_temperature") == 77
    bench.do("register 1 present_temperature free")
    assert bench.get(1, "present_temperature") == 25


def test_register_changes_a_setting_as_if_it_had_been_written() -> None:
    bench = Bench()
    bench.do("register 1 id 9")
    assert bench.ask(packets.ping(1)) is None
    assert bench.ask(packets.ping(9)) is not None


def test_faults_are_listed_counted_and_healed() -> None:
    bench = Bench()
    assert bench.do("fault drop id=1 probability=1") == 0
    assert bench.do("fault noise length=1") == 1
    assert bench.exchange(packets.ping(1)) == b""
    assert [fault["happened"] for fault in bench.do("faults")] == [1, 0]
    bench.do("heal 0")
    assert len(bench.exchange(packets.ping(1))) == 7
    bench.do("heal all")
    assert bench.ask(packets.ping(1)) is not None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("dance", "there is no command 'dance'; there are state, load"),
        ("", "there is no command ''"),
        ("load", "too few words"),
        ("load 1", "too few words"),
        ("load 1 heavy", "'torque' is 'heavy'; expected a number"),
        ("load 1 colour=1", "expected one of torque"),
        ("load 1 nan", "expected a finite number"),
        ("load 9 1", "there is no servo 9"),
        ("load x 1", "'x' is no whole number"),
        ("power 1 maybe", "power is `on` or `off`"),
        ("supply lots", "'volt' is 'lots'"),
        ("supply -1", "is no supply"),
        ("alarm 1 red", "'red' is no whole number"),
        ("register 1 colour 1", "there is no register 'colour'"),
        ("register 1 id x", "'x' is no whole number"),
        ("fault", "which fault?"),
        ("fault drop colour=1", "expected one of id"),
        ("heal 3", "there is no fault 3"),
        ('load "1', "No closing quotation"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused_with_a_reason(line: str, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        Bench().do(line)
    assert complaint in str(caught.value)


WORDS = """state load turn power supply temperature alarm register fault faults heal all on off 1 2
-1 0x7 1e9 inf torque=1 inertia=-1 drop corrupt id=1 byte=900 length=-5 free goal_speed ="""
words = st.sampled_from(WORDS.split())


@given(st.lists(st.one_of(words, st.text(max_size=5)), max_size=5).map(" ".join))
def test_no_line_breaks_the_servos(line: str) -> None:
    bench = Bench()
    with suppress(ValueError):
        bench.do(line)
    bench.exchange(packets.read(1, 0, 87))
    bench.wait(0.05)
