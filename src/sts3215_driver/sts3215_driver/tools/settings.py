"""Writing a servo's EEPROM: only what differs, each value read back, memory closed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.homing_offset import Firmware
from sts3215_driver.protocol.registers import BY_NAME, Register, Storage
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.memory_lock import CLOSED, is_open, open_memory, set_lock
from sts3215_driver.tools.patience import ATTEMPTS, patiently
from sts3215_driver.tools.register_values import decode, encode, show
from sts3215_driver.tools.servo_facts import ServoFacts, note_response_level

#: These change how the servo can be reached; `set_id` and `set_baud` write them.
ADDRESS_REGISTERS = ("id", "baud_code")


@dataclass(frozen=True)
class Change:
    """One setting that is, or would be, written.

    Args:
        register: Which.
        before, after: Signed values.
    """

    register: Register
    before: int
    after: int

    def __str__(self) -> str:
        before, after = show(self.register, self.before), show(self.register, self.after)
        return f"{self.register.name}: {before} -> {after}"


def differences(
    facts: ServoFacts, wanted: Mapping[str, int], force: bool = False
) -> tuple[Change, ...]:
    """What must be written so that a servo has the `wanted` settings.

    Args:
        facts: The servo as it is.
        wanted: Signed values by register name; EEPROM only, without id and baud rate.
        force: Also write what is equal: a value that was set while the memory was closed is in
            force, yet lost at power-off, and cannot be told from a kept one.

    Raises:
        ValueError: no such setting, or outside of its range.
    """
    changes = []
    for name, value in wanted.items():
        register = BY_NAME[name]
        if register.storage is not Storage.EEPROM or name in ADDRESS_REGISTERS:
            raise ValueError(f"{name} is no setting that can be written here")
        data = encode(register, value, facts.firmware)
        value = decode(register, data, facts.firmware)
        if force or value != facts.registers[name]:
            changes.append(Change(register, facts.registers[name], value))
    # Last, since nothing is acknowledged after it.
    changes.sort(key=lambda c: (c.register.name == "response_level", c.register.address))
    return tuple(changes)


def write_settings(bus: Bus, facts: ServoFacts, changes: Sequence[Change]) -> None:
    """Open the memory, write and verify every change, close the memory.

    Without changes nothing is written, but a memory that somebody left open is closed.

    Raises:
        VerifyError: a value did not hold, or the memory does not close.
        NoReplyError, PortError
    """
    if not changes:
        if is_open(bus, facts.id):
            set_lock(bus, facts.id, CLOSED)
        return
    with open_memory(bus, facts.id):
        for change in changes:
            write_verified(bus, facts.id, change.register, change.after, facts.firmware)


def write_verified(
    bus: Bus, servo_id: int, register: Register, value: int, firmware: Firmware
) -> None:
    """Write one register until it reads `value`.

    Raises:
        VerifyError, NoReplyError, PortError
    """
    data = encode(register, value, firmware)
    found = None
    for _ in range(ATTEMPTS):
        # The write may have arrived and only its answer be lost: look.
        with suppress(NoReplyError):
            bus.write(servo_id, register.address, data)
        if register.name == "response_level":
            note_response_level(bus, servo_id, value)
        reply = patiently(lambda: bus.read(servo_id, register.address, register.size))
        found = decode(register, reply.data, firmware)
        if found == value:
            return
    raise VerifyError(
        f"servo {servo_id} did not take {register.name} = {show(register, value)}; "
        f"it reads {show(register, found if found is not None else 0)}"
    )
