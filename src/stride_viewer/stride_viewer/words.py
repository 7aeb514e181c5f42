"""Numbers and codes as texts for the page; a dash for what is not known."""

from __future__ import annotations

import math

from stride_base.servo_words import FLAG_WORDS, STATUS_WORDS, TORQUE_WORDS
from stride_viewer.condition import DRIVER, SILENCE
from stride_viewer.robot_model import RobotModel
from stride_viewer.telemetry import Part, Servo, Telemetry

UNKNOWN = "–"
#: More joints than this are counted.
NAMED = 6
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


def facts(telemetry: Telemetry, margin: float | None, now: float) -> str:
    """Supply, rate and missed cycles of the bus, and margin (m), for the head of the page."""
    bus = telemetry.part(DRIVER, "bus")
    if bus is None or now - bus.time > SILENCE:
        bus = Part(0, "", {}, now)
    battery = telemetry.battery if telemetry.age("battery_state", now) <= SILENCE else math.nan
    rate, missed = bus.number("achieved rate (Hz)"), bus.number("missed cycles")
    millimetres = math.nan if margin is None else 1000.0 * margin
    return (
        f"{number(battery, 1)} V   {number(rate, 0)} Hz   {number(missed, 0)} missed   "
        f"margin {number(millimetres, 0)} mm"
    )


def not_measured(model: RobotModel | None, telemetry: Telemetry) -> str:
    """Which joints of the picture were never seen, and hence are at zero there; empty: none."""
    names = () if model is None or not telemetry.measured else model.joint_names
    missing = [name for name in names if name not in telemetry.measured]
    if not missing:
        return ""
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return f"drawn at zero, since they were never measured: {', '.join(missing[:NAMED])}{more}"


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
