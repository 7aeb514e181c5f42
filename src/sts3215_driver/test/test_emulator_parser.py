"""How servos read the wire (bus specification 1.4 and 3.17)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sts3215_driver.emulator.servo_parser import ServoParser
from sts3215_driver.protocol import packets

PING = packets.ping(1)


def byte_wise(stream: bytes) -> list[tuple[int, int, bytes]]:
    """The servo's own state machine, one byte after the other, for a servo that takes any id."""
    found = []
    state, before = 0, (0, 0)
    servo_id = length = code = 0
    parameters = bytearray()
    for byte in stream:
        if before == (0xFF, 0xFF):
            state = 1
        before = (before[1], byte)
        if state == 1:
            servo_id, state = byte, 0 if byte == 0xFF else 2
        elif state == 2:
            length, state = byte, 0 if byte < 2 else 3
        elif state == 3:
            code = byte
            parameters = bytearray()
            state = 4 if length > 2 else 5
            if code != 0x83 and length - 2 > 128:
                state = 0
        elif state == 4:
            parameters.append(byte)
            if len(parameters) == length - 2:
                state = 5
        elif state == 5:
            state = 0
            if ~(servo_id + length + code + sum(parameters)) & 0xFF == byte:
                found.append((servo_id, code, bytes(parameters)))
    return found


def parsed(parser: ServoParser, *pieces: bytes) -> list[tuple[int, int, bytes]]:
    return [
        (request.id, request.instruction, request.parameters)
        for piece in pieces
        for request in parser.feed(piece)
    ]


# Streams out of few different bytes, so that headers, short lengths and good checksums abound.
interesting = st.one_of(
    st.sampled_from([0xFF, 0xFF, 0xFF, 0xFE, 0, 1, 2, 3, 4, 0x83, 0xFB, 0xFC]),
    st.integers(0, 255),
)
streams = st.lists(
    st.one_of(
        st.lists(interesting, max_size=12).map(bytes),
        st.binary(max_size=6).map(lambda data: packets.status(1, 3, data)),
        st.just(PING),
        st.just(packets.sync_write(41, 7, [(n, bytes(7)) for n in range(30)])[0]),
    ),
    max_size=8,
).map(b"".join)


@given(streams, st.lists(st.integers(0, 300), max_size=5))
def test_any_stream_in_any_pieces_reads_as_the_servo_reads_it(
    stream: bytes, cuts: list[int]
) -> None:
    ends = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(ends)]
    assert parsed(ServoParser(), *pieces) == byte_wise(stream)


@given(streams)
def test_end_of_a_request_is_where_its_checksum_was(stream: bytes) -> None:
    for request in ServoParser().feed(stream):
        whole = byte_wise(stream[: request.end])
        assert whole[-1] == (request.id, request.instruction, request.parameters)
        assert len(byte_wise(stream[: request.end - 1])) < len(whole)


def test_packet_may_come_in_pieces_with_any_pause() -> None:
    parser = ServoParser()
    assert parsed(parser, *(PING[i : i + 1] for i in range(len(PING)))) == [(1, 1, b"")]


def test_extra_leading_ff_are_tolerated() -> None:
    assert parsed(ServoParser(), b"\xff\xff\xff" + PING) == [(1, 1, b"")]


def test_wrong_checksum_is_ignored_and_the_next_packet_read() -> None:
    broken = PING[:-1] + b"\x00"
    assert parsed(ServoParser(), broken + PING) == [(1, 1, b"")]


def test_ff_ff_within_the_payload_loses_the_packet() -> None:
    write = packets.status(1, 3, bytes((46, 0xFF, 0xFF)))
    assert parsed(ServoParser(), write) == []


def test_ff_ff_within_the_payload_can_be_read_as_another_packet() -> None:
    inner = packets.ping(7)
    write = packets.status(1, 3, bytes((42,)) + inner)
    assert parsed(ServoParser(), write) == [(7, 1, b"")]


def test_more_than_128_parameters_only_in_a_sync_write() -> None:
    assert parsed(ServoParser(), packets.status(1, 3, bytes(129)) + PING) == [(1, 1, b"")]
    (long,) = packets.sync_write(41, 7, [(n, bytes(7)) for n in range(30)])
    assert len(parsed(ServoParser(), long)) == 1


def test_half_a_packet_is_kept_until_a_new_header_comes() -> None:
    parser = ServoParser()
    assert parsed(parser, PING[:4], PING, PING[4:]) == [(1, 1, b"")]
