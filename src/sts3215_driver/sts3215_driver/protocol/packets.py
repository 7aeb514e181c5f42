"""Instruction and status packets: `FF FF ID LEN INST|ERR P1..Pn CHK`, LEN = n + 2.

Source: Feetech communication protocol manual; byte examples in test/data/sts3215.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from sts3215_driver.errors import PayloadError
from sts3215_driver.protocol.flags import Flags

HEADER = b"\xff\xff"
BROADCAST_ID = 0xFE
MAX_ID = 253
#: Longest packet that every servo's receiver takes, bytes.
MAX_PACKET = 250
#: Bytes of a packet beside its parameters: header, id, length, instruction or error, checksum.
OVERHEAD = 6


class Instruction(IntEnum):
    """Instruction codes."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    RECOVERY = 0x06
    REBOOT = 0x08
    BACKUP = 0x09
    RESET = 0x0A
    CALIBRATE = 0x0B
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83


@dataclass(frozen=True, slots=True)
class StatusPacket:
    """What a servo answers: its alarms and its data, together."""

    id: int
    flags: Flags
    data: bytes


def checksum(body: bytes | bytearray) -> int:
    """Checksum of everything between the header and the checksum itself."""
    return ~sum(body) & 0xFF


def packet(servo_id: int, code: int, parameters: bytes = b"") -> bytes:
    """A complete instruction packet.

    Raises:
        PayloadError: bad id, too long, or FF FF inside: a servo restarts its parser there, so every
            servo on the bus could lose the packet or read another one into it.
    """
    if not 0 <= servo_id <= BROADCAST_ID:
        raise PayloadError(f"id {servo_id} cannot be addressed; expected 0 to 253, or 254 for all")
    if len(parameters) + OVERHEAD > MAX_PACKET:
        raise PayloadError(f"{len(parameters)} parameter bytes do not fit into one packet")
    result = _frame(servo_id, code, parameters)
    if HEADER in result[len(HEADER) :]:
        raise PayloadError(f"data {parameters.hex(' ')} make a packet with FF FF, a header, inside")
    return result


def status(servo_id: int, flags: int, data: bytes = b"") -> bytes:
    """A status packet, as a servo sends it; its data may hold anything."""
    return _frame(servo_id, flags, data)


def _frame(servo_id: int, code: int, parameters: bytes) -> bytes:
    body = bytes((servo_id, len(parameters) + 2, code)) + parameters
    return HEADER + body + bytes((checksum(body),))


def ping(servo_id: int) -> bytes:
    """PING one servo, or all with BROADCAST_ID."""
    return packet(servo_id, Instruction.PING)


def read(servo_id: int, address: int, length: int) -> bytes:
    """READ `length` bytes from `address`."""
    return packet(servo_id, Instruction.READ, bytes((address, length)))


def write(servo_id: int, address: int, data: bytes) -> bytes:
    """WRITE `data` to `address`."""
    return packet(servo_id, Instruction.WRITE, bytes((address,)) + data)


def reg_write(servo_id: int, address: int, data: bytes) -> bytes:
    """REG_WRITE: like WRITE, but held until ACTION."""
    return packet(servo_id, Instruction.REG_WRITE, bytes((address,)) + data)


def action(servo_id: int = BROADCAST_ID) -> bytes:
    """ACTION: carry out what REG_WRITE prepared."""
    return packet(servo_id, Instruction.ACTION)


def sync_read(address: int, length: int, ids: Sequence[int]) -> bytes:
    """SYNC_READ the same registers of several servos, which answer one after the other."""
    return packet(BROADCAST_ID, Instruction.SYNC_READ, bytes((address, length, *ids)))


def sync_write(address: int, length: int, items: Iterable[tuple[int, bytes]]) -> list[bytes]:
    """SYNC_WRITE the same registers of several servos, nobody answers.

    Returns:
        As few packets as the servos' receivers allow.

    Raises:
        PayloadError: data of another length than `length`, or FF FF in a packet.
    """
    room = (MAX_PACKET - OVERHEAD - 2) // (length + 1)
    chunks: list[bytes] = []
    for servo_id, data in items:
        if len(data) != length:
            raise PayloadError(f"{len(data)} bytes for servo {servo_id}; expected {length}")
        chunks.append(bytes((servo_id,)) + data)
    head = bytes((address, length))
    return [
        packet(BROADCAST_ID, Instruction.SYNC_WRITE, head + b"".join(chunks[start : start + room]))
        for start in range(0, len(chunks), room)
    ]
