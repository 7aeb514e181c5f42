"""What must not be written just because somebody typed it, and what should be known about the rest."""

from __future__ import annotations

from sts3215_driver.protocol.homing_offset import HALF_TURN, Firmware, is_extended
from sts3215_driver.protocol.registers import Register, Storage
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.start_up import (
    MODE_POSITION,
    MODE_WHEEL,
    PHASE_FINE_SPEED,
    PHASE_MULTI_TURN,
)
from sts3215_driver.tools.servo_facts import ServoFacts

MODE_STEP = 3
PHASE_ZERO_IS_FULL_SPEED = 0x08
TORQUE_OFF, TORQUE_ON, TORQUE_DAMPING, TORQUE_CENTRE = 0, 1, 2, 128
#: Phase bits that a user may have a reason to change; the others fit the electronics.
_PHASE_BITS_OF_USERS = PHASE_FINE_SPEED | PHASE_ZERO_IS_FULL_SPEED | PHASE_MULTI_TURN
_GOALS = ("goal_position", "goal_pwm", "goal_speed")
#: Up to this firmware registers 24 and 25 are one number (min_start_force).
LAST_WITH_WIDE_START_FORCE: Firmware = (3, 7)
#: With torque on, a change of these lets the joint drop or leap.
TORQUE_OFF_FIRST = ("operating_mode", "position_offset", "phase", "angular_resolution")


def refusal(register: Register, value: int, facts: ServoFacts) -> str:
    """Why a write can never be done by `write`; empty if it can."""
    name = register.name
    if register.storage is Storage.READ_ONLY:
        return f"{name} is measured by the servo and cannot be written"
    if name == "id":
        return "the id is changed by `stride set-id`, which verifies and locks at the new id"
    if name == "baud_code":
        return "the rate is changed by `stride set-baud`, which verifies and locks at the new rate"
    if name == "lock" and value == 0:
        return "an open memory is easily forgotten: the commands that need it open and close it"
    if name == "torque_enable" and value not in (
        TORQUE_OFF,
        TORQUE_ON,
        TORQUE_DAMPING,
        TORQUE_CENTRE,
    ):
        return f"torque_enable {value} means nothing; expected 0 off, 1 on, 2 damping"
    if name in TORQUE_OFF_FIRST and facts.registers["torque_enable"] not in (0, TORQUE_CENTRE):
        return f"torque is on, and the joint would drop or leap: write torque_enable 0, then {name}"
    return ""


def danger(register: Register, value: int, facts: ServoFacts) -> str:
    """Why a write needs `--force`; empty if it does not."""
    name, registers = register.name, facts.registers
    if register.storage is Storage.FACTORY:
        return f"{name} is set in the factory, and the scale of speeds depends on it"
    if name == "torque_enable" and value == TORQUE_CENTRE:
        return (
            "torque_enable 128 makes the present position read 2048 and is kept though the memory is "
            "locked: limits and calibration shift with it"
        )
    if name == "integral_limit" and facts.firmware <= LAST_WITH_WIDE_START_FORCE:
        return f"on firmware {facts.version} this is the high byte of min_start_force"
    if name == "phase" and (value ^ registers["phase"]) & ~_PHASE_BITS_OF_USERS:
        return "phase bits 0, 1, 5, 6 and 7 belong to the electronics: the servo may run away"
    if name == "goal_speed" and value == 0 and registers["operating_mode"] != MODE_WHEEL:
        if registers["phase"] & PHASE_ZERO_IS_FULL_SPEED:
            return "goal speed 0 means full speed (phase bit 3), not standstill"
        return "goal speed 0 means that the servo does not move any more (phase bit 3 is 0)"
    if name in _GOALS:
        text = "a goal switches torque on by itself and moves the servo at once"
        if name == "goal_position" and registers["goal_speed"] == 0:
            full = registers["phase"] & PHASE_ZERO_IS_FULL_SPEED
            text += ", at full speed: goal_speed is 0 (phase bit 3)" if full else ""
        return text
    return ""


def remarks(register: Register, value: int, facts: ServoFacts) -> list[str]:
    """What else the owner should know about a value that a register gets, one sentence each."""
    name, registers = register.name, dict(facts.registers, **{register.name: value})
    notes = []
    if name == "phase" and not value & PHASE_FINE_SPEED:
        notes.append(
            "without phase bit 2 speeds count in 50 step/s: the same number is 50 times faster"
        )
    if name == "phase" and not value & PHASE_ZERO_IS_FULL_SPEED:
        notes.append("without phase bit 3 goal speed 0 stops the servo")
    unlimited = registers["min_angle_limit"] == registers["max_angle_limit"] == 0
    turns = registers["operating_mode"] == MODE_STEP or registers["phase"] & PHASE_MULTI_TURN
    if name in ("operating_mode", "phase") and turns and not unlimited:
        notes.append(
            "multi-turn and step mode need min_angle_limit and max_angle_limit 0, else the joint stops "
            "at the end of its turn"
        )
    if name == "operating_mode":
        notes.append("a change of mode switches torque off and clears speed and acceleration")
        if value != MODE_POSITION and registers["position_offset"]:
            notes.append(
                "outside position mode the offset is not applied: the position reading jumps"
            )
    if name == "response_level" and value == 0:
        notes.append("the servo no longer acknowledges writes; this tool reads everything back")
    if name == "max_temperature" and value > 80:
        notes.append("above 80 degC the motor may be damaged before the servo protects itself")
    return notes


def offset_note(value: int, facts: ServoFacts) -> str:
    """What becomes of a position offset that has no code of its own; empty if it has one."""
    if value % STEPS_PER_TURN == HALF_TURN and not is_extended(facts.firmware):
        return f"firmware {facts.version} has no code for half a turn: one step less is written"
    if abs(value) > HALF_TURN - 1 and value % STEPS_PER_TURN != HALF_TURN:
        return "an offset counts modulo one turn: the other way round is written"
    return ""
