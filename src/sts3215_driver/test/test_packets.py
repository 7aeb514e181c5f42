"""Requests: limits, splitting, and data that would look like a header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts3215_driver.errors import PayloadError
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.encoding import decode_sign_magnitude, encode_sign_magnitude
from sts3215_driver.protocol.modes import Mode, goal_write
from sts3215_driver.protocol.registers import BY_NAME, REGISTERS


@pytest.mark.parametrize(
    "data", [b"\xff\xff", b"\x00\xff\xff\x00"], ids=["value 0xFFFF", "FF behind FF"]
)
def test_data_with_a_header_inside_is_refused(data: bytes) -> None:
    with pytest.raises(PayloadError, match="FF FF"):
        packets.write(1, 42, data)


def test_a_header_made_of_data_and_checksum_is_refused() -> None:
    for last in range(256):
        body = bytes((1, 4, packets.Instruction.WRITE, last, 0xFF))
        if packets.checksum(body) == 0xFF:
            with pytest.raises(PayloadError):
                packets.write(1, last, b"\xff")
            return
    pytest.fail("no such packet")


@pytest.mark.parametrize("servo_id", [-1, 255, 256])
def test_ids_that_cannot_be_addressed_are_refused(servo_id: int) -> None:
    with pytest.raises(PayloadError, match="cannot be addressed"):
        packets.ping(servo_id)


def test_thirty_servos_fit_into_one_sync_write_and_one_more_is_split() -> None:
    def item(servo_id: int) -> tuple[int, bytes]:
        return servo_id, bytes(7)

    thirty = packets.sync_write(41, 7, [item(i) for i in range(1, 31)])
    more = packets.sync_write(41, 7, [item(i) for i in range(1, 32)])
    assert [len(p) for p in thirty] == [248]
    assert [len(p) for p in more] == [248, 16]
    assert all(len(p) <= packets.MAX_PACKET for p in more)


def test_sync_write_refuses_data_of_another_length() -> None:
    with pytest.raises(PayloadError, match="5 bytes for servo 2; expected 6"):
        packets.sync_write(42, 6, [(1, bytes(6)), (2, bytes(5))])


@given(st.integers(-32767, 32767))
def test_sign_magnitude_round_trip(value: int) -> None:
    assert decode_sign_magnitude(encode_sign_magnitude(value, 15), 15) == value


@pytest.mark.parametrize("sign_bit", [10, 11, 15])
def test_a_magnitude_that_reaches_the_sign_bit_is_refused(sign_bit: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        encode_sign_magnitude(1 << sign_bit, sign_bit)


@pytest.mark.parametrize("register", REGISTERS, ids=lambda register: register.name)
def test_every_register_takes_its_limits_and_nothing_beyond(register) -> None:
    for value in (register.minimum, register.maximum):
        if abs(value) < 1 << (register.sign_bit or 16):
            assert register.decode(register.encode(value)) == value
    for value in (register.minimum - 1, register.maximum + 1):
        with pytest.raises(ValueError, match=register.name):
            register.encode(value)


def test_registers_do_not_overlap() -> None:
    used = [a for r in REGISTERS for a in range(r.address, r.address + r.size)]
    assert len(used) == len(set(used))
    assert max(used) == 86


def test_gains_are_stored_in_the_order_p_d_i() -> None:
    assert [BY_NAME[n].address for n in ("p_gain", "d_gain", "i_gain")] == [21, 22, 23]


@pytest.mark.parametrize("raw", [0x2000, 0x8064, 0xFFFF])
def test_an_offset_that_no_firmware_writes_is_read_without_an_exception(raw: int) -> None:
    register = BY_NAME["position_offset"]
    assert register.decode(raw.to_bytes(2, "little")) == register.decode(
        (raw & 0x1FFF).to_bytes(2, "little")
    )


@pytest.mark.parametrize(
    ("mode", "value", "address", "data"),
    [
        (Mode.POSITION, 2048, 42, "00 08"),
        (Mode.WHEEL, -100, 46, "64 80"),
        (Mode.PWM, -500, 44, "f4 05"),
        (Mode.STEP, -4096, 42, "00 90"),
    ],
)
def test_goals_of_all_modes(mode: Mode, value: int, address: int, data: str) -> None:
    assert goal_write(mode, value) == (address, bytes.fromhex(data))


@pytest.mark.parametrize(("mode", "value"), [(Mode.PWM, 1001), (Mode.WHEEL, -3401)])
def test_goals_out_of_range_are_refused(mode: Mode, value: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        goal_write(mode, value)
