"""What the host reads when several talk at once on the one wire."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from random import Random

from sts3215_driver.emulator.reply import Reply


def superpose(replies: list[Reply], random: Random) -> list[Reply]:
    """Replies with those of servos of one id merged into one: they answer at the same time."""
    merged: dict[int, Reply] = {}
    for reply in replies:
        other = merged.get(reply.servo_id)
        if other is not None:
            reply = replace(other, data=_on_one_wire(other.data, reply.data, random))
        merged[reply.servo_id] = reply
    return list(merged.values())


def garble(data: bytes, random: Random) -> bytes:
    """`data` with another talker on top of it."""
    return _on_one_wire(data, random.randbytes(len(data)), random)


def _on_one_wire(first: bytes, second: bytes, random: Random) -> bytes:
    """A low bit wins over a high one; clocks differ, so at least one more bit goes wrong."""
    mixed = bytearray(a & b for a, b in zip_longest(first, second, fillvalue=0xFF))
    mixed[random.randrange(2, len(mixed)) if len(mixed) > 2 else 0] ^= 1 << random.randrange(8)
    return bytes(mixed)
