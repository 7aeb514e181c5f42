"""Everything that one servo says of itself: the whole register table, read at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sts3215_driver.bus import Bus
from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.homing_offset import Firmware
from sts3215_driver.protocol.registers import REGISTER_COUNT, REGISTERS, Block
from sts3215_driver.tools.patience import patiently
from sts3215_driver.tools.register_values import decode

#: In two reads: a long reply is more likely to be hit by noise.
_BLOCKS = (Block(0, 40), Block(40, REGISTER_COUNT - 40))
BIG_ENDIAN = 1


@dataclass(frozen=True)
class ServoFacts:
    """One servo.

    Args:
        id: Where it answers.
        firmware: Major and minor.
        flags: Its alarms.
        registers: Signed value of every known register by name.
    """

    id: int
    firmware: Firmware
    flags: Flags
    registers: dict[str, int]

    @property
    def model(self) -> int:
        """Model number; 777 is an STS3215."""
        return self.registers["model_number"]

    @property
    def version(self) -> str:
        """Firmware as text, e.g. ``3.10``."""
        return f"{self.firmware[0]}.{self.firmware[1]}"

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"servo {self.id}"


def read_facts(bus: Bus, servo_id: int) -> ServoFacts:
    """Read all registers, and remember in `bus` whether this servo acknowledges writes.

    Raises:
        NoReplyError, BadReplyError, PortError
    """
    memory, flags = bytearray(), Flags.NONE
    for block in _BLOCKS:
        reply = patiently(partial(bus.read, servo_id, block.address, block.length))
        memory += reply.data
        flags |= reply.flags
    firmware = (memory[0], memory[1])
    registers = {
        register.name: decode(register, bytes(memory[register.address :]), firmware)
        for register in REGISTERS
    }
    note_response_level(bus, servo_id, registers["response_level"])
    return ServoFacts(servo_id, firmware, flags, registers)


def note_response_level(bus: Bus, servo_id: int, level: int) -> None:
    """Remember in `bus` whether a servo acknowledges writes (level 1) or not (0)."""
    if level == 0:
        bus.unacknowledged.add(servo_id)
    else:
        bus.unacknowledged.discard(servo_id)
