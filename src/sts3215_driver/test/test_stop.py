"""A stop while no cycles run: whatever else is broken, torque off goes out where there is a way."""

from __future__ import annotations

from driver_bench import Bench
from stepped_thread import Cable

from sts3215_driver.protocol.packets import BROADCAST_ID
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.session import TORQUE_OFF

ENABLE = BY_NAME["torque_enable"].address


def held(bench: Bench) -> None:
    """Connected, without cycles, and somebody else has switched torque on."""
    bench.session.connect()
    bench.session.bus.write(BROADCAST_ID, ENABLE, b"\x01")
    assert torque(bench) == [1, 1]


def torque(bench: Bench) -> list[int]:
    return [bench.register(i, "torque_enable") for i in bench.table.ids]


def test_a_stop_over_the_open_port_frees_all_and_keeps_the_port() -> None:
    bench = Bench(2)
    held(bench)
    assert bench.session.stop() == (True, "torque is off on all 2 servos")
    assert torque(bench) == [0, 0]
    assert bench.session.connected
    assert (bench.session.torque == TORQUE_OFF).all()
    bench.session.torque_on()
    assert torque(bench) == [1, 1]


def test_a_stop_without_an_open_port_opens_it_and_gives_it_back() -> None:
    bench = Bench(2)
    held(bench)
    bench.session.disconnect()
    Cable(bench)
    assert bench.session.stop()[0]
    assert torque(bench) == [0, 0]
    assert not bench.session.connected


def test_a_stop_over_a_port_that_was_lost_and_is_back_goes_over_the_new_one() -> None:
    bench = Bench(2)
    held(bench)
    cable = Cable(bench)
    cable.pull()
    cable.plug_in()
    assert bench.session.stop()[0]
    assert torque(bench) == [0, 0]


def test_a_stop_without_any_port_says_that_torque_may_be_on() -> None:
    bench = Bench(2)
    held(bench)
    Cable(bench).pull()
    assert bench.session.stop() == (
        False,
        "port lost for the test; torque may still be on",
    )


def test_a_stop_names_the_servo_that_could_not_be_asked_and_frees_the_others() -> None:
    bench = Bench(2)
    held(bench)
    bench.do("power 2 off")
    success, message = bench.session.stop()
    assert not success and "j2" in message and "does not answer" in message
    assert bench.register(1, "torque_enable") == 0
