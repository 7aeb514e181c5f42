"""What is done about one servo while the others walk on, one exchange per step.

Each function is a generator: the bus cycle steps it once per cycle, where the period has room, so that a
repair never costs the robot its rate. NoReplyError ends it; the servo is tried again later.
"""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum

from sts3215_driver.bus import Bus
from sts3215_driver.protocol.registers import BY_NAME, SETPOINTS, Register
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.start_up import MODE_POSITION, MODE_WHEEL

#: Longest exchange of a step, data bytes: for the time budget.
LONGEST = SETPOINTS.length


class Outcome(Enum):
    """How a repair ended."""

    VERIFIED = "verified"
    LOST_SETTINGS = "lost settings"
    RESEEDED = "reseeded"
    RELEASED = "released"


def lost_settings(registers: dict[str, int], wheel: bool, goal: int | None) -> bool:
    """Whether a servo's RAM looks as after a power cycle.

    Args:
        registers: From the SETPOINTS block.
        wheel: Whether it turns freely.
        goal: Goal position last written, steps; None if unknown.
    """
    if registers["torque_enable"] != 1:
        return True
    return not wheel and goal is not None and registers["goal_position"] != goal


def verify(
    bus: Bus, table: ServoTable, index: int, goal: int | None
) -> Generator[None, None, Outcome]:
    """Look whether a servo that was silent still has its torque and its goal."""
    reply = bus.read(table.ids[index], SETPOINTS.address, SETPOINTS.length)
    registers = SETPOINTS.decode(reply.data)
    yield
    if lost_settings(registers, bool(table.wheel[index]), goal):
        return Outcome.LOST_SETTINGS
    return Outcome.VERIFIED


def reseed(
    bus: Bus, table: ServoTable, index: int, seeded: list[int]
) -> Generator[None, None, Outcome]:
    """Mode, goal := present position, then torque.

    Args:
        seeded: Gets the position that became the goal, steps.
    """
    servo_id = table.ids[index]
    wheel = bool(table.wheel[index])
    mode = MODE_WHEEL if wheel else MODE_POSITION
    if bus.read_register(servo_id, BY_NAME["operating_mode"]) != mode:
        yield
        bus.write_register(servo_id, BY_NAME["operating_mode"], mode)
    yield
    bus.write_register(servo_id, BY_NAME["acceleration"], 0)
    yield
    present = bus.read_register(servo_id, BY_NAME["present_position"])
    # On real servos this write enables torque, so it must hold the newest position.
    goal = BY_NAME["goal_speed" if wheel else "goal_position"]
    value = 0 if wheel else present
    bus.write_register(servo_id, goal, value)
    yield
    if bus.read_register(servo_id, goal) != value:
        return Outcome.LOST_SETTINGS
    yield
    bus.write_register(servo_id, BY_NAME["torque_enable"], 1)
    yield
    if bus.read_register(servo_id, BY_NAME["torque_enable"]) != 1:
        return Outcome.LOST_SETTINGS
    seeded.append(present)
    return Outcome.RESEEDED


def release(bus: Bus, table: ServoTable, index: int) -> Generator[None, None, Outcome]:
    """Torque off, until it is seen to be off."""
    servo_id = table.ids[index]
    enable: Register = BY_NAME["torque_enable"]
    while True:
        bus.write_register(servo_id, enable, 0)
        yield
        if bus.read_register(servo_id, enable) == 0:
            return Outcome.RELEASED
        yield
