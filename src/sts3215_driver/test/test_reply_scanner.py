"""The reader: any bytes, any split, any fault - never a wrong value."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sts3215_driver.protocol import packets
from sts3215_driver.protocol.reply_scanner import ReplyScanner, Status


def feed_in_pieces(scanner: ReplyScanner, stream: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    for start, end in pairwise(edges):
        scanner.feed(stream[start:end])
    scanner.finish()


payloads = st.binary(min_size=6, max_size=6)
cuts = st.lists(st.integers(0, 10_000), max_size=8)
headerless_noise = st.binary(max_size=12).filter(lambda noise: b"\xff" not in noise)


@given(st.lists(payloads, min_size=1, max_size=18), cuts)
def test_replies_are_found_however_the_stream_is_cut(data: list[bytes], where: list[int]) -> None:
    ids = range(1, len(data) + 1)
    scanner = ReplyScanner(ids, (6,))
    stream = b"".join(packets.status(i, 0, d) for i, d in zip(ids, data, strict=True))
    feed_in_pieces(scanner, stream, where)
    assert {i: reply.data for i, reply in scanner.found.items()} == dict(
        zip(ids, data, strict=True)
    )
    assert scanner.counts.noise_bytes == 0


@given(st.permutations([1, 2, 3, 4]), st.lists(headerless_noise, min_size=5, max_size=5), cuts)
def test_order_and_noise_between_replies_do_not_matter(
    order: list[int], noise: list[bytes], where: list[int]
) -> None:
    scanner = ReplyScanner([1, 2, 3, 4], (2,))
    stream = noise[0]
    for servo_id, behind in zip(order, noise[1:], strict=True):
        stream += packets.status(servo_id, 0x20, bytes([servo_id, 7])) + behind
    feed_in_pieces(scanner, stream, where)
    assert {i: r.data for i, r in scanner.found.items()} == {i: bytes([i, 7]) for i in order}
    assert all(reply.flags == 0x20 for reply in scanner.found.values())
    assert scanner.counts.noise_bytes == sum(map(len, noise))


@given(st.binary(max_size=300), cuts)
def test_random_bytes_never_raise_and_only_intact_packets_are_taken(
    stream: bytes, where: list[int]
) -> None:
    scanner = ReplyScanner(range(254), (2,))
    feed_in_pieces(scanner, stream, where)
    for servo_id, reply in scanner.found.items():
        assert packets.status(servo_id, reply.flags, reply.data) in stream


@given(payloads, st.integers(0, 11), st.integers(1, 255))
def test_one_corrupt_byte_never_gives_a_wrong_value(data: bytes, place: int, change: int) -> None:
    good = packets.status(5, 0, data)
    bad = bytearray(good)
    bad[place] ^= change
    scanner = ReplyScanner([5, 9], (6,))
    scanner.feed(bytes(bad))
    scanner.finish()
    assert scanner.found == {}


@given(payloads, payloads, st.integers(0, 11), st.integers(1, 255))
def test_the_reply_behind_a_corrupt_one_is_still_found(
    first: bytes, second: bytes, place: int, change: int
) -> None:
    bad = bytearray(packets.status(1, 0, first))
    bad[place] ^= change
    scanner = ReplyScanner([1, 2], (6,))
    scanner.feed(bytes(bad) + packets.status(2, 0, second))
    scanner.finish()
    assert scanner.found[2].data == second
    assert 1 not in scanner.found


@given(payloads, payloads, st.integers(0, 11))
def test_the_reply_behind_a_cut_off_one_is_still_found(
    first: bytes, second: bytes, kept: int
) -> None:
    scanner = ReplyScanner([1, 2], (6,))
    scanner.feed(packets.status(1, 0, first)[:kept])
    scanner.feed(packets.status(2, 0, second))
    scanner.finish()
    assert scanner.found[2].data == second


def test_a_cut_off_reply_whose_checksum_fits_by_chance_gives_no_value() -> None:
    """6 bytes of servo 1's reply and servo 2's reply read as one packet with a right checksum."""
    stream = packets.status(1, 0, b"s" + bytes(5))[:6] + packets.status(2, 0, b"{" + bytes(5))
    assert packets.checksum(stream[2:11]) == stream[11]
    scanner = ReplyScanner([1, 2], (6,))
    for byte in stream:
        scanner.feed(bytes((byte,)))
    scanner.finish()
    assert 1 not in scanner.found
    assert scanner.found[2].data == b"{" + bytes(5)


def test_data_that_only_looks_like_a_header_is_taken() -> None:
    for data in (b"\xff\xff", b"\x00\xff"):
        scanner = ReplyScanner([1], (2,))
        scanner.feed(packets.status(1, 0, data))
        scanner.finish()
        assert scanner.found[1].data == data


def test_outcomes_are_told_apart() -> None:
    scanner = ReplyScanner([1, 2, 3, 4], (2,))
    corrupt = bytearray(packets.status(2, 0, b"\x01\x02"))
    corrupt[-1] ^= 1
    scanner.feed(packets.status(1, 0, b"\x01\x02") + bytes(corrupt) + packets.status(3, 0, b"\x01"))
    scanner.finish()
    assert [scanner.status(i) for i in (1, 2, 3, 4)] == [
        Status.OK,
        Status.CORRUPT,
        Status.WRONG_LENGTH,
        Status.MISSING,
    ]


def test_a_reply_that_comes_twice_is_taken_once() -> None:
    scanner = ReplyScanner([1], (2,))
    scanner.feed(2 * packets.status(1, 0, b"\x01\x00"))
    assert scanner.found[1].data == b"\x01\x00"
    assert scanner.counts.duplicate == 1


def test_two_different_replies_in_one_name_give_no_value() -> None:
    """Two servos with one id, or one that answers with another's id."""
    scanner = ReplyScanner([1, 2], (2,))
    for data in (b"\x01\x00", b"\x02\x00", b"\x01\x00"):
        scanner.feed(packets.status(1, 0, data))
    assert scanner.found == {}
    assert scanner.status(1) is Status.CORRUPT


def test_data_of_another_servo_is_not_searched_for_headers() -> None:
    inner = packets.status(1, 0, b"")
    scanner = ReplyScanner([1], (0,))
    scanner.feed(packets.status(7, 0, inner))
    assert scanner.found == {}
    assert scanner.counts.wrong_id == 1


def test_a_claimed_length_is_not_waited_for() -> None:
    scanner = ReplyScanner([1], (2,))
    scanner.feed(bytes.fromhex("ff ff 01 fa 00 ff ff 01 04 00 e8 03 0f"))
    assert scanner.complete
