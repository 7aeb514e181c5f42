"""One servo at the wire: what it does with an instruction and what it answers."""

from __future__ import annotations

from typing import Protocol

from sts3215_driver.emulator.profile import Electronics
from sts3215_driver.emulator.servo_memory import (
    BAUD,
    ID,
    RESPONSE_LEVEL,
    STATUS,
    TORQUE,
    Effect,
    ServoMemory,
)
from sts3215_driver.protocol.encoding import encode_sign_magnitude
from sts3215_driver.protocol.packets import Instruction, status
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME
from sts3215_driver.protocol.units import STEPS_PER_TURN

_HALF_TURN = STEPS_PER_TURN // 2
_OFFSET = BY_NAME["position_offset"].address
#: Registers from here on are measurements, computed when somebody reads them.
_FIRST_MEASURED = BY_NAME["present_position"].address


class Body(Protocol):
    """The part of a servo beyond its registers."""

    def publish(self) -> None:
        """Bring all measurements into the registers."""

    def changed(self, index: int, effects: int) -> None:
        """Registers of a servo were written; `effects` are bits of Effect."""

    def restarted(self, index: int, running: bool) -> None:
        """A servo starts anew, or lost its power."""

    def encoder(self, index: int) -> int:
        """Encoder reading without offset, 0 to 4095."""

    def reset_turns(self, index: int) -> None:
        """Forget how many turns a servo made."""


class Servo:
    """Registers, power and voice of one servo.

    Args:
        index: Its number in the body.
        memory: Its registers.
        body: What it moves.
        electronics: How long it takes to start.
    """

    def __init__(
        self, index: int, memory: ServoMemory, body: Body, electronics: Electronics
    ) -> None:
        self.index, self.memory = index, memory
        self.powered = True
        #: Raw values of registers that show something else than what is measured, by name.
        self.overrides: dict[str, int] = {}
        self._registers = memory.registers
        self._body, self._electronics = body, electronics
        self._ready = float("-inf")

    @property
    def id(self) -> int:
        """Where it can be reached."""
        return self._registers[ID]

    @property
    def baud(self) -> int:
        """The rate it listens and talks at, bit/s; unknown codes mean 1 Mbit/s."""
        code = self._registers[BAUD]
        return BAUD_RATES[code if code < len(BAUD_RATES) else 0]

    def hears(self, now: float) -> bool:
        """Whether it has power and its firmware runs."""
        return self.powered and now >= self._ready

    def handle(
        self, instruction: int, parameters: bytes, broadcast: bool, now: float
    ) -> bytes | None:
        """Carry out an instruction (SYNC_READ and SYNC_WRITE are the bus's); returns the answer."""
        if instruction == Instruction.PING:
            return self._status(b"")
        if instruction == Instruction.READ:
            if broadcast or len(parameters) != 2:
                return None
            return self.read(parameters[0], parameters[1])
        if instruction == Instruction.REBOOT:
            self._restart(now + self._electronics.reboot_time)
            return None
        asked = self.id
        self._carry_out(instruction, parameters)
        if broadcast or not self._registers[RESPONSE_LEVEL]:
            return None
        voice = asked if self.memory.firmware.id_ack == "old" else self.id
        return status(voice, self._registers[STATUS])

    def read(self, address: int, length: int) -> bytes | None:
        """Status packet with registers; None if `address` does not exist."""
        if address + length > _FIRST_MEASURED:
            self._body.publish()
        data = self.memory.read(address, length)
        return None if data is None else self._status(data)

    def write(self, address: int, data: bytes) -> None:
        """Write registers and act on it."""
        self._act(self.memory.write(address, data))

    def centre(self, position: int) -> None:
        """Choose the offset so that the present position reads `position`; saved though locked."""
        offset = (self._body.encoder(self.index) - position) % STEPS_PER_TURN
        if offset > _HALF_TURN:
            offset -= STEPS_PER_TURN
        if offset < _HALF_TURN:
            raw = encode_sign_magnitude(offset, 11)
        else:
            # Half a turn does not fit into the sign-magnitude coding of old firmware.
            raw = 2 * _HALF_TURN if self.memory.firmware.extended_offset else _HALF_TURN - 1
        self._registers[_OFFSET], self._registers[_OFFSET + 1] = raw & 0xFF, raw >> 8
        self.memory.store(_OFFSET, 2)
        self._body.changed(self.index, Effect.OFFSET | Effect.SETTING)

    def switch(self, on: bool, now: float) -> None:
        """Plug or unplug this servo's power."""
        if on == self.powered:
            return
        self.powered = on
        if on:
            self._restart(now + self._electronics.boot_time)
        else:
            self.memory.power_on()
            self._body.restarted(self.index, False)

    def brown_out(self, now: float) -> None:
        """Supply too low: reset, and silent until some time after it recovered."""
        ready = now + self._electronics.boot_time
        if self.hears(now):
            self._restart(ready)
        self._ready = max(self._ready, ready)

    def _restart(self, ready: float) -> None:
        self._ready = ready
        self.memory.power_on()
        self._body.restarted(self.index, True)

    def _carry_out(self, instruction: int, parameters: bytes) -> None:
        if instruction == Instruction.WRITE:
            if parameters:
                self.write(parameters[0], parameters[1:])
        elif instruction == Instruction.REG_WRITE:
            if parameters:
                self.memory.hold(parameters[0], parameters[1:])
        elif instruction == Instruction.ACTION:
            self._act(self.memory.release())
        elif instruction == Instruction.RECOVERY:
            self.memory.recover()
            self._body.restarted(self.index, True)
        elif instruction == Instruction.BACKUP:
            self.memory.backup()
        elif instruction == Instruction.RESET:
            self._registers[TORQUE] = 0
            self._body.changed(self.index, Effect.SETPOINT | Effect.TORQUE)
            self._body.reset_turns(self.index)
        elif instruction == Instruction.CALIBRATE and self.memory.firmware.extended_offset:
            if not parameters:
                self.centre(_HALF_TURN)
            elif len(parameters) == 2:
                self.centre(int.from_bytes(parameters, "little"))

    def _act(self, effects: int) -> None:
        if effects & Effect.CENTRE:
            self.centre(_HALF_TURN)
        if effects:
            self._body.changed(self.index, effects)

    def _status(self, data: bytes) -> bytes:
        return status(self._registers[ID], self._registers[STATUS], data)
