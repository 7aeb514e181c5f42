"""The rarer instructions on one servo, each with what must hold before and is checked afterwards."""

from __future__ import annotations

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.homing_offset import EXTENDED_SINCE, HALF_TURN
from sts3215_driver.protocol.packets import Instruction
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.start_up import MODE_POSITION
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.examine import Knock, knock
from sts3215_driver.tools.hold import hold_here
from sts3215_driver.tools.patience import patiently
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts
from sts3215_driver.tools.settings import Change, write_verified
from sts3215_driver.tools.still_pose import STILL
from sts3215_driver.tools.write_rules import TORQUE_CENTRE

#: A rebooted servo is silent for about 0.8 s.
REBOOT_TIME, REBOOT_PATIENCE, REBOOT_POLL = 0.8, 3.0, 0.1
#: Torque stays off for so long before an overloaded servo is tried again, s.
REST = 0.2
_ENABLE = BY_NAME["torque_enable"]


def reboot(bus: Bus, servo_id: int) -> float:
    """Restart a servo and wait until it answers again. RAM is lost; torque stays off.

    Returns:
        How long it was away, s.

    Raises:
        RefusedError: its torque is on.
        VerifyError: it does not come back.
        NoReplyError, PortError
    """
    free_servo(bus, servo_id)
    clock = bus.transport.clock
    start = clock.now()
    bus.command(servo_id, Instruction.REBOOT)
    clock.sleep_until(start + REBOOT_TIME)
    while clock.now() < start + REBOOT_PATIENCE:
        if knock(bus, servo_id, attempts=1) is Knock.ANSWERS:
            return clock.now() - start
        clock.sleep_until(clock.now() + REBOOT_POLL)
    raise VerifyError(f"servo {servo_id} does not answer {REBOOT_PATIENCE:g} s after its restart")


def backup(bus: Bus, servo_id: int) -> None:
    """Make the present settings those that `recover` brings back.

    Raises:
        NoReplyError, PortError
    """
    read_facts(bus, servo_id)
    patiently(lambda: bus.command(servo_id, Instruction.BACKUP))


def recover(bus: Bus, servo_id: int) -> tuple[Change, ...]:
    """Bring back the settings of the backup (of the factory, if there is none); the id stays.

    Returns:
        What changed.

    Raises:
        RefusedError: its torque is on.
        VerifyError: it is silent afterwards; its rate may be the backup's.
        NoReplyError, PortError
    """
    before = free_servo(bus, servo_id)
    patiently(lambda: bus.command(servo_id, Instruction.RECOVERY))
    try:
        after = read_facts(bus, servo_id).registers
    except NoReplyError as error:
        raise VerifyError(
            f"servo {servo_id} is silent after its recovery: its rate may be another one now, "
            "`stride scan` finds it"
        ) from error
    names = [name for name, register in BY_NAME.items() if 5 <= register.address < 40]
    old = before.registers
    return tuple(
        Change(BY_NAME[name], old[name], after[name]) for name in names if old[name] != after[name]
    )


def clear_turns(bus: Bus, servo_id: int) -> int:
    """Forget how many turns a servo has made.

    Returns:
        Its position afterwards, steps.

    Raises:
        RefusedError: its torque is on.
        NoReplyError, PortError
    """
    free_servo(bus, servo_id)
    patiently(lambda: bus.command(servo_id, Instruction.RESET))
    return patiently(lambda: bus.read_register(servo_id, BY_NAME["present_position"]))


def centre(bus: Bus, servo_id: int, position: int = HALF_TURN) -> int:
    """Make the present position read `position` steps, kept at power-off.

    Returns:
        The new position offset, steps.

    Raises:
        RefusedError: torque is on, another mode, or firmware that can only do 2048.
        VerifyError: it reads something else.
        NoReplyError, PortError
    """
    if not 0 <= position < STEPS_PER_TURN:
        raise RefusedError(f"{position} is no position; expected 0 to {STEPS_PER_TURN - 1}")
    facts = free_servo(bus, servo_id)
    if facts.registers["operating_mode"] != MODE_POSITION:
        raise RefusedError(f"servo {servo_id} is not in position mode: offsets are not applied")
    if facts.firmware >= EXTENDED_SINCE:
        place = position.to_bytes(2, "little")
        patiently(lambda: bus.command(servo_id, Instruction.CALIBRATE, place))
    elif position == HALF_TURN:
        patiently(lambda: bus.write_register(servo_id, _ENABLE, TORQUE_CENTRE))
    else:
        raise RefusedError(
            f"firmware {facts.version} can only make it {HALF_TURN}; write position_offset instead"
        )
    registers = read_facts(bus, servo_id).registers
    found = registers["present_position"]
    if abs((found - position + HALF_TURN) % STEPS_PER_TURN - HALF_TURN) > STILL:
        raise VerifyError(f"servo {servo_id} reads {found} afterwards; expected {position}")
    return registers["position_offset"]


def revive(bus: Bus, servo_id: int) -> int:
    """Bring an overloaded servo back: torque off, a rest, goal := where it stands, torque on.

    Returns:
        Where it holds, steps (0 outside position mode).

    Raises:
        VerifyError: it moved, or did not take its goal; torque is off.
        NoReplyError, PortError
    """
    facts = read_facts(bus, servo_id)
    write_verified(bus, servo_id, _ENABLE, 0, facts.firmware)
    clock = bus.transport.clock
    clock.sleep_until(clock.now() + REST)
    limit = facts.registers["max_torque"]
    write_verified(bus, servo_id, BY_NAME["torque_limit"], limit, facts.firmware)
    return hold_here(bus, facts)


def free_servo(bus: Bus, servo_id: int) -> ServoFacts:
    """A servo whose torque is off; RefusedError otherwise, since the joint would drop or leap."""
    facts = read_facts(bus, servo_id)
    if facts.registers["torque_enable"] != 0:
        raise RefusedError(
            f"torque of servo {servo_id} is on, and the joint would drop or leap: "
            f"run `stride write {servo_id} torque_enable 0` first"
        )
    return facts
