"""Numbers and codes as texts for the page; a dash for what is not known."""

from __future__ import annotations

import math

from stride_base.servo_words import FLAG_WORDS, STATUS_WORDS, TORQUE_WORDS
from stride_viewer.telemetry import Servo

UNKNOWN = "–"
#: Columns of the table of servos: field, heading.
SERVO_COLUMNS = (
    ("joint", "joint"),
    ("id", "id"),
    ("goal", "goal (deg)"),
    ("position", "position (deg)"),
    ("load", "load"),
    ("voltage", "voltage (V)"),
    ("temperature", "temp (°C)"),
    ("current", "current (A)"),
    ("torque", "torque"),
    ("flags", "flags"),
    ("status", "status"),
    ("age", "age (s)"),
)


def number(value: float, digits: int) -> str:
    """`value` with `digits` decimals."""
    if math.isnan(value):
        return UNKNOWN
    return "never" if math.isinf(value) else f"{value:.{digits}f}"


def servo_row(servo: Servo, silence: float = 0.0) -> dict[str, str | int]:
    """One servo as texts by the fields of SERVO_COLUMNS.

    Args:
        silence: How long ago the driver was heard, s; the readings are that much older.
    """
    wheel = math.isnan(servo.goal) and not math.isnan(servo.goal_velocity)
    goal = f"{number(servo.goal_velocity, 2)} rad/s" if wheel else degrees(servo.goal)
    flags = [word for bit, word in FLAG_WORDS.items() if servo.flags & bit]
    return {
        "joint": servo.name,
        "id": servo.id,
        "goal": goal,
        "position": degrees(servo.position),
        "load": number(servo.load, 2),
        "voltage": number(servo.voltage, 1),
        "temperature": number(servo.temperature, 0),
        "current": number(servo.current, 2),
        "torque": TORQUE_WORDS.get(servo.torque, "?"),
        "flags": ", ".join(flags) or UNKNOWN,
        "status": STATUS_WORDS.get(servo.status, f"status {servo.status}"),
        "age": number(servo.age + silence, 2),
        "trouble": int(servo.flags != 0 or servo.status != 0),
    }


def degrees(radians: float) -> str:
    """An angle in degrees."""
    return number(math.degrees(radians), 1)
