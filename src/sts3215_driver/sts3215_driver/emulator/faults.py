"""What can go wrong on the wire, as small objects that are switched on one by one.

A fault sees every reply before it is sent and returns what is sent instead: nothing, other bytes,
or several replies. Each has its own random numbers, so that one does not change what another does.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from stride_base.errors import ConfigError
from sts3215_driver.emulator.options import number, parse_options
from sts3215_driver.emulator.reply import Reply
from sts3215_driver.protocol.packets import checksum


class Fault:
    """Something that goes wrong from time to time.

    Args:
        options: `id` (one servo; all if left out), `probability` (0 to 1), `after` (let so many
            replies pass first), `count` (stop after so many times), and what the fault itself
            knows.
        seed: Of its random numbers.

    Raises:
        ConfigError: an unknown option or a bad value.
    """

    #: Options of this kind of fault and their defaults.
    own: ClassVar[Mapping[str, float]] = {}
    kind = ""

    def __init__(self, options: Mapping[str, str] | None = None, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.happened = 0
        defaults = {"id": -1.0, "probability": 1.0, "after": 0.0, "count": -1.0, **self.own}
        self.options = dict(defaults)
        for name, text in (options or {}).items():
            if name not in defaults:
                known = ", ".join(defaults)
                raise ConfigError(f"fault {self.kind}", "", name, text, f"one of {known}")
            self.options[name] = number(f"fault {self.kind}", name, text)
        if not 0 <= self.options["probability"] <= 1:
            value = self.options["probability"]
            where = f"fault {self.kind}"
            raise ConfigError(where, "", "probability", value, "a number from 0 to 1")
        self._to_pass = int(self.options["after"])

    def on_replies(self, replies: list[Reply]) -> list[Reply]:
        """What is sent in place of all the replies to one request."""
        changed: list[Reply] = []
        for reply in replies:
            changed += self.change(reply) if self._strikes(reply.servo_id) else [reply]
        return changed

    def hears(self, servo_id: int) -> bool:
        """Whether a servo gets a request at all."""
        return True

    @property
    def echoes(self) -> bool:
        """Whether the adapter sends the host's own bytes back."""
        return False

    def change(self, reply: Reply) -> list[Reply]:
        """`reply` as it is when the fault strikes."""
        return [reply]

    def describe(self) -> dict[str, object]:
        """For people: kind, options and how often it happened."""
        return {"kind": self.kind, **self.options, "happened": self.happened}

    def _strikes(self, servo_id: int) -> bool:
        options = self.options
        if options["id"] not in (-1, servo_id):
            return False
        if options["probability"] < 1 and self.random.random() >= options["probability"]:
            return False
        if self._to_pass > 0:
            self._to_pass -= 1
            return False
        if 0 <= options["count"] <= self.happened:
            return False
        self.happened += 1
        return True


class Drop(Fault):
    """The reply is lost; the servo has carried out the request."""

    kind = "drop"

    def change(self, reply: Reply) -> list[Reply]:
        return []


class Deaf(Fault):
    """The request is lost: the servo neither acts nor answers."""

    kind = "deaf"

    def hears(self, servo_id: int) -> bool:
        return not self._strikes(servo_id)

    def on_replies(self, replies: list[Reply]) -> list[Reply]:
        return replies


class Corrupt(Fault):
    """One byte is changed by `flip` (a bit mask; random if 0) at `byte` (random if -1)."""

    kind = "corrupt"
    own: ClassVar = {"byte": -1.0, "flip": 0.0}

    def change(self, reply: Reply) -> list[Reply]:
        data = bytearray(reply.data)
        place = int(self.options["byte"])
        if not 0 <= place < len(data):
            place = self.random.randrange(len(data))
        data[place] ^= int(self.options["flip"]) & 0xFF or self.random.randrange(1, 256)
        return [replace(reply, data=bytes(data))]


class Truncate(Fault):
    """Only the first `length` bytes come (a random number of them if -1)."""

    kind = "truncate"
    own: ClassVar = {"length": -1.0}

    def change(self, reply: Reply) -> list[Reply]:
        length = int(self.options["length"])
        if length < 0:
            length = self.random.randrange(1, len(reply.data))
        return [replace(reply, data=reply.data[:length])]


class Delay(Fault):
    """The reply reaches the host `time` s later; more than the host waits makes it a late one."""

    kind = "delay"
    own: ClassVar = {"time": 0.005}

    def change(self, reply: Reply) -> list[Reply]:
        return [replace(reply, late=reply.late + self.options["time"])]


class Noise(Fault):
    """`length` random bytes come before the reply, all of value `value` if that is not -1."""

    kind = "noise"
    own: ClassVar = {"length": 3.0, "value": -1.0}

    def change(self, reply: Reply) -> list[Reply]:
        value, length = int(self.options["value"]), max(0, int(self.options["length"]))
        noise = self.random.randbytes(length) if value < 0 else bytes([value & 0xFF]) * length
        return [replace(reply, data=noise + reply.data)]


class WrongId(Fault):
    """The reply carries another id, `shift` higher, with a checksum that fits."""

    kind = "wrong_id"
    own: ClassVar = {"shift": 1.0}

    def change(self, reply: Reply) -> list[Reply]:
        data = bytearray(reply.data)
        data[2] = (data[2] + int(self.options["shift"])) % 254
        data[-1] = checksum(data[2:-1])
        return [replace(reply, data=bytes(data))]


class Duplicate(Fault):
    """The reply comes twice."""

    kind = "duplicate"

    def change(self, reply: Reply) -> list[Reply]:
        return [reply, reply]


class Shuffle(Fault):
    """Replies to a SYNC_READ come in another order than asked for."""

    kind = "shuffle"

    def on_replies(self, replies: list[Reply]) -> list[Reply]:
        if len(replies) < 2 or not self._strikes(replies[0].servo_id):
            return replies
        order = list(replies)
        self.random.shuffle(order)
        return [
            replace(reply, start=slot.start) for slot, reply in zip(replies, order, strict=True)
        ]


class Stuck(Fault):
    """A servo holds the line down for `replies` replies of anybody, which arrive as zeros."""

    kind = "stuck"
    own: ClassVar = {"replies": 20.0}

    def __init__(self, options: Mapping[str, str] | None = None, seed: int = 0) -> None:
        super().__init__(options, seed)
        self._left = 0

    def on_replies(self, replies: list[Reply]) -> list[Reply]:
        heard = []
        for reply in replies:
            if self._left == 0 and self._strikes(reply.servo_id):
                self._left = int(self.options["replies"])
            held = self._left > 0
            self._left -= held
            heard.append(replace(reply, data=bytes(len(reply.data))) if held else reply)
        return heard


class Echo(Fault):
    """The adapter sends back every byte of the host, as those without direction control do."""

    kind = "echo"

    @property
    def echoes(self) -> bool:
        return True

    def on_replies(self, replies: list[Reply]) -> list[Reply]:
        return replies


KINDS: dict[str, type[Fault]] = {
    fault.kind: fault
    for fault in (
        Drop,
        Deaf,
        Corrupt,
        Truncate,
        Delay,
        Noise,
        WrongId,
        Duplicate,
        Shuffle,
        Stuck,
        Echo,
    )
}


def parse_fault(text: str, seed: int = 0) -> Fault:
    """A fault from words like `drop:id=3,probability=0.01`.

    Raises:
        ConfigError: unknown kind, option or value.
    """
    kind, _, rest = text.partition(":")
    return make_fault(kind.strip(), parse_options(rest, "fault"), seed)


def make_fault(kind: str, options: Mapping[str, str], seed: int = 0) -> Fault:
    """A fault of one of KINDS.

    Raises:
        ConfigError: unknown kind, option or value.
    """
    if kind not in KINDS:
        raise ConfigError("fault", "", "kind", kind, f"one of {', '.join(KINDS)}")
    return KINDS[kind](options, seed)
