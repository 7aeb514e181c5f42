"""Numbers as texts: a dash for what is not known, never a zero."""

from __future__ import annotations

import math

from stride_viewer.telemetry import Servo
from stride_viewer.words import UNKNOWN, number, servo_row

NAN = math.nan
SERVO = Servo("hip", 3, 0, 0.02, 0.1, NAN, 0.2, 0.3, 7.4, 31.0, 0.5, 0, 1)


def test_unknown_is_a_dash_and_never_is_a_word() -> None:
    assert number(NAN, 2) == UNKNOWN
    assert number(math.inf, 2) == "never"
    assert number(1.005, 1) == "1.0"


def test_a_row_has_degrees_and_words() -> None:
    row = servo_row(SERVO)
    assert (row["goal"], row["position"], row["torque"]) == ("5.7", "11.5", "on")
    assert (row["status"], row["flags"], row["trouble"]) == ("ok", UNKNOWN, 0)


def test_alarms_and_lost_readings_are_trouble() -> None:
    alarmed = Servo("hip", 3, 1, math.inf, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 4 | 32, 255)
    row = servo_row(alarmed)
    assert (row["flags"], row["status"], row["age"]) == (
        "temperature, overload",
        "missing",
        "never",
    )
    assert (row["position"], row["torque"], row["trouble"]) == (UNKNOWN, "?", 1)


def test_a_wheel_shows_its_speed() -> None:
    wheel = Servo("wheel", 4, 0, 0.0, NAN, 2.5, 0.0, 0.0, 7.4, 30.0, 0.0, 0, 1)
    assert servo_row(wheel)["goal"] == "2.50 rad/s"


def test_readings_age_while_the_driver_is_silent() -> None:
    assert servo_row(SERVO, silence=2.0)["age"] == "2.02"
