"""Exchanges on a bad line, on virtual time: partial results, retries, late replies, deadlines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sts3215_driver.bus import Bus
from sts3215_driver.errors import BadReplyError, NoReplyError
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.timing import BusTiming, LatencyEstimate
from sts3215_driver.transport.memory import MemoryTransport

Replies = list[tuple[float, bytes]]


class FakeLine:
    """Answers the n-th request with what `answer(n, request)` gives: delays in s, and bytes."""

    def __init__(self, answer: Callable[[int, bytes], Replies]) -> None:
        self._answer = answer
        self._pending: Replies = []
        self.requests: list[bytes] = []

    def receive(self, data: bytes, now: float) -> None:
        answers = self._answer(len(self.requests), data)
        self._pending += [(now + delay, reply) for delay, reply in answers]
        self._pending.sort(key=lambda entry: entry[0])
        self.requests.append(data)

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        if self._pending and self._pending[0][0] <= until:
            return self._pending.pop(0)
        return None


def bus_with(answer: Callable[[int, bytes], Replies], **timing: object) -> tuple[Bus, FakeLine]:
    line = FakeLine(answer)
    return Bus(MemoryTransport(line), BusTiming(**timing)), line  # type: ignore[arg-type]


def value(servo_id: int, number: int, length: int = 2) -> bytes:
    return packets.status(servo_id, 0, number.to_bytes(2, "little") + bytes(length - 2))


def test_one_missing_servo_costs_the_others_nothing() -> None:
    bus, _ = bus_with(lambda n, request: [(0.0005, value(1, 10)), (0.0009, value(3, 30))])
    readings = bus.sync_read(56, 2, [1, 2, 3])
    assert [reading.status for reading in readings] == [Status.OK, Status.MISSING, Status.OK]
    assert readings[1].packet is None


def test_only_the_missing_ones_are_asked_again() -> None:
    def answer(n: int, request: bytes) -> Replies:
        if n == 0:
            return [(0.0005, value(1, 10)), (0.0009, value(3, 30))]
        return [(0.0005, value(2, 20, length=request[6]))]

    bus, line = bus_with(answer)
    readings = bus.sync_read(56, 2, [1, 2, 3], until=0.02)
    assert all(reading.status is Status.OK for reading in readings)
    assert line.requests[1][7:-1] == bytes([2])
    assert bus.counts.retries == 1


def test_a_retry_that_cannot_end_in_time_is_not_begun() -> None:
    bus, line = bus_with(lambda n, request: [])
    bus.sync_read(56, 2, [1, 2], until=0.0012)
    assert len(line.requests) == 1
    assert bus.transport.clock.now() <= 0.0012


def test_a_late_reply_is_never_taken_for_the_answer_to_the_retry() -> None:
    """The old value comes while the retry waits, the new one behind it."""

    def answer(n: int, request: bytes) -> Replies:
        if n == 0:
            return [(0.0049, value(1, 111))]
        return [(0.0025, value(1, 222, length=request[6]))]

    bus, _ = bus_with(answer)
    (reading,) = bus.sync_read(56, 2, [1], until=0.02)
    assert reading.packet is not None
    assert reading.packet.data == (222).to_bytes(2, "little")
    assert bus.counts.scan.late == 1


def test_a_late_reply_is_not_taken_for_the_next_cycle_either() -> None:
    def answer(n: int, request: bytes) -> Replies:
        return [(0.0052, value(1, 111))] if n == 0 else []

    bus, _ = bus_with(answer)
    bus.sync_read(56, 2, [1])
    (reading,) = bus.sync_read(56, 2, [1])
    assert reading.status is Status.MISSING
    assert bus.counts.scan.late == 1


def test_a_single_read_is_told_from_its_late_answer_as_well() -> None:
    def answer(n: int, request: bytes) -> Replies:
        return [(0.006, value(1, 111))] if n == 0 else [(0.003, value(1, 222, request[6]))]

    bus, _ = bus_with(answer)
    with pytest.raises(NoReplyError):
        bus.read(1, 56, 2)
    assert bus.read(1, 56, 2).data == (222).to_bytes(2, "little")


def test_a_late_acknowledgement_is_drained_before_the_next_request() -> None:
    def answer(n: int, request: bytes) -> Replies:
        ack = packets.status(1, 0x20 if n == 0 else 0)
        return [(0.0045, ack)] if n == 0 else [(0.0003, ack)]

    bus, _ = bus_with(answer)
    with pytest.raises(NoReplyError):
        bus.write(1, 40, b"\x01")
    reply = bus.write(1, 40, b"\x01")
    assert reply is not None and reply.flags == 0
    assert bus.counts.stray_bytes == 6


def test_a_corrupt_reply_is_told_from_none() -> None:
    bad = bytearray(value(1, 7))
    bad[-1] ^= 0x10
    bus, _ = bus_with(lambda n, request: [(0.0005, bytes(bad))])
    with pytest.raises(BadReplyError, match="servo 1 answered with a wrong checksum"):
        bus.read(1, 56, 2)


def test_alarms_come_beside_data() -> None:
    bus, _ = bus_with(lambda n, request: [(0.0005, packets.status(1, 0x25, b"\x0a\x00"))])
    reply = bus.read(1, 56, 2)
    assert reply.flags == 0x25 and reply.data == b"\x0a\x00"


def test_two_servos_with_one_id_cost_the_others_nothing() -> None:
    """Everybody asked has answered, so nobody else can have spoken in the name of servo 2."""
    replies = [value(1, 10), value(2, 20), value(2, 99), value(3, 30)]
    bus, _ = bus_with(lambda n, request: [(0.0005 + n * 1e-5, r) for n, r in enumerate(replies)])
    readings = bus.sync_read(56, 2, [1, 2, 3])
    assert [reading.status for reading in readings] == [Status.OK, Status.CORRUPT, Status.OK]


def test_no_word_counts_where_a_missing_servo_may_have_used_another_name() -> None:
    """1 answers as 2, 2 as 3: two replies in the name of 3, and the one of 2 is not its own."""
    replies = [value(2, 10), value(3, 20), value(3, 30)]
    bus, _ = bus_with(lambda n, request: [(0.0005 + n * 1e-5, r) for n, r in enumerate(replies)])
    readings = bus.sync_read(56, 2, [1, 2, 3])
    assert [reading.packet for reading in readings] == [None, None, None]


@pytest.mark.parametrize("babble", [b"\xff", b"\xff\xff\x01\x04", b"\x00"])
def test_a_babbling_line_ends_at_the_deadline(babble: bytes) -> None:
    bus, _ = bus_with(lambda n, request: [(i * 1e-4, babble) for i in range(5000)])
    (reading,) = bus.sync_read(56, 2, [1], until=0.01)
    assert reading.packet is None
    assert bus.transport.clock.now() <= 0.0101


def test_a_ping_ends_on_a_line_that_never_falls_quiet() -> None:
    bus, _ = bus_with(lambda n, request: [(i * 1e-3, b"{") for i in range(5000)])
    with pytest.raises(NoReplyError):
        bus.ping(1)
    assert bus.transport.clock.now() < 0.5


def test_echo_is_learned_and_then_taken_away_by_count() -> None:
    """The reply to PING with the voltage alarm is byte for byte the PING itself."""

    def answer(n: int, request: bytes) -> Replies:
        echo = [(0.0001, request)]
        return echo if n == 0 else [*echo, (0.0006, packets.status(1, 1))]

    bus, _ = bus_with(answer)
    assert bus.learn_echo()
    assert bus.ping(1).flags == 1
    assert bus.counts.echo_errors == 0


def test_without_echo_nothing_is_taken_away() -> None:
    bus, _ = bus_with(lambda n, request: [] if n == 0 else [(0.0006, packets.status(1, 1))])
    assert not bus.learn_echo()
    assert bus.ping(1).flags == 1


def test_an_echo_that_differs_is_counted_and_no_value_is_made_of_it() -> None:
    def answer(n: int, request: bytes) -> Replies:
        if n == 0:
            return [(0.0001, request)]
        return [(0.0001, bytes(len(request)))]

    bus, _ = bus_with(answer)
    bus.learn_echo()
    with pytest.raises(NoReplyError):
        bus.read(1, 56, 2)
    assert bus.counts.echo_errors == 1


def test_servos_that_do_not_know_sync_read_are_read_one_by_one() -> None:
    def answer(n: int, request: bytes) -> Replies:
        if request[4] == packets.Instruction.SYNC_READ:
            return [(0.0005, value(i, i)) for i in request[7:-1]]
        return [(0.0005, value(request[2], 99))]

    bus, line = bus_with(answer)
    bus.single_readers.add(2)
    readings = bus.sync_read(56, 2, [1, 2, 3], until=0.02)
    assert [int.from_bytes(r.packet.data, "little") for r in readings if r.packet] == [1, 99, 3]
    assert line.requests[0][7:-1] == bytes([1, 3])


def test_waiting_for_a_missing_servo_becomes_short_on_a_quick_line() -> None:
    def healthy(n: int, request: bytes) -> Replies:
        return [(0.0002 + 0.0001 * i, value(i, i, request[6])) for i in request[7:-1] if i != 9]

    bus, _ = bus_with(healthy)
    clock = bus.transport.clock
    before = clock.now()
    bus.sync_read(56, 2, [1, 9])
    first_wait = clock.now() - before
    for _ in range(30):
        bus.sync_read(56, 2, [1, 2])
    before = clock.now()
    bus.sync_read(56, 2, [1, 9])
    assert clock.now() - before < first_wait / 3


def test_the_wait_grows_again_when_replies_come_late() -> None:
    estimate = LatencyEstimate(0.003)
    for _ in range(30):
        estimate.add(0.0001)
    assert estimate.value == pytest.approx(0.0002)
    estimate.punish()
    assert estimate.value == 0.003
