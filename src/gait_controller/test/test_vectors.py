"""The CPG and the step conversion against numbers that were computed independently."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from gait_controller import control_file, steps
from gait_controller.control_file import ControlFile
from gait_controller.cpg import Cpg

DATA = Path(__file__).resolve().parents[3] / "test" / "data" / "control.json"
CASES = json.loads(DATA.read_text(encoding="utf-8"))["cases"]
TOLERANCE = 1e-9


def load_fraction(register: int) -> float:
    """Present-load register: bits 0 to 9 magnitude in 0.1 %, bit 10 direction."""
    return (-1 if register & 0x400 else 1) * (register & 0x3FF) / 1000


def angle_between(left: float, right: float) -> float:
    """Distance of two phases, which meet again at 2 pi."""
    return abs(math.remainder(left - right, 2 * math.pi))


def column(control: ControlFile, field: str) -> np.ndarray:
    return np.array([getattr(servo, field, 0) for servo in control.servos])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_tick_gives_the_expected_phase_target_steps_and_wheel_speed(case: dict) -> None:
    control = control_file.parse(case["control"])
    sign, zero = column(control, "sign"), column(control, "zero")
    cpg = Cpg(control)
    expected = case["expected"]
    for tick, (command, registers) in enumerate(
        zip(case["commands"], case["load_registers"], strict=True)
    ):
        load = sign * np.array([load_fraction(register) for register in registers])
        targets = cpg.step(load, command)
        positions = steps.steps(targets.position, zero, sign)
        speeds = steps.wheel_speed(targets.velocity, sign)
        for index, servo in enumerate(control.servos):
            if servo.mode == "position":
                theta = expected["theta"][tick][index]
                assert angle_between(targets.theta[index], theta) < TOLERANCE
                assert abs(targets.position[index] - expected["target"][tick][index]) < TOLERANCE
                assert abs(positions[index] - expected["steps"][tick][index]) < 1e-6
                assert steps.rounded(positions[index]) == expected["steps_round"][tick][index]
            else:
                assert math.isnan(targets.position[index])
                assert math.isnan(targets.theta[index])
                assert abs(speeds[index] - expected["vel"][tick][index]) < TOLERANCE
        assert not targets.open_loop.any()


@pytest.mark.parametrize(
    ("position", "step"),
    [(0.5, 1), (1.5, 2), (2.5, 3), (-0.5, -1), (-1.5, -2), (0.49999999999999994, 0), (2048, 2048)],
)
def test_steps_round_to_the_nearest_and_halves_away_from_zero(position: float, step: int) -> None:
    assert steps.rounded(position) == step


def test_a_negative_sign_turns_the_servo_the_other_way() -> None:
    assert steps.steps([math.pi / 2], [2048], [-1]).tolist() == [1024.0]
