"""Operating modes (register 33), and the register that takes the goal in each of them."""

from __future__ import annotations

from enum import IntEnum

from sts3215_driver.protocol.registers import BY_NAME, Register


class Mode(IntEnum):
    """What a servo does with its goal.

    POSITION goes to an angle, WHEEL turns at a speed, PWM applies a duty without any control, STEP
    moves by a relative number of steps (both angle limits must be 0).
    """

    POSITION = 0
    WHEEL = 1
    PWM = 2
    STEP = 3


#: Writing the goal of the mode switches torque on by itself.
GOALS: dict[Mode, Register] = {
    Mode.POSITION: BY_NAME["goal_position"],
    Mode.WHEEL: BY_NAME["goal_speed"],
    Mode.PWM: BY_NAME["goal_pwm"],
    Mode.STEP: BY_NAME["goal_position"],
}


def goal_write(mode: Mode, value: int) -> tuple[int, bytes]:
    """Address and bytes of a goal.

    Args:
        value: Steps; for WHEEL counts of the speed unit; for PWM 0.1 % of duty. Signed.

    Raises:
        ValueError: outside of the register's range.
    """
    register = GOALS[mode]
    return register.address, register.encode(value)
