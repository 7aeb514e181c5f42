"""Writing one register of one servo by a person's hand, with the care that this needs."""

from __future__ import annotations

from dataclasses import dataclass

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.protocol.registers import Register, Storage
from sts3215_driver.tools.hold import hold_here
from sts3215_driver.tools.memory_lock import open_memory
from sts3215_driver.tools.patience import patiently
from sts3215_driver.tools.register_values import decode, encode
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts
from sts3215_driver.tools.settings import differences, write_settings, write_verified
from sts3215_driver.tools.write_rules import (
    TORQUE_CENTRE,
    TORQUE_ON,
    danger,
    offset_note,
    refusal,
    remarks,
)


@dataclass(frozen=True)
class WriteResult:
    """What a write did.

    Args:
        register: Which.
        before, after: Signed values, both read from the servo.
        written: False if the servo had the value already.
        notes: What the owner should know, one sentence each.
    """

    register: Register
    before: int
    after: int
    written: bool
    notes: tuple[str, ...]


def write_register(
    bus: Bus, servo_id: int, register: Register, value: int, force: bool = False
) -> WriteResult:
    """Write a signed value to a register and read it back.

    EEPROM is written only if different, and its memory closed again. Torque comes on only with the
    present position as goal.

    Args:
        force: Also write what moves the servo or can spoil it, and settings that are equal already.

    Raises:
        RefusedError: it must not be written, or not without `force`; nothing was written.
        VerifyError: the servo did not take it.
        NoReplyError, PortError
    """
    facts = read_facts(bus, servo_id)
    try:
        wanted = decode(register, encode(register, value, facts.firmware), facts.firmware)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    if reason := refusal(register, wanted, facts):
        raise RefusedError(reason)
    if not force and (reason := danger(register, wanted, facts)):
        raise RefusedError(f"{reason}; with --force it is written")
    notes = remarks(register, wanted, facts)
    if register.name == "position_offset" and (note := offset_note(value, facts)):
        notes.append(note)
    before, written = facts.registers[register.name], True
    if register.storage is Storage.EEPROM:
        changes = differences(facts, {register.name: wanted}, force)
        write_settings(bus, facts, changes)
        written = bool(changes)
        if not written:
            notes = ["the servo has this value already (--force writes it all the same)"]
    elif register.storage is Storage.FACTORY:
        with open_memory(bus, servo_id):
            write_verified(bus, servo_id, register, wanted, facts.firmware)
    else:
        notes += _write_ram(bus, facts, register, wanted)
    after = patiently(lambda: bus.read(servo_id, register.address, register.size)).data
    found = decode(register, after, facts.firmware)
    return WriteResult(register, before, found, written, tuple(notes))


def _write_ram(bus: Bus, facts: ServoFacts, register: Register, value: int) -> list[str]:
    """RAM is lost with the power; returns notes."""
    if register.name != "torque_enable":
        write_verified(bus, facts.id, register, value, facts.firmware)
        return []
    if value == TORQUE_ON and facts.registers["torque_enable"] == TORQUE_ON:
        return ["torque was on already; the goal stays as it is"]
    if value == TORQUE_ON:
        goal = hold_here(bus, facts)
        return [f"the goal was set to {goal} first, so that the servo stays where it is"]
    if value == TORQUE_CENTRE:
        # The register returns to 0 by itself: the new offset tells whether it worked.
        patiently(lambda: bus.write_register(facts.id, register, value))
        offset = read_facts(bus, facts.id).registers["position_offset"]
        return [f"position_offset is {offset} now; calibrate the joint again"]
    write_verified(bus, facts.id, register, value, facts.firmware)
    return []
