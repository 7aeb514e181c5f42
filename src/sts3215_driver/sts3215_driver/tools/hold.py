"""Torque on for one servo without a jump: goal := where it stands, then torque."""

from __future__ import annotations

from contextlib import suppress

from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.modes import GOALS, Mode
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.start_up import MODE_POSITION, STILL
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.patience import patiently
from sts3215_driver.tools.servo_facts import ServoFacts
from sts3215_driver.tools.settings import write_verified

_ENABLE, _POSITION = BY_NAME["torque_enable"], BY_NAME["present_position"]


def hold_here(bus: Bus, facts: ServoFacts) -> int:
    """Torque on with the present position as goal (in other modes: with the goal 0, standing still).

    After power-on the goal register is 0: torque alone would drive the servo there at full speed.

    Returns:
        What was written as goal, signed.

    Raises:
        VerifyError: the goal or the torque did not hold, or the servo moved; torque is off again.
        NoReplyError, PortError
    """
    mode = facts.registers["operating_mode"]
    # 0 in it means "do not move", but in position mode.
    goal = GOALS[Mode(mode)]
    here = patiently(lambda: bus.read_register(facts.id, _POSITION))
    value = here if mode == MODE_POSITION else 0
    try:
        # On real servos this write enables torque, so it comes first and holds the newest position.
        write_verified(bus, facts.id, goal, value, facts.firmware)
        write_verified(bus, facts.id, _ENABLE, 1, facts.firmware)
        now = patiently(lambda: bus.read_register(facts.id, _POSITION))
    except (VerifyError, NoReplyError):
        with suppress(NoReplyError):
            patiently(lambda: bus.write_register(facts.id, _ENABLE, 0))
        raise
    half = STEPS_PER_TURN // 2
    moved = abs((now - here + half) % STEPS_PER_TURN - half)
    if mode == MODE_POSITION and moved > STILL:
        write_verified(bus, facts.id, _ENABLE, 0, facts.firmware)
        raise VerifyError(
            f"servo {facts.id} moved by {moved} steps while torque came on; torque is off again"
        )
    return value
