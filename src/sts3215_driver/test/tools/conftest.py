"""A bench of servos on virtual time, made of their register files: just what the tools rely on.

It shares no code with the emulator, so that tools and emulator cannot be wrong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from sts3215_driver.bus import Bus
from sts3215_driver.clock import VirtualClock
from sts3215_driver.errors import PortError
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME, REGISTERS
from sts3215_driver.tools.open_port import make_bus
from sts3215_driver.transport.memory import MemoryTransport

TURN = 4096


class FakeServo:
    """Registers, lock, id acknowledgement, offset and auto torque of one servo.

    `raw` is the encoder, `motion` a function of time that is added to it.
    """

    def __init__(self, servo_id: int = 1, **values: int) -> None:
        self.raw = 2048
        self.motion: Callable[[float], float] = lambda now: 0.0
        self.ack_with_new_id = False
        self.drops_locked_writes = False
        self.knows_sync_read = True
        self.answers_broadcast = True
        self.powered = True
        self.written: list[tuple[int, bytes]] = []
        self.goes_to_goal = True
        self._stored = bytearray(87)
        for register in REGISTERS:
            end = register.address + register.size
            self._stored[register.address : end] = register.encode(register.default)
        for name, value in {"max_voltage": 140, "id": servo_id, **values}.items():
            self._put(self._stored, name, value)
        self.memory = bytearray(87)
        self.power_cycle()
        for name in ("present_voltage", "present_temperature"):
            self.set(name, values.get(name, {"present_voltage": 121}.get(name, 31)))

    def get(self, name: str) -> int:
        register = BY_NAME[name]
        return register.decode(bytes(self.memory[register.address :]))

    def set(self, name: str, value: int) -> None:
        """Past all rules."""
        self._put(self.memory, name, value)

    def kept(self, name: str) -> int:
        """What a setting will be after a power cycle."""
        register = BY_NAME[name]
        return register.decode(bytes(self._stored[register.address :]))

    def power_cycle(self) -> None:
        measured = bytes(self.memory[62:64])
        self.memory[:] = self._stored
        self.memory[40:80] = bytes(40)
        self.set("torque_limit", self.get("max_torque"))
        self.set("lock", 1)
        self.memory[62:64] = measured

    def advance(self, now: float) -> None:
        raw = int(self.raw + self.motion(now))
        mode, phase = self.get("operating_mode"), self.get("phase")
        if self.get("torque_enable") == 1 and mode == 0 and self.goes_to_goal:
            self.raw = raw = self.get("goal_position") + self._offset()
        position = raw - (self._offset() if mode == 0 else 0)
        self.set("present_position", position if phase & 16 else position % TURN)

    def _offset(self) -> int:
        raw = int.from_bytes(self.memory[31:33], "little")
        if raw >= 4096:
            return raw - 2048 if raw < 6144 else -(raw - 4096)
        return raw if raw < 2048 else -(raw - 2048)

    def write(self, address: int, data: bytes) -> None:
        self.written.append((address, data))
        for place, byte in enumerate(data, address):
            eeprom = 5 <= place < 40 or 80 <= place < 87
            if place > 86 or not (5 <= place < 56 or eeprom):
                continue
            if eeprom and self.memory[55] and self.drops_locked_writes:
                continue
            self.memory[place] = byte
            if eeprom and not self.memory[55]:
                self._stored[place] = byte
        span = range(address, address + len(data))
        if 33 in span:
            self.memory[40] = self.memory[41] = self.memory[46] = self.memory[47] = 0
        if 40 in span and self.memory[40] == 128:
            self.memory[40] = 0
            offset = (self.raw - 2048 + 2048) % TURN - 2048
            self._put(self.memory, "position_offset", max(offset, -2047))
            self._stored[31:33] = self.memory[31:33]
        goal = {0: 42, 1: 46, 2: 44, 3: 42}.get(self.memory[33], 42)
        if goal in span or goal + 1 in span:
            self.memory[40] = 1

    @staticmethod
    def _put(memory: bytearray, name: str, value: int) -> None:
        register = BY_NAME[name]
        if register.sign_bit is not None and value < 0:
            value = -value | 1 << register.sign_bit
        memory[register.address : register.address + register.size] = value.to_bytes(
            register.size, "little"
        )


class Bench:
    """Servos on one wire, seen from a port that can be opened at any rate."""

    def __init__(self, servos: Iterable[FakeServo] = ()) -> None:
        self.servos = list(servos)
        self.clock = VirtualClock(100.0)
        self.refused: set[int] = set()
        self.opened: list[int] = []
        self.echo = False
        #: What a board prints after each opening: delays in s, and bytes.
        self.boot_text: list[tuple[float, bytes]] = []
        #: What a board answers to whatever is written to it.
        self.board: Callable[[bytes], bytes] = lambda data: b""
        #: Each reply on its way: other bytes, or None where it is lost.
        self.mangle: Callable[[bytes, int], bytes | None] = lambda reply, number: reply
        #: Called with each request before it is carried out.
        self.on_request: Callable[[bytes], None] = lambda request: None
        #: Rate between a converting board and the servos; None without such a board.
        self.servo_side: int | None = None
        self.requests: list[bytes] = []
        self._replies = 0
        self._pending: list[tuple[float, bytes]] = []
        self._baud = 0

    def open(self, baud: int = 1_000_000) -> MemoryTransport:
        if baud in self.refused:
            raise PortError(f"port fake cannot be opened: rate {baud} is refused")
        self.opened.append(baud)
        self._baud = baud
        self._pending = [(self.clock.now() + delay, text) for delay, text in self.boot_text]
        return MemoryTransport(self, self.clock)

    def bus(self, baud: int = 1_000_000) -> Bus:
        return make_bus(self.open(baud), baud)

    def receive(self, data: bytes, now: float) -> None:
        end = now + len(data) * 10 / self._baud
        if self.echo:
            self._send(end, data)
        if answer := self.board(data):
            self._send(end + 0.01, answer)
        if data[:2] != b"\xff\xff":
            return
        self.requests.append(data)
        self.on_request(data)
        self._execute(data[2], data[4], data[5:-1], end)

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        self._pending.sort(key=lambda entry: entry[0])
        if self._pending and self._pending[0][0] <= until:
            return self._pending.pop(0)
        return None

    def _send(self, when: float, data: bytes) -> None:
        self._pending.append((when, data))

    def _hearing(self, servo_id: int) -> list[FakeServo]:
        rate = self.servo_side or self._baud
        return [
            servo
            for servo in self.servos
            if servo.powered
            and BAUD_RATES[servo.get("baud_code")] == rate
            and servo_id in (servo.get("id"), 254)
        ]

    def _execute(self, servo_id: int, code: int, parameters: bytes, end: float) -> None:
        byte = 10 / self._baud
        for servo in self._hearing(254):
            servo.advance(end)
        if code == 0x82:
            for place, each in enumerate(parameters[2:]):
                replies = [
                    self._status(s, s.memory[parameters[0] :][: parameters[1]])
                    for s in self._hearing(each)
                    if s.knows_sync_read
                ]
                self._reply(end + place * (parameters[1] + 9) * byte, replies)
            return
        slots: dict[int, list[bytes]] = {}
        for servo in self._hearing(servo_id):
            reply = self._single(servo, servo_id, code, parameters)
            if reply is not None:
                slots.setdefault(servo.get("id") if servo_id == 254 else 0, []).append(reply)
        for slot, replies in slots.items():
            self._reply(end + 40e-6 + slot * 9 * byte, replies)

    def _single(
        self, servo: FakeServo, servo_id: int, code: int, parameters: bytes
    ) -> bytes | None:
        broadcast = servo_id == 254
        if code == 1:
            answers = servo.answers_broadcast or not broadcast
            return self._status(servo, b"") if answers else None
        if code == 2:
            address, length = parameters
            return None if address > 86 else self._status(servo, servo.memory[address:][:length])
        if code == 3:
            servo.write(parameters[0], parameters[1:])
            servo.advance(self.clock.now())
        if broadcast or servo.get("response_level") == 0:
            return None
        voice = servo.get("id") if servo.ack_with_new_id else servo_id
        return packets.status(voice, servo.memory[65])

    @staticmethod
    def _status(servo: FakeServo, data: bytes) -> bytes:
        return packets.status(servo.get("id"), servo.memory[65], bytes(data))

    def _reply(self, start: float, replies: list[bytes]) -> None:
        if not replies:
            return
        longest = max(replies, key=len)
        wire = bytearray(longest)
        for reply in replies:
            for place, value in enumerate(reply):
                wire[place] &= value
        self._replies += 1
        mangled = self.mangle(bytes(wire), self._replies)
        if mangled is not None:
            self._send(start + len(wire) * 10 / self._baud, mangled)


@pytest.fixture
def servo() -> type[FakeServo]:
    return FakeServo


@pytest.fixture
def bench() -> Callable[..., Bench]:
    """A bench with servos of these ids, or with these servos."""

    def make(*servos: FakeServo | int) -> Bench:
        return Bench(FakeServo(s) if isinstance(s, int) else s for s in servos)

    return make
