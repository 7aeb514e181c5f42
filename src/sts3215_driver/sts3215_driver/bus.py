"""The servo bus: requests and their replies over any transport, with every outcome told apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sts3215_driver.errors import BadReplyError, NoReplyError
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.packets import BROADCAST_ID, MAX_ID, Instruction, StatusPacket
from sts3215_driver.protocol.registers import REGISTER_COUNT, Register
from sts3215_driver.protocol.reply_order import out_of_turn
from sts3215_driver.protocol.reply_scanner import ReplyScanner, ScanCounts, Status
from sts3215_driver.timing import PING_SLOT, BusTiming, LatencyEstimate
from sts3215_driver.transport.base import Transport

#: A reply that has not come after this time does not come any more, s.
FORGET_AFTER = 0.25
#: By how many bytes a request may be made longer to tell its replies from late ones.
SPARE_LENGTHS = 3
#: Ids in one SYNC_READ: servos drop packets with more than 128 parameters, and two are taken.
MAX_SYNC_READ = 126


@dataclass(frozen=True, slots=True)
class Reading:
    """One servo's part of a SYNC_READ.

    Args:
        id: Servo.
        status: Outcome.
        packet: Data and alarms if `status` is OK, else None: there is no value to mistake for one.
        certain: Whether nobody was missing in the exchange. Else one that is may have answered in the
            name of this servo whose own reply was lost, which no byte of it shows.
    """

    id: int
    status: Status
    packet: StatusPacket | None
    certain: bool = True


@dataclass
class BusCounts:
    """Totals since the bus was opened."""

    requests: int = 0
    replies: int = 0
    missing: int = 0
    retries: int = 0
    stray_bytes: int = 0
    echo_errors: int = 0
    scan: ScanCounts = field(default_factory=ScanCounts)


class Bus:
    """One exchange at a time with the servos behind `transport`. Not for use by two threads."""

    def __init__(self, transport: Transport, timing: BusTiming | None = None) -> None:
        self.transport = transport
        self.timing = timing if timing is not None else BusTiming()
        self.counts = BusCounts()
        #: Servos with response level 0, which answer nothing but PING and READ.
        self.unacknowledged: set[int] = set()
        #: Servos that do not know SYNC_READ and are read one by one.
        self.single_readers: set[int] = set()
        self._clock = transport.clock
        #: When the last byte of the newest request leaves us.
        self._line_free = float("-inf")
        self._latency = LatencyEstimate(self.timing.turnaround + self.timing.latency)
        #: Requests without an answer yet: id -> (data length, when given up).
        self._unanswered: dict[int, tuple[int, float]] = {}

    @property
    def latency(self) -> float:
        """How long replies are waited for beyond their time on the wire, s; learned from the line."""
        return self._latency.value

    def learn_echo(self) -> bool:
        """Find out whether the adapter sends back what we write, and remember it.

        Asks for a register that no servo has, so whatever returns is an echo. Comparing replies with
        requests would not do: an alarm's reply to PING is byte for byte a PING.
        """
        request = packets.read(MAX_ID, 0xC8, 1)
        self.timing = replace(self.timing, echo=False)
        self._send(request)
        deadline = self._line_free + self.timing.latency
        heard = bytearray()
        while len(heard) < len(request) and (data := self.transport.read(deadline)):
            heard += data
        self.timing = replace(self.timing, echo=request in heard)
        return self.timing.echo

    def ping(self, servo_id: int) -> StatusPacket:
        """The alarms of one servo.

        Raises:
            NoReplyError, BadReplyError, PortError
        """
        return self._ask(packets.ping(servo_id), servo_id, (0,))

    def broadcast_ping(self) -> dict[int, StatusPacket]:
        """All servos that answer a PING to everybody, by id. Servos answer in a slot of their id."""
        request = packets.ping(BROADCAST_ID)
        longest = self.timing.wire_time(PING_SLOT) * (MAX_ID + 1)
        return self._exchange(request, range(MAX_ID + 1), (0,), 0.0, longest).found

    def read(self, servo_id: int, address: int, length: int) -> StatusPacket:
        """Registers of one servo; shorter than `length` only where the register table ends.

        Raises:
            NoReplyError: nothing usable came (addresses behind the table are never answered).
            BadReplyError, PortError
        """
        asked = self._distinct_length(length, (servo_id,))
        lengths = {asked, min(asked, max(REGISTER_COUNT - address, 0))}
        reply = self._ask(packets.read(servo_id, address, asked), servo_id, lengths)
        return replace(reply, data=reply.data[:length]) if len(reply.data) > length else reply

    def write(self, servo_id: int, address: int, data: bytes) -> StatusPacket | None:
        """Write registers of one servo, or of all with BROADCAST_ID.

        Returns:
            The acknowledgement, or None where none is sent (broadcast, response level 0).

        Raises:
            NoReplyError, BadReplyError, PortError, PayloadError
        """
        return self._command(packets.write(servo_id, address, data), servo_id)

    def reg_write(self, servo_id: int, address: int, data: bytes) -> StatusPacket | None:
        """Like `write`, but the servo waits for `action`."""
        return self._command(packets.reg_write(servo_id, address, data), servo_id)

    def action(self, servo_id: int = BROADCAST_ID) -> StatusPacket | None:
        """Carry out what `reg_write` prepared."""
        return self._command(packets.action(servo_id), servo_id)

    def command(
        self, servo_id: int, instruction: Instruction, parameters: bytes = b""
    ) -> StatusPacket | None:
        """Any other instruction that is answered by an acknowledgement (REBOOT is not answered)."""
        request = packets.packet(servo_id, instruction, parameters)
        if instruction == Instruction.REBOOT:
            self._send(request)
            return None
        return self._command(request, servo_id)

    def read_register(self, servo_id: int, register: Register) -> int:
        """Signed value of one register."""
        return register.decode(self.read(servo_id, register.address, register.size).data)

    def write_register(self, servo_id: int, register: Register, value: int) -> StatusPacket | None:
        """Write a signed value, checked against the register's range (ValueError)."""
        return self.write(servo_id, register.address, register.encode(value))

    def sync_read(
        self, address: int, length: int, ids: Sequence[int], until: float | None = None
    ) -> list[Reading]:
        """The same registers of several servos, each with its own outcome.

        Args:
            address, length: Registers.
            ids: Servos, each once; the result has their order.
            until: Time of the transport's clock at which to be done. Those that did not answer are
                asked once more if that is possible by then. None: one full attempt.

        Raises:
            PortError
        """
        found: dict[int, StatusPacket] = {}
        faults: dict[int, Status] = {}
        uncertain: set[int] = set()
        group = [servo_id for servo_id in ids if servo_id not in self.single_readers]
        for start in range(0, len(group), MAX_SYNC_READ):
            part = group[start : start + MAX_SYNC_READ]
            uncertain |= self._sync_read_into(found, faults, address, length, part, until)
        missing = [servo_id for servo_id in group if servo_id not in found][:MAX_SYNC_READ]
        if missing and until is not None:
            needed = self.timing.sync_read(length, len(missing)) + self.timing.turnaround
            if self._clock.now() + needed <= until:
                self.counts.retries += len(missing)
                uncertain |= self._sync_read_into(found, faults, address, length, missing, until)
        for servo_id in self.single_readers.intersection(ids):
            if until is None or self._clock.now() + self.timing.read(length) <= until:
                try:
                    found[servo_id] = self.read(servo_id, address, length)
                except BadReplyError:
                    faults[servo_id] = Status.CORRUPT
                except NoReplyError:
                    faults[servo_id] = Status.MISSING
        self.counts.missing += len(ids) - len(found)
        return [
            Reading(i, Status.OK, found[i], i not in uncertain)
            if i in found
            else Reading(i, faults.get(i, Status.MISSING), None)
            for i in ids
        ]

    def sync_write(self, address: int, length: int, items: Iterable[tuple[int, bytes]]) -> None:
        """The same registers of several servos; nobody acknowledges.

        Raises:
            PayloadError, PortError
        """
        for request in packets.sync_write(address, length, items):
            self._send(request)

    def _sync_read_into(
        self,
        found: dict[int, StatusPacket],
        faults: dict[int, Status],
        address: int,
        length: int,
        ids: Sequence[int],
        until: float | None,
    ) -> set[int]:
        """One SYNC_READ; data are cut to `length`.

        Returns:
            Those among the found that somebody else may have answered for.
        """
        if not ids:
            return set()
        asked = self._distinct_length(length, ids)
        request = packets.sync_read(address, asked, ids)
        shortest = len(ids) * self.timing.reply(asked)
        longest = len(ids) * self.timing.slot(asked)
        scanner = self._exchange(request, ids, (asked,), shortest, longest, until)
        if scanner.disputed and len(scanner.found) + len(scanner.disputed) < len(ids):
            # One that is missing may have answered in another's name, and others in turn in names
            # whose owners are not heard: nobody's word counts in this exchange.
            faults.update(dict.fromkeys(ids, Status.CORRUPT))
            return set()
        incomplete = not scanner.complete
        if incomplete:
            for servo_id in out_of_turn(list(scanner.found), ids):
                self.counts.scan.out_of_turn += 1
                del scanner.found[servo_id]
                scanner.faults[servo_id] = Status.CORRUPT
        for servo_id, reply in scanner.found.items():
            found[servo_id] = reply if asked == length else replace(reply, data=reply.data[:length])
        faults.update(scanner.faults)
        self._remember_unanswered(ids, asked, scanner)
        return set(scanner.found) if incomplete else set()

    def _command(self, request: bytes, servo_id: int) -> StatusPacket | None:
        if servo_id == BROADCAST_ID or servo_id in self.unacknowledged:
            self._send(request)
            return None
        return self._ask(request, servo_id, (0,))

    def _ask(self, request: bytes, servo_id: int, lengths: Collection[int]) -> StatusPacket:
        """An exchange with one servo."""
        asked = max(lengths)
        shortest = self.timing.reply(min(lengths))
        scanner = self._exchange(request, (servo_id,), lengths, shortest, self.timing.reply(asked))
        found = scanner.found.get(servo_id)
        if found is not None:
            return found
        self.counts.missing += 1
        if asked:
            self._remember_unanswered((servo_id,), asked, scanner)
        else:
            # An acknowledgement has no length to tell it from a late one, so let the line fall quiet.
            self._settle()
        status = scanner.status(servo_id)
        if status is Status.MISSING:
            raise NoReplyError(f"servo {servo_id} did not answer")
        word = "a wrong checksum" if status is Status.CORRUPT else "the wrong length"
        raise BadReplyError(f"servo {servo_id} answered with {word}")

    def _exchange(
        self,
        request: bytes,
        ids: Collection[int],
        lengths: Collection[int],
        shortest: float,
        longest: float,
        until: float | None = None,
    ) -> ReplyScanner:
        """Send `request` and gather replies until all are there or the deadline has come.

        Args:
            shortest: Time for which all replies occupy the wire at least: nobody can be done earlier, so
                the thread sleeps instead of waking for every chunk.
            longest: Time after which the last reply has ended.
        """
        scanner = ReplyScanner(ids, lengths, self.counts.scan, self._lengths_unanswered())
        clock = self._clock
        behind_echo = self._send(request)
        scanner.feed(behind_echo)
        sent = max(self._line_free, clock.now())
        deadline = sent + longest + self._latency.value
        if until is not None:
            deadline = min(deadline, until)
        clock.sleep_until(min(sent + shortest, deadline))
        while not scanner.complete:
            data = self.transport.read(deadline)
            if not data:
                break
            scanner.feed(data)
        if scanner.complete and longest:
            self._latency.add(clock.now() - sent - longest)
        late = scanner.counts.late
        scanner.finish()
        if scanner.counts.late > late:
            self._latency.punish()
        self.counts.replies += len(scanner.found)
        return scanner

    def _send(self, request: bytes) -> bytes:
        """Write a request on a quiet line.

        Returns:
            What came behind the echo already, where the adapter echoes.
        """
        self.counts.stray_bytes += len(self.transport.drain())
        self.transport.write(request)
        # What was written before, e.g. goals, may still be on its way out.
        begin = max(self._line_free, self._clock.now())
        self._line_free = begin + self.timing.wire_time(len(request))
        self.counts.requests += 1
        return self._take_echo(request) if self.timing.echo else b""

    def _take_echo(self, request: bytes) -> bytes:
        """Consume exactly as many bytes as were sent; what differs from them is counted."""
        deadline = self._line_free + self.timing.latency
        echo = bytearray()
        while len(echo) < len(request) and (data := self.transport.read(deadline)):
            echo += data
        if echo[: len(request)] != request:
            self.counts.echo_errors += 1
        return bytes(echo[len(request) :])

    def _settle(self) -> None:
        """Wait until nothing has come for the longest time that a reply may be late; not for ever, since
        a board that talks by itself never falls quiet."""
        end = self._clock.now() + FORGET_AFTER
        while (now := self._clock.now()) < end:
            data = self.transport.read(min(now + self.timing.latency, end))
            if not data:
                break
            self.counts.stray_bytes += len(data)

    def _remember_unanswered(self, ids: Iterable[int], length: int, scanner: ReplyScanner) -> None:
        expiry = self._clock.now() + FORGET_AFTER
        for servo_id in ids:
            if servo_id not in scanner.found:
                self._unanswered[servo_id] = (length, expiry)

    def _lengths_unanswered(self) -> Mapping[int, int]:
        """Requests whose answers may still come, by id."""
        if not self._unanswered:
            return {}
        now = self._clock.now()
        self._unanswered = {i: entry for i, entry in self._unanswered.items() if entry[1] > now}
        return {servo_id: length for servo_id, (length, _) in self._unanswered.items()}

    def _distinct_length(self, length: int, ids: Iterable[int]) -> int:
        """`length`, or a little more where a late reply of that length could be taken for the new."""
        pending = self._lengths_unanswered()
        if not pending:
            return length
        taken = {pending[servo_id] for servo_id in ids if servo_id in pending}
        choices = range(length, length + SPARE_LENGTHS + 1)
        return next((choice for choice in choices if choice not in taken), length)
