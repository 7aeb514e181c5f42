"""The servo bus: requests and their replies over any transport, with every outcome told apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sts3215_driver.errors import BadReplyError, NoReplyError
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.packets import BROADCAST_ID, MAX_ID, Instruction, StatusPacket
from sts3215_driver.protocol.registers import REGISTER_COUNT, Register
from sts3215_driver.protocol.reply_scanner import ReplyScanner, ScanCounts, Status
from sts3215_driver.transport.base import Transport

BITS_PER_BYTE = 10
#: Byte times that a servo leaves free before its slot in a SYNC_READ.
SLOT_GAP = 3
#: Byte times by which each id delays its answer to a broadcast PING.
PING_SLOT = 9


@dataclass(frozen=True)
class BusTiming:
    """How long things take.

    Args:
        baud: Bit rate of the slowest link between us and the servos, bit/s.
        turnaround: Longest time from the end of a request to the start of a servo's reply, s.
        latency: Longest extra delay of adapter and operating system, s.
        echo: Whether the adapter sends back what we write; a property of the adapter, not of a reply.
    """

    baud: int = 1_000_000
    turnaround: float = 0.0005
    latency: float = 0.003
    echo: bool = False

    def wire_time(self, byte_count: int) -> float:
        """Time that bytes occupy the wire, s."""
        return byte_count * BITS_PER_BYTE / self.baud


@dataclass(frozen=True, slots=True)
class Reading:
    """One servo's part of a SYNC_READ.

    Args:
        id: Servo.
        status: Outcome.
        packet: Data and alarms if `status` is OK, else None: there is no value to mistake for one.
    """

    id: int
    status: Status
    packet: StatusPacket | None


@dataclass
class BusCounts:
    """Totals since the bus was opened."""

    requests: int = 0
    replies: int = 0
    missing: int = 0
    retries: int = 0
    late_bytes: int = 0
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

    def learn_echo(self) -> bool:
        """Find out whether the adapter sends back what we write, and remember it.

        Asks for a register that no servo has, so whatever returns is an echo. Comparing replies with
        requests would not do: an alarm's reply to PING is byte for byte a PING.
        """
        request = packets.read(MAX_ID, 0xC8, 1)
        self.timing = replace(self.timing, echo=False)
        self._send(request)
        deadline = self.transport.clock.now() + self.timing.wire_time(len(request))
        deadline += self.timing.latency
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
        return self._ask(packets.ping(servo_id), servo_id, 0)

    def broadcast_ping(self) -> dict[int, StatusPacket]:
        """All servos that answer a PING to everybody, by id. Servos answer in a slot of their id."""
        request = packets.ping(BROADCAST_ID)
        slots = self.timing.wire_time(PING_SLOT) * (MAX_ID + 1)
        return self._exchange(request, range(MAX_ID + 1), (0,), slots).found

    def read(self, servo_id: int, address: int, length: int) -> StatusPacket:
        """Registers of one servo; shorter than `length` only where the register table ends.

        Raises:
            NoReplyError: nothing usable came (addresses behind the table are never answered).
            BadReplyError, PortError
        """
        return self._ask(packets.read(servo_id, address, length), servo_id, length, address)

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
        if not ids:
            return []
        scanner = self._sync_read_once(address, length, ids, until)
        missing = [servo_id for servo_id in ids if servo_id not in scanner.found]
        if missing and until is not None:
            budget = self.sync_read_time(length, len(missing)) + self.timing.turnaround
            if self.transport.clock.now() + budget <= until:
                self.counts.retries += len(missing)
                again = self._sync_read_once(address, length, missing, until)
                scanner.found.update(again.found)
                scanner.faults.update(again.faults)
        self.counts.missing += len(ids) - len(scanner.found)
        return [
            Reading(servo_id, scanner.status(servo_id), scanner.found.get(servo_id))
            for servo_id in ids
        ]

    def sync_write(self, address: int, length: int, items: Iterable[tuple[int, bytes]]) -> None:
        """The same registers of several servos; nobody acknowledges.

        Raises:
            PayloadError, PortError
        """
        for request in packets.sync_write(address, length, items):
            self._send(request)

    def sync_read_time(self, length: int, count: int) -> float:
        """Time on the wire of a SYNC_READ of `count` servos, s."""
        slot = length + packets.OVERHEAD + SLOT_GAP
        request = packets.OVERHEAD + 2 + count
        return self.timing.wire_time(request + count * slot)

    def sync_write_time(self, length: int, count: int) -> float:
        """Time on the wire of a SYNC_WRITE to `count` servos, s."""
        return self.timing.wire_time(packets.OVERHEAD + 2 + count * (length + 1))

    def _sync_read_once(
        self, address: int, length: int, ids: Sequence[int], until: float | None
    ) -> ReplyScanner:
        request = packets.sync_read(address, length, ids)
        slots = self.timing.wire_time(len(ids) * (length + packets.OVERHEAD + SLOT_GAP))
        return self._exchange(request, ids, (length,), slots, until)

    def _command(self, request: bytes, servo_id: int) -> StatusPacket | None:
        if servo_id == BROADCAST_ID or servo_id in self.unacknowledged:
            self._send(request)
            return None
        return self._ask(request, servo_id, 0)

    def _ask(
        self, request: bytes, servo_id: int, length: int, address: int | None = None
    ) -> StatusPacket:
        clipped = length if address is None else min(length, max(REGISTER_COUNT - address, 0))
        reply_time = self.timing.wire_time(length + packets.OVERHEAD)
        scanner = self._exchange(request, (servo_id,), {length, clipped}, reply_time)
        found = scanner.found.get(servo_id)
        if found is not None:
            return found
        self.counts.missing += 1
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
        reply_time: float,
        until: float | None = None,
    ) -> ReplyScanner:
        """Send `request` and gather replies until all are there or the deadline has come."""
        scanner = ReplyScanner(ids, lengths, self.counts.scan)
        behind_echo = self._send(request)
        clock, timing = self.transport.clock, self.timing
        deadline = clock.now() + timing.wire_time(len(request)) + timing.turnaround
        deadline += reply_time + timing.latency
        if until is not None:
            deadline = min(deadline, until)
        scanner.feed(behind_echo)
        while not scanner.complete:
            data = self.transport.read(deadline)
            if not data:
                break
            scanner.feed(data)
        scanner.finish()
        self.counts.replies += len(scanner.found)
        return scanner

    def _send(self, request: bytes) -> bytes:
        """Write a request on a quiet line.

        Returns:
            What came behind the echo already, where the adapter echoes.
        """
        self.counts.late_bytes += len(self.transport.drain())
        self.transport.write(request)
        self.counts.requests += 1
        return self._take_echo(request) if self.timing.echo else b""

    def _take_echo(self, request: bytes) -> bytes:
        """Consume exactly as many bytes as were sent; what differs from them is counted."""
        deadline = self.transport.clock.now() + self.timing.wire_time(len(request))
        deadline += self.timing.latency
        echo = bytearray()
        while len(echo) < len(request) and (data := self.transport.read(deadline)):
            echo += data
        if echo[: len(request)] != request:
            self.counts.echo_errors += 1
        return bytes(echo[len(request) :])
