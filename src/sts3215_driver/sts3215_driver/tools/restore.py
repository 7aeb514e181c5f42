"""Bringing saved settings back: only known registers, only differences, every one read back.

What another firmware would understand in another way is left alone and named. Reserved registers are
never written: a block write over them once left servos that showed 0.0 V.
"""

from __future__ import annotations

from dataclasses import dataclass

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.protocol.homing_offset import Firmware
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME, Storage
from sts3215_driver.tools.dump_file import SavedServo
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.register_values import show
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts
from sts3215_driver.tools.set_baud import OpenBus, set_baud
from sts3215_driver.tools.set_id import set_id
from sts3215_driver.tools.settings import (
    ADDRESS_REGISTERS,
    Change,
    differences,
    write_settings,
)
from sts3215_driver.tools.write_rules import LAST_WITH_WIDE_START_FORCE, TORQUE_OFF_FIRST

#: Largest angular resolution that firmware of that time knows.
OLD_RESOLUTION = 3


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do to one servo.

    Args:
        facts: The servo as it is.
        changes: What is written.
        skipped: What is not, and why, one sentence each.
        identity: Id and baud code where they differ; written by `apply_identity` only.
    """

    facts: ServoFacts
    changes: tuple[Change, ...]
    skipped: tuple[str, ...]
    identity: tuple[Change, ...]


def plan(saved: SavedServo, facts: ServoFacts, force: bool = False) -> RestorePlan:
    """Compare a saved servo with one on the bus; writes nothing.

    Args:
        force: Restore onto another model all the same.

    Raises:
        RefusedError: they are different models.
    """
    if saved.model != facts.model and not force:
        raise RefusedError(
            f"servo {facts.id} is model {facts.model}, the saved one model {saved.model}: "
            "their registers need not mean the same"
        )
    wanted, skipped = {}, [f"{name} is no setting of an STS3215" for name in saved.unknown]
    identity = []
    for name, value in saved.settings.items():
        if name in ADDRESS_REGISTERS:
            if facts.registers[name] != value:
                identity.append(Change(BY_NAME[name], facts.registers[name], value))
        elif reason := _obstacle(name, value, saved.firmware, facts.firmware):
            if value != facts.registers[name]:
                skipped.append(f"{name} = {show(BY_NAME[name], value)}: {reason}")
        else:
            wanted[name] = value
    return RestorePlan(facts, differences(facts, wanted), tuple(skipped), tuple(identity))


def apply(bus: Bus, restore: RestorePlan) -> None:
    """Write the changes of a plan, and read all of them back at the end.

    Raises:
        RefusedError: torque is on and a change would let the joint leap; nothing was written.
        VerifyError: a value did not hold. What was written before stays; run it again.
        NoReplyError, PortError
    """
    facts = restore.facts
    names = [change.register.name for change in restore.changes]
    hot = [name for name in names if name in TORQUE_OFF_FIRST]
    now = read_facts(bus, facts.id)
    if hot and now.registers["torque_enable"] != 0:
        raise RefusedError(
            f"torque of servo {facts.id} is on, and {', '.join(hot)} would let the joint leap: "
            f"run `stride write {facts.id} torque_enable 0` first"
        )
    write_settings(bus, facts, restore.changes)
    found = read_facts(bus, facts.id).registers
    lost = [c.register.name for c in restore.changes if found[c.register.name] != c.after]
    if lost:
        raise VerifyError(f"servo {facts.id} did not keep {', '.join(lost)}")


def _obstacle(name: str, value: int, saved: Firmware, servo: Firmware) -> str:
    """Why a saved value must not go into this servo; empty if it may."""
    register = BY_NAME[name]
    if register.storage is not Storage.EEPROM:
        return "it is no setting"
    wide = [firmware <= LAST_WITH_WIDE_START_FORCE for firmware in (saved, servo)]
    if name == "integral_limit" and wide[0] != wide[1]:
        return "firmware up to 3.7 has the high byte of min_start_force there"
    if name == "angular_resolution" and wide[1] and value > OLD_RESOLUTION:
        return f"firmware up to 3.7 knows at most {OLD_RESOLUTION}"
    if name != "position_offset" and not register.minimum <= value <= register.maximum:
        return f"it is outside of {register.minimum} to {register.maximum}"
    return ""


def apply_identity(open_bus: OpenBus, restore: RestorePlan, baud: int) -> None:
    """Give a servo the saved id, then the saved rate, where they differ.

    Args:
        open_bus: Opens the port at a rate.
        baud: Rate at which the servo is reached now, bit/s.

    Raises:
        RefusedError, VerifyError: as in `set_id` and `set_baud`.
        NoReplyError, PortError
    """
    servo_id = restore.facts.id
    wanted = {change.register.name: change.after for change in restore.identity}
    if "baud_code" in wanted and not 0 <= wanted["baud_code"] < len(BAUD_RATES):
        raise RefusedError(f"the saved baud code {wanted['baud_code']} stands for no rate")
    if "id" in wanted:
        bus = open_bus(baud)
        try:
            servo_id = set_id(bus, servo_id, wanted["id"]).new
        finally:
            bus.transport.close()
    if "baud_code" in wanted:
        set_baud(open_bus, servo_id, baud, BAUD_RATES[wanted["baud_code"]])
