"""Documents that the tests start from."""

import copy
from typing import Any

import pytest

EXAMPLE: dict[str, Any] = {
    "format": 3,
    "robot": "8servos-mid-trot",
    "fitness": 0.11,
    "control_hz": 50,
    "ramp_time": 0.5,
    "load_full_scale": 0.7,
    "frequency": 1.31,
    "servos": [
        {
            "id": 1,
            "name": "s8_pitch",
            "mode": "position",
            "amp1": 0.11,
            "phase1": 2.38,
            "offset": -0.33,
            "amp2": 0.11,
            "phase2": 1.97,
            "sigma": 0.62,
            "steer_gain": 0.40,
            "steer_shift": 0.15,
            "sign": -1,
            "zero": 2048,
            "min": -1.3,
            "max": 1.3,
        },
        {
            "id": 2,
            "name": "s4_roll",
            "mode": "position",
            "amp1": 0.20,
            "phase1": 5.71,
            "offset": 0.10,
            "amp2": 0.00,
            "phase2": 0.00,
            "sigma": -1.20,
            "steer_gain": -0.25,
            "steer_shift": -0.10,
            "sign": 1,
            "zero": 2048,
            "min": -0.9,
            "max": 0.9,
        },
        {
            "id": 3,
            "name": "s9_wheel",
            "mode": "wheel",
            "speed": 4.0,
            "steer_gain": 0.0,
            "steer_shift": 2.5,
            "sign": 1,
        },
    ],
}


@pytest.fixture
def example() -> dict[str, Any]:
    """The example of the control file's description, as a fresh document."""
    return copy.deepcopy(EXAMPLE)
