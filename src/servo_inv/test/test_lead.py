"""The formula of the lead."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from servo_inv.goal_model import PositionModel
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.lead import with_lead
from servo_inv.timing import Timing
from stride_base.errors import ConfigError

DATA = Path(__file__).parents[3] / "test" / "data" / "servo_inverse.json"
VECTORS = [v for v in json.loads(DATA.read_text())["vectors"] if v["kind"] == "lead"]


def test_there_are_vectors() -> None:
    assert VECTORS


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
@pytest.mark.parametrize("ticks", [True, False])
def test_vector(vector: dict, ticks: bool) -> None:
    inputs, expected = vector["inputs"], vector["expected"]
    names = [f"joint{index}" for index in range(len(inputs["prev"]))]
    servo = InverseServo(PositionModel(), Timing(inputs["period"], inputs["lead"]))
    for number, position in enumerate([inputs["prev"], inputs["cur"]]):
        if ticks:
            servo.on_step(number)
        goals = servo.on_joints(read_joints(names, position, [], []))
    assert goals.position == pytest.approx(expected["target_pos"], abs=vector["abs_tol"])
    assert goals.duration == pytest.approx(expected["playtime"], abs=vector["abs_tol"])


def test_two_periods_apart_the_speed_and_so_the_lead_is_half() -> None:
    before, goal = np.array([0.1]), np.array([0.2])
    assert with_lead(goal, before, 0.02, 0.03) == pytest.approx([0.35], abs=1e-12)
    assert with_lead(goal, before, 0.04, 0.03) == pytest.approx([0.275], abs=1e-12)


def test_a_joint_that_is_or_was_a_wheel_gets_no_lead() -> None:
    before = np.array([math.nan, 0.1, math.nan, 0.1])
    goal = np.array([0.2, math.nan, math.nan, 0.2])
    out = with_lead(goal, before, 0.02, 0.02)
    assert out == pytest.approx([0.2, math.nan, math.nan, 0.3], nan_ok=True)


@pytest.mark.parametrize(
    ("period", "lead", "setting"),
    [
        (0.0, 0.0, "period"),
        (-0.02, 0.0, "period"),
        (math.nan, 0.0, "period"),
        (math.inf, 0.0, "period"),
        (0.02, -1e-9, "lead"),
        (0.02, math.nan, "lead"),
        (0.02, math.inf, "lead"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(
    period: float, lead: float, setting: str
) -> None:
    with pytest.raises(ConfigError, match=f"'{setting}' is"):
        Timing(period, lead)


@pytest.mark.parametrize("latency", [-1e-9, math.nan, math.inf])
def test_latency_out_of_range_is_refused_by_name(latency: float) -> None:
    with pytest.raises(ConfigError, match="'latency' is"):
        Timing(0.02, 0.0, latency)
