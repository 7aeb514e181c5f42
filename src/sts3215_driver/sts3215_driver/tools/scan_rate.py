"""Looking for servos at one baud rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stride_base.progress import Progress, part_of, silent
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.packets import MAX_ID
from sts3215_driver.tools.examine import Examination, Knock, examine, knock
from sts3215_driver.tools.open_port import make_bus
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts
from sts3215_driver.tools.tap import Tap
from sts3215_driver.transport.base import Transport
from sts3215_driver.transport.boot_text import drain_boot_text

#: Asked one by one where nobody answers a broadcast: manuals promise that only for a single servo.
LIKELY_IDS = tuple(range(21))
BROADCASTS = 2
#: More ids than that with garbage are no servos but a talkative board.
MOST_GARBLED = 16
#: Waiting for absent ids where the line was measured: times the slowest answer, and at least, s.
TRUST, SHORTEST_WAIT = 4.0, 0.003


@dataclass(frozen=True)
class FoundServo:
    """Somebody at an id.

    Args:
        id: Where.
        baud: At what rate, bit/s.
        facts: Its registers; None if no whole answer came.
        examination: Whether it is one servo.
    """

    id: int
    baud: int
    facts: ServoFacts | None
    examination: Examination


@dataclass(frozen=True)
class RateScan:
    """What one rate brought.

    Args:
        baud: bit/s.
        servos: By id.
        echo: Whether the adapter sends back what we write.
        heard: Everything that was received, boot text included.
        skipped: Why this rate was not tried; empty if it was.
    """

    baud: int
    servos: tuple[FoundServo, ...] = ()
    echo: bool = False
    heard: bytes = b""
    skipped: str = ""


def scan_rate(
    transport: Transport,
    baud: int,
    ids: Sequence[int] | None = None,
    progress: Progress = silent,
) -> RateScan:
    """Find all servos behind an open port: broadcast, then every id by itself.

    Args:
        transport: Open at `baud`; closed by the caller.
        ids: Which ids to ask one by one. None: all where anybody is, else the likely ones.
        progress: Told of each id.

    Raises:
        PortError
    """
    tap = Tap(transport)
    drain_boot_text(tap)
    bus = make_bus(tap, baud)
    answering, garbled = who_is_there(bus, ids, progress)
    servos = [_describe(bus, servo_id) for servo_id in sorted({*answering, *garbled})]
    return RateScan(baud, tuple(s for s in servos if s is not None), bus.timing.echo, tap.take())


def who_is_there(
    bus: Bus, ids: Sequence[int] | None = None, progress: Progress = silent
) -> tuple[set[int], list[int]]:
    """Ids that answer, and ids from which nothing but garbage comes: two servos may share one of those.

    Args:
        ids, progress: As for `scan_rate`.

    Raises:
        PortError
    """
    answering = _broadcast(bus)
    alone = [each for each in (LIKELY_IDS if ids is None else ids) if each not in answering]
    everyone = MAX_ID + 1 if answering and ids is None else len(alone)
    garbled = _ask_each(bus, alone, answering, part_of(progress, 0, everyone))
    if answering and ids is None:
        rest = [each for each in range(MAX_ID + 1) if each not in (*alone, *answering)]
        told = part_of(progress, everyone - len(rest), everyone)
        garbled += _ask_each(_measured(bus, min(answering)), rest, answering, told)
    if len(garbled) > MOST_GARBLED:
        garbled = []
    return answering, garbled


def _broadcast(bus: Bus) -> set[int]:
    """Ids that answer a PING to all, and then a question to themselves."""
    claimed: set[int] = set()
    for _ in range(BROADCASTS):
        claimed.update(bus.broadcast_ping())
    return {servo_id for servo_id in claimed if knock(bus, servo_id) is Knock.ANSWERS}


def _ask_each(bus: Bus, ids: Sequence[int], answering: set[int], progress: Progress) -> list[int]:
    """Adds those that answer to `answering`; returns those from which garbage comes, each time."""
    garbled = []
    for number, servo_id in enumerate(ids):
        progress("asking", number, len(ids), f"id {servo_id}")
        outcome = knock(bus, servo_id, attempts=1)
        if outcome is Knock.GARBLED:
            outcome = knock(bus, servo_id)
            if outcome is Knock.GARBLED:
                garbled.append(servo_id)
        if outcome is Knock.ANSWERS:
            answering.add(servo_id)
    return garbled


def _measured(bus: Bus, servo_id: int) -> Bus:
    """The same line with waiting cut to what a servo that answers needs."""
    clock, slowest = bus.transport.clock, 0.0
    for _ in range(5):
        start = clock.now()
        try:
            bus.ping(servo_id)
        except NoReplyError:
            return bus
        slowest = max(slowest, clock.now() - start)
    latency = min(max(TRUST * slowest, SHORTEST_WAIT), bus.timing.latency)
    return Bus(bus.transport, replace(bus.timing, latency=latency))


def _describe(bus: Bus, servo_id: int) -> FoundServo | None:
    examination = examine(bus, servo_id)
    try:
        facts = read_facts(bus, servo_id)
    except NoReplyError:
        facts = None
    if facts is None and not examination.looks_double:
        return None
    return FoundServo(servo_id, bus.timing.baud, facts, examination)
