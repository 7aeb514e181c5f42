"""One wire with servos on it, as the host's serial port sees it.

It never asks for the time. With `wire_time` every byte takes 10 bit times, and

    host     |<-- request -->|
    servos                   |turn|reply 0|gap|reply 1|gap|   ...   |reply i|
    start of reply i = end of request + turn-around + i * (length of reply + 3) byte times

holds for SYNC_READ, whether the servos in between answer or not; a broadcast PING is answered in
slots of 9 byte times numbered by id. A servo answers when the line falls idle: if the host goes on
without a pause, the answer comes later, and only to the last request. If the host talks while
servos do, nobody understands anything.

Without `wire_time` replies are there at once, in that order.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from stride_base.errors import ConfigError
from sts3215_driver.emulator.collisions import superpose
from sts3215_driver.emulator.faults import Fault
from sts3215_driver.emulator.reply import Reply
from sts3215_driver.emulator.servo import Servo
from sts3215_driver.emulator.servo_bank import ServoBank
from sts3215_driver.emulator.servo_parser import Request, ServoParser
from sts3215_driver.emulator.wire import Wire
from sts3215_driver.protocol.packets import BROADCAST_ID, OVERHEAD, Instruction
from sts3215_driver.protocol.registers import BAUD_RATES

#: Byte times between the slots of a SYNC_READ, beside the reply itself.
SLOT_GAP = 3
#: What a servo needs to answer, s, after it has seen an idle character behind the request.
PROCESSING = 20e-6
_LONGEST_SYNC_DATA = 125


class EmulatedBus:
    """A SerialDevice with a bank of servos behind it.

    Args:
        bank: The servos.
        baud: Rate of the host's port, bit/s; servos set to another one hear nothing. The host may
            change it: attribute `baud`.
        wire_time: Whether bytes take time.
        faults: What goes wrong.
        seed: Of the garbage that colliding servos make.
    """

    def __init__(
        self,
        bank: ServoBank,
        baud: int = BAUD_RATES[0],
        wire_time: bool = True,
        faults: Iterable[Fault] = (),
        seed: int = 0,
    ) -> None:
        if baud <= 0:
            raise ConfigError("emulator", "", "baud", baud, "a positive rate in bit/s")
        self.bank, self.baud = bank, baud
        self.faults = list(faults)
        self._wire_time = wire_time
        self._random = random.Random(seed)
        self._parser = ServoParser()
        self._host_free = float("-inf")
        self._wire = Wire()
        self._answer: list[Reply] = []

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host, written at `now` (s)."""
        byte_time = self._byte_time()
        start = max(now, self._host_free)
        end = start + len(data) * byte_time
        goes_on = self._wire_time and now <= self._host_free + byte_time
        if goes_on:
            self._wire.withdraw(self._host_free)
        else:
            self._answer = []
        spoiled = not goes_on and self._wire.talk_over(start, end, self._random)
        self._host_free = end
        if any(fault.echoes for fault in self.faults):
            self._wire.send([Reply(BROADCAST_ID, 0.0, data)], start, byte_time)
        if spoiled:
            self._parser.reset()
            return
        for request in self._parser.feed(data):
            self._answer = self._execute(request, start + request.end * byte_time)
            if not self._wire_time:
                self._wire.send(self._answer, now, 0.0)
        if self._wire_time:
            self._wire.send(self._answer, end + byte_time + PROCESSING, byte_time)

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        """The next bytes that are at the host no later than `until`, and when; None without any."""
        return self._wire.take(until)

    def next_arrival(self, together: float = 0.0) -> float | None:
        """When the next bytes will be at the host, s; None if none are under way.

        Args:
            together: If further bytes follow within this time, s, the time of the last of those.
        """
        return self._wire.next_arrival(together)

    def advance(self, now: float) -> None:
        """Let the servos move until `now` (s); requests do so by themselves."""
        self.bank.advance(now)

    def _byte_time(self) -> float:
        return 10.0 / self.baud if self._wire_time else 0.0

    def _execute(self, request: Request, now: float) -> list[Reply]:
        self.bank.advance(now)
        if request.instruction == Instruction.SYNC_WRITE:
            self._sync_write(request, now)
            return []
        if request.instruction == Instruction.SYNC_READ:
            replies = self._sync_read(request, now)
        else:
            replies = self._single(request, now)
        if len(replies) > 1:
            replies = superpose(replies, self._random)
        for fault in self.faults:
            replies = fault.on_replies(replies)
        return replies

    def _listening(self, servo_id: int, now: float) -> list[Servo]:
        listening = [
            servo
            for servo in self.bank.addressed(servo_id)
            if servo.hears(now) and servo.baud == self.baud
        ]
        if self.faults and listening and not all(f.hears(servo_id) for f in self.faults):
            return []
        return listening

    def _single(self, request: Request, now: float) -> list[Reply]:
        broadcast = request.id == BROADCAST_ID
        everyone = sorted({servo.id for servo in self.bank.servos}) if broadcast else []
        asked = everyone if broadcast else [request.id]
        slot = (OVERHEAD + SLOT_GAP) * self._byte_time()
        replies: list[Reply] = []
        for servo in [servo for each in asked for servo in self._listening(each, now)]:
            servo_id = servo.id
            data = servo.handle(request.instruction, request.parameters, broadcast, now)
            if data is not None:
                replies.append(Reply(servo_id, servo_id * slot if broadcast else 0.0, data))
        return replies

    def _sync_read(self, request: Request, now: float) -> list[Reply]:
        replies: list[Reply] = []
        if len(request.parameters) < 3 or not self.bank.firmware.sync_read:
            return replies
        address, length = request.parameters[0], request.parameters[1]
        byte_time = self._byte_time()
        asked: set[int] = set()
        for place, servo_id in enumerate(request.parameters[2:]):
            if servo_id in asked or request.id not in (BROADCAST_ID, servo_id):
                continue
            asked.add(servo_id)
            for servo in self._listening(servo_id, now):
                data = servo.read(address, length)
                if data is not None:
                    slot = place * (len(data) + SLOT_GAP) * byte_time
                    replies.append(Reply(servo_id, slot, data))
        return replies

    def _sync_write(self, request: Request, now: float) -> None:
        parameters = request.parameters
        if len(parameters) < 2 or not 0 < parameters[1] <= _LONGEST_SYNC_DATA:
            return
        address, size = parameters[0], parameters[1] + 1
        for at in range(2, len(parameters), size):
            servo_id = parameters[at]
            if request.id not in (BROADCAST_ID, servo_id):
                continue
            data = parameters[at + 1 : at + size]
            for servo in self._listening(servo_id, now):
                servo.write(address, data)
