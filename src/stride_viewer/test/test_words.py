"""Numbers as texts: a dash for what is not known, never a zero."""

from __future__ import annotations

import math
from types import SimpleNamespace

from stride_viewer.robot_model import RobotModel
from stride_viewer.telemetry import Servo, Telemetry
from stride_viewer.words import UNKNOWN, facts, not_measured, number, servo_row

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


def test_facts_of_a_robot_that_is_not_heard_any_more_are_unknown() -> None:
    telemetry = Telemetry()
    assert facts(telemetry, None, 0.0) == "– V   – Hz   – missed   margin – mm"
    values = {"achieved rate (Hz)": "50.0", "missed cycles": "3"}
    entries = [SimpleNamespace(key=key, value=value) for key, value in values.items()]
    status = SimpleNamespace(name="/sts3215_driver: bus", level=0, message="", values=entries)
    telemetry.take("/diagnostics", SimpleNamespace(status=[status]), 0.0)
    telemetry.take("battery_state", SimpleNamespace(voltage=7.4), 0.0)
    assert facts(telemetry, 0.05, 1.0) == "7.4 V   50 Hz   3 missed   margin 50 mm"
    assert facts(telemetry, None, 60.0) == "– V   – Hz   – missed   margin – mm"


def test_joints_that_are_drawn_at_zero_because_nobody_measured_them_are_named() -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcdefghi")
    joints = "".join(
        f'<joint name="to_{child}" type="continuous"><parent link="a"/><child link="{child}"/></joint>'
        for child in "bcdefghi"
    )
    model = RobotModel.from_text(f"<robot>{links}{joints}</robot>")
    telemetry = Telemetry()
    assert not_measured(model, telemetry) == "", "then no measured robot is drawn at all"
    telemetry.take("joint_states", SimpleNamespace(name=["to_b"], position=[0.1]), 0.0)
    assert not_measured(model, telemetry).endswith("to_c, to_d, to_e, to_f, to_g, to_h and 1 more")
    names = list(model.joint_names)
    telemetry.take("joint_states", SimpleNamespace(name=names, position=[0.0] * len(names)), 0.0)
    assert not_measured(model, telemetry) == not_measured(None, telemetry) == ""
