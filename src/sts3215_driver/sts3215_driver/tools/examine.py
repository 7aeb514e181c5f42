"""Is there one servo at an id, or two that talk at once? And is the line clean?

Two servos of one id answer the same request at the same time. Equal answers (PING) may look healthy,
different ones (positions) come out garbled, and where one of them wins at times, values change that
cannot change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from sts3215_driver.bus import Bus
from sts3215_driver.errors import BadReplyError, NoReplyError
from sts3215_driver.protocol.registers import BY_NAME, FEEDBACK_LONG, REGISTERS, Block
from sts3215_driver.protocol.units import STEPS_PER_TURN

#: Reads of one servo that show nothing suspicious and are believed.
QUICK_ROUNDS = 4
#: Reads of one that looks suspicious.
ROUNDS = 12
#: Identity and configuration: nothing in there changes by itself.
STATIC = Block(0, 40)
#: A stray byte or two at the turn of the line come with healthy servos as well.
FEW_BYTES = 2
#: How long to listen for a second answer behind the first, s.
AFTERMATH = 0.004
#: Share of garbled answers that one servo on a working line never has.
GARBLED_SHARE = 0.3
#: A position that leaps back and forth by more than that while the servo says it stands, steps.
LEAP = 40
SLOW = 20
_MODEL = BY_NAME["model_number"]


class Knock(Enum):
    """What comes back from an id."""

    SILENT = "silent"
    ANSWERS = "answers"
    GARBLED = "garbled"


class Heard(Enum):
    """What came back from one read."""

    CLEAN = "clean"
    GARBLED = "garbled"
    SILENT = "silent"


@dataclass(frozen=True)
class Examination:
    """What repeated reads of one id brought.

    Args:
        heard: How often each outcome came.
        changing: Registers that cannot change by themselves and did.
        alternating: Whether the position leapt back and forth though the speed was about 0.
    """

    heard: Mapping[Heard, int]
    changing: tuple[str, ...] = ()
    alternating: bool = False

    @property
    def garbled_share(self) -> float:
        """Garbled answers among all that were not silence, 0 to 1."""
        answers = self.heard[Heard.CLEAN] + self.heard[Heard.GARBLED]
        return self.heard[Heard.GARBLED] / answers if answers else 0.0

    @property
    def looks_double(self) -> bool:
        """Whether two servos seem to share this id; a very bad line looks the same."""
        garbled = self.heard[Heard.GARBLED] > 1 and self.garbled_share >= GARBLED_SHARE
        return bool(self.changing) or self.alternating or garbled

    @property
    def evidence(self) -> str:
        """Why `looks_double`, in words; empty without evidence."""
        found = []
        if self.heard[Heard.GARBLED]:
            answers = self.heard[Heard.CLEAN] + self.heard[Heard.GARBLED]
            found.append(f"{self.heard[Heard.GARBLED]} of {answers} answers are garbled")
        if self.changing:
            found.append(f"{', '.join(self.changing)} changes from read to read")
        if self.alternating:
            found.append("the position leaps back and forth at rest")
        return "; ".join(found)

    @property
    def remark(self) -> str:
        """What to tell of a servo that `looks_double`."""
        return (
            f"looks like two servos with one id ({self.evidence}): connect only one of them and give it "
            "another id with `stride set-id`; new servos all have id 1"
        )


def knock(bus: Bus, servo_id: int, attempts: int = 3) -> Knock:
    """Whether anybody is at an id: reads the model number, since the echo of a PING is a valid reply.

    Raises:
        PortError
    """
    garbled = False
    for _ in range(attempts):
        heard, data = _listen(bus, servo_id, Block(_MODEL.address, _MODEL.size))
        if data:
            return Knock.ANSWERS
        garbled |= heard is Heard.GARBLED
    return Knock.GARBLED if garbled else Knock.SILENT


def examine(bus: Bus, servo_id: int) -> Examination:
    """Read a servo again and again, longer if something looks odd.

    Raises:
        PortError
    """
    heard: Counter[Heard] = Counter()
    static: list[dict[str, int]] = []
    moving: list[dict[str, int]] = []
    for number in range(ROUNDS):
        for block, values in ((STATIC, static), (FEEDBACK_LONG, moving)):
            outcome, data = _listen(bus, servo_id, block)
            heard[outcome] += 1
            if data:
                values.append(_raw_values(block, data))
        odd = heard[Heard.GARBLED] or heard[Heard.SILENT] or _differing(static, 1)
        if number + 1 >= QUICK_ROUNDS and not odd:
            break
    return Examination(heard, _differing(static, 2), _alternates(moving))


def _listen(bus: Bus, servo_id: int, block: Block) -> tuple[Heard, bytes]:
    """One read, and whatever comes behind its answer."""
    before = _unusable(bus)
    data, bad = b"", False
    try:
        data = bus.read(servo_id, block.address, block.length).data
    except BadReplyError:
        bad = True
    except NoReplyError:
        pass
    unusable = _unusable(bus) - before
    end = bus.transport.clock.now() + AFTERMATH + bus.timing.reply(block.length)
    while trailing := bus.transport.read(end):
        unusable += len(trailing)
    if bad or unusable > FEW_BYTES:
        return Heard.GARBLED, data
    return (Heard.CLEAN, data) if data else (Heard.SILENT, b"")


def _raw_values(block: Block, data: bytes) -> dict[str, int]:
    """Registers in `data` as plain numbers: two servos' mixture need not make sense."""
    begin, end = block.address, block.address + len(data)
    return {
        register.name: int.from_bytes(data[register.address - begin :][: register.size], "little")
        for register in REGISTERS
        if begin <= register.address < end
    }


def _unusable(bus: Bus) -> int:
    """Bytes so far that no request explains; a packet counts as more than a few stray bytes."""
    scan = bus.counts.scan
    packets = scan.bad_checksum + scan.wrong_length + scan.duplicate
    return scan.noise_bytes + packets * (FEW_BYTES + 1)


def _differing(reads: Sequence[Mapping[str, int]], times: int) -> tuple[str, ...]:
    """Registers with two values or more that were each seen at least `times` times."""
    if not reads:
        return ()
    return tuple(
        name
        for name in reads[0]
        if sum(count >= times for count in Counter(read[name] for read in reads).values()) > 1
    )


def _alternates(reads: Iterable[Mapping[str, int]]) -> bool:
    # Bit 15 is the sign of both.
    resting = [
        read["present_position"] & 0x7FFF
        for read in reads
        if read["present_speed"] & 0x7FFF <= SLOW
    ]
    half = STEPS_PER_TURN // 2
    leaps = [(b - a + half) % STEPS_PER_TURN - half for a, b in pairwise(resting)]
    big = [leap for leap in leaps if abs(leap) > LEAP]
    return sum(a * b < 0 for a, b in pairwise(big)) >= 2
