"""Bytes take time on the wire, and two talkers at once understand nobody."""

import pytest

from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.emulated_bus import PROCESSING, EmulatedBus
from sts3215_driver.emulator.servo_bank import ServoBank
from sts3215_driver.protocol import packets

BYTE = 10e-6
TURN_AROUND = BYTE + PROCESSING


def test_reply_starts_after_the_request_and_the_turn_around() -> None:
    ((arrival, data),) = Bench().listen(packets.read(1, 56, 2))
    assert arrival == pytest.approx((8 + 8) * BYTE + TURN_AROUND, abs=1e-9)
    assert len(data) == 8


@pytest.mark.parametrize("length", [1, 2, 6, 15])
def test_sync_read_slots_are_counted_from_the_end_of_the_request(length: int) -> None:
    ids = [3, 1, 2]
    request = packets.sync_read(56, length, ids)
    heard = Bench((1, 2, 3)).listen(request)
    assert [data[2] for _, data in heard] == ids
    for place, (arrival, data) in enumerate(heard):
        reply = length + 6
        begin = len(request) * BYTE + TURN_AROUND + place * (reply + 3) * BYTE
        assert len(data) == reply
        assert arrival == pytest.approx(begin + reply * BYTE, abs=1e-9)


def test_a_missing_servo_leaves_its_slot_empty() -> None:
    request = packets.sync_read(56, 15, [1, 2, 3])
    whole = Bench((1, 2, 3)).listen(request)
    gap = Bench((1, 3)).listen(request)
    assert [at for at, _ in gap] == [at for at, _ in (whole[0], whole[2])]


def test_18_servos_keep_the_bus_for_the_computed_time() -> None:
    ids = tuple(range(1, 19))
    request = packets.sync_read(56, 15, ids)
    last, _ = Bench(ids).listen(request)[-1]
    assert last == pytest.approx(26 * BYTE + TURN_AROUND + (17 * 24 + 21) * BYTE, abs=1e-9)


def test_broadcast_ping_is_answered_in_slots_by_id() -> None:
    heard = Bench((1, 5, 6)).listen(packets.ping(packets.BROADCAST_ID))
    for servo_id, (arrival, data) in zip((1, 5, 6), heard, strict=True):
        begin = 6 * BYTE + TURN_AROUND + servo_id * 9 * BYTE
        assert data == packets.status(servo_id, 0)
        assert arrival == pytest.approx(begin + 6 * BYTE, abs=1e-9)


def test_slower_rates_take_longer() -> None:
    bench = Bench(setup=Setup(baud=115_200))
    ((arrival, _),) = bench.listen(packets.read(1, 56, 2))
    assert arrival == pytest.approx((16 + 1) * 10 / 115_200 + PROCESSING, abs=1e-9)


def test_requests_written_at_once_go_out_one_after_the_other() -> None:
    bench = Bench((1, 2))
    (write,) = packets.sync_write(42, 2, [(1, b"\x00\x08"), (2, b"\x00\x08")])
    bench.port.write(write)
    ((arrival, _),) = bench.listen(packets.read(1, 42, 2))
    assert arrival == pytest.approx((len(write) + 16) * BYTE + TURN_AROUND, abs=1e-9)


def test_a_host_that_does_not_pause_hears_the_answer_to_its_last_request_only() -> None:
    bench = Bench((1, 2))
    bench.port.write(packets.write(1, 42, b"\x00\x09"))
    bench.port.write(packets.read(1, 42, 2))
    ((arrival, data),) = bench.listen(packets.read(1, 46, 2))
    assert data == packets.status(1, 0, b"\x00\x00")
    assert arrival == pytest.approx((9 + 8 + 8 + 8) * BYTE + TURN_AROUND, abs=1e-9)
    assert bench.get(1, "goal_position") == 0x900


def test_an_answer_waits_until_the_line_is_idle() -> None:
    bench = Bench()
    ((arrival, _),) = bench.listen(packets.ping(1) + bytes(20))
    assert arrival == pytest.approx((6 + 20 + 6) * BYTE + TURN_AROUND, abs=1e-9)
    bench.port.write(packets.ping(1))
    ((arrival, _),) = bench.listen(bytes(20))
    assert arrival == pytest.approx((6 + 20 + 6) * BYTE + TURN_AROUND, abs=1e-9)


def test_a_request_in_pieces_is_answered_after_its_last_byte() -> None:
    bench = Bench()
    request = packets.ping(1)
    bench.port.write(request[:3])
    bench.wait(0.5)
    ((arrival, _),) = bench.listen(request[3:])
    assert arrival == pytest.approx((3 + 6) * BYTE + TURN_AROUND, abs=1e-9)


def test_without_wire_time_replies_are_there_at_once_in_order() -> None:
    bench = Bench((1, 2, 3), Setup(wire_time=False))
    heard = bench.listen(packets.sync_read(56, 2, [2, 3, 1]))
    assert [(at, data[2]) for at, data in heard] == [(0.0, 2), (0.0, 3), (0.0, 1)]


def test_nothing_is_handed_out_before_it_has_arrived() -> None:
    bus = EmulatedBus(ServoBank([1]))
    bus.receive(packets.ping(1), 0.0)
    due = bus.next_arrival()
    assert due is not None
    assert bus.transmit(due - 1e-9) is None
    assert bus.transmit(due) == (due, packets.status(1, 0))
    assert bus.transmit(due + 1) is None


@pytest.mark.parametrize("seed", range(20))
def test_two_servos_with_one_id_make_garbage(seed: int) -> None:
    bench = Bench((1, 1), Setup(seed=seed))
    ((_, data),) = bench.listen(packets.ping(1))
    assert data != packets.status(1, 0)
    with pytest.raises(ValueError, match="no status packet"):
        bench.ask(packets.read(1, 56, 2))


def test_servos_that_got_one_id_by_broadcast_collide_from_then_on() -> None:
    bench = Bench((4, 5))
    assert bench.exchange(packets.write(packets.BROADCAST_ID, 5, b"\x01")) == b""
    ((_, data),) = bench.listen(packets.ping(1))
    assert data != packets.status(1, 0)


def test_host_that_talks_into_a_reply_spoils_both() -> None:
    bench = Bench((1, 2))
    bench.port.write(packets.read(1, 0, 40))
    bench.wait(0.3e-3)  # the reply is under way
    (spoiled,) = [data for _, data in bench.listen(packets.ping(2))]
    assert len(spoiled) == 46
    assert spoiled != bench.exchange(packets.read(1, 0, 40))
    assert bench.ask(packets.ping(2)) is not None


def test_servos_at_another_rate_hear_nothing() -> None:
    bench = Bench()
    bench.bus.baud = 500_000
    assert bench.exchange(packets.ping(1)) == b""
