"""Faults on the wire: each does what it says, as often as it was told, and alike every time."""

import pytest

from stride_base.errors import ConfigError
from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.faults import KINDS, parse_fault
from sts3215_driver.protocol import packets

READ = packets.read(1, 56, 2)
GOOD = packets.status(1, 0, b"\x00\x08")


def bench_with(*faults: str, ids: tuple[int, ...] = (1,), seed: int = 0) -> Bench:
    return Bench(ids, Setup(faults=faults, seed=seed))


def test_drop_loses_the_reply_but_not_the_write() -> None:
    bench = bench_with("drop:count=1")
    assert bench.exchange(packets.write(1, 42, b"\x00\x09")) == b""
    assert bench.get(1, "goal_position") == 0x900


def test_deaf_servo_does_not_even_write() -> None:
    bench = bench_with("deaf:count=1")
    assert bench.exchange(packets.write(1, 42, b"\x00\x09")) == b""
    assert bench.get(1, "goal_position") == 0


def test_corrupt_changes_one_byte() -> None:
    heard = bench_with("corrupt").exchange(READ)
    assert len(heard) == len(GOOD)
    assert sum(a != b for a, b in zip(heard, GOOD, strict=True)) == 1


def test_corrupt_changes_the_byte_it_is_told_to() -> None:
    assert bench_with("corrupt:byte=7,flip=0x01").exchange(READ) == GOOD[:7] + bytes([GOOD[7] ^ 1])


def test_truncate_keeps_the_beginning() -> None:
    assert bench_with("truncate:length=5").exchange(READ) == GOOD[:5]
    cut = bench_with("truncate").exchange(READ)
    assert 0 < len(cut) < len(GOOD)
    assert GOOD.startswith(cut)


def test_delayed_reply_comes_late_and_without_delay_in_between() -> None:
    bench = bench_with("delay:time=0.02,count=1")
    ((late, _),) = bench.listen(READ)
    ((soon, _),) = bench.listen(READ)
    assert late - soon == pytest.approx(0.02, abs=1e-9)


def test_late_reply_waits_for_whoever_reads_next() -> None:
    bench = bench_with("delay:time=0.02,count=1")
    assert bench.exchange(READ, 0.005) == b""
    bench.wait(0.03)
    assert bench.port.drain() == GOOD


def test_noise_comes_before_the_reply() -> None:
    assert bench_with("noise:length=2,value=0").exchange(READ) == b"\x00\x00" + GOOD
    assert bench_with("noise:length=4").exchange(READ)[4:] == GOOD


def test_wrong_id_has_a_good_checksum() -> None:
    status = bench_with("wrong_id").ask(READ)
    assert status is not None
    assert status.id == 2


def test_duplicate_comes_one_after_the_other() -> None:
    (first, data), (second, again) = bench_with("duplicate").listen(READ)
    assert data == again == GOOD
    assert second - first == pytest.approx(80e-6, abs=1e-9)


def test_shuffle_keeps_the_slots_and_changes_who_speaks() -> None:
    request = packets.sync_read(56, 2, [1, 2, 3])
    plain = bench_with(ids=(1, 2, 3)).listen(request)
    mixed = bench_with("shuffle", ids=(1, 2, 3), seed=1).listen(request)
    assert [at for at, _ in plain] == [at for at, _ in mixed]
    assert [data for _, data in plain] != [data for _, data in mixed]
    assert {data for _, data in plain} == {data for _, data in mixed}


def test_echo_sends_the_request_back_first() -> None:
    assert bench_with("echo").exchange(READ) == READ + GOOD
    assert bench_with("echo").exchange(packets.ping(9)) == packets.ping(9)


def test_a_fault_of_one_servo_leaves_the_others_alone() -> None:
    heard = bench_with("drop:id=2", ids=(1, 2, 3)).listen(packets.sync_read(56, 2, [1, 2, 3]))
    assert [data[2] for _, data in heard] == [1, 3]


def test_probability_is_a_share_and_repeats_with_the_seed() -> None:
    def lost(seed: int) -> list[bool]:
        bench = bench_with("drop:probability=0.25", seed=seed)
        return [bench.exchange(READ, 0.001) == b"" for _ in range(400)]

    assert 70 < sum(lost(1)) < 130
    assert lost(1) == lost(1)
    assert lost(1) != lost(2)


def test_after_and_count_choose_when_it_happens() -> None:
    bench = bench_with("drop:after=2,count=3")
    assert [bench.exchange(READ) == b"" for _ in range(7)] == [0, 0, 1, 1, 1, 0, 0]


def test_faults_combine() -> None:
    heard = bench_with("noise:length=1,value=7", "duplicate").exchange(READ)
    assert heard == b"\x07" + GOOD + b"\x07" + GOOD


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_named_and_describes_itself(kind: str) -> None:
    fault = parse_fault(f"{kind}:id=3,probability=0.5")
    assert fault.describe()["kind"] == kind
    assert fault.options["id"] == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("explode", "'kind' is 'explode'; expected one of drop, "),
        ("drop:colour=red", "fault drop: 'colour' is 'red'; expected one of id, "),
        ("drop:probability=2", "'probability' is 2.0; expected a number from 0 to 1"),
        ("drop:probability=nan", "'probability' is 'nan'; expected a finite number"),
        ("drop:id", "'id' is 'id'; expected name=value"),
        ("drop:id=1,id=2", "each name once"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_fault(text)
    assert complaint in str(caught.value)
