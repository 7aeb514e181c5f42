"""Emulated servos on a workbench in this process: for tests that step time and never sleep."""

from __future__ import annotations

from dataclasses import replace

from sts3215_driver.clock import VirtualClock
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.packets import StatusPacket
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.transport.memory import MemoryTransport

#: Longer than any reply takes at 1 Mbit/s, s.
PATIENCE = 0.03


class Bench:
    """A virtual bus, a host that speaks raw packets, and hands that turn, load and unplug servos.

    Args:
        ids: Ids of the servos.
        setup: Everything else; see `Setup`.
    """

    def __init__(self, ids: tuple[int, ...] = (1,), setup: Setup | None = None) -> None:
        joints = tuple(Joint(servo_id) for servo_id in ids)
        self.bus = build_bus(replace(setup if setup is not None else Setup(), joints=joints))
        self.bank = self.bus.bank
        self.clock = VirtualClock()
        self.port = MemoryTransport(self.bus, self.clock)
        self._commands = Commands(self.bus)
        self.bus.advance(self.clock.now())

    def exchange(self, request: bytes, patience: float = PATIENCE) -> bytes:
        """Everything that comes back within `patience` (s)."""
        return b"".join(data for _, data in self.listen(request, patience))

    def listen(self, request: bytes, patience: float = PATIENCE) -> list[tuple[float, bytes]]:
        """What comes back within `patience` (s), and how long after the request each, s."""
        start = self.clock.now()
        self.port.write(request)
        heard: list[tuple[float, bytes]] = []
        while data := self.port.read(start + patience):
            heard.append((self.clock.now() - start, data))
        return heard

    def ask(self, request: bytes) -> StatusPacket | None:
        """The status packet that comes back first, as soon as it is there; None for silence.

        Raises:
            ValueError: what came back is no status packet.
        """
        self.port.drain()
        self.port.write(request)
        reply = self.port.read(self.clock.now() + PATIENCE)
        if not reply:
            return None
        flags, data = Flags(reply[4]), reply[5:-1]
        if reply != packets.status(reply[2], flags, data):
            raise ValueError(f"{reply.hex(' ')} is no status packet")
        return StatusPacket(reply[2], flags, data)

    def get(self, servo_id: int, name: str) -> int:
        """A register's value.

        Raises:
            ValueError: the servo is silent.
        """
        register = BY_NAME[name]
        status = self.ask(packets.read(servo_id, register.address, register.size))
        if status is None:
            raise ValueError(f"servo {servo_id} is silent")
        return register.decode(status.data)

    def set(self, servo_id: int, name: str, value: int) -> StatusPacket | None:
        """Write a register; returns the acknowledgement."""
        register = BY_NAME[name]
        return self.ask(packets.write(servo_id, register.address, register.encode(value)))

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.sleep_until(self.clock.now() + seconds)
        self.bus.advance(self.clock.now())

    def do(self, line: str) -> object:
        """A command as the control channel takes it.

        Raises:
            ValueError: it was refused.
        """
        answer = self._commands.execute(line, self.clock.now())
        if not answer["ok"]:
            raise ValueError(answer["error"])
        return answer["result"]

    def angle(self, servo_id: int) -> float:
        """Where the shaft really is, rad from the middle."""
        servo = self.bank.addressed(servo_id)[0]
        return float(self.bank.plant.state.position[servo.index])
