"""Conversion from BAM parameters."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from servo_inv.bam import convert
from servo_inv.offset import offset_at, stack_models
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError

DATA = Path(__file__).parents[3] / "test" / "data" / "servo_inverse.json"
VECTORS = json.loads(DATA.read_text())["vectors"]
ROUNDTRIPS = [vector for vector in VECTORS if vector["kind"] == "bam_roundtrip"]
STIFFNESS = [vector for vector in VECTORS if vector["kind"] == "bam_mujoco"]
M1 = {"kt": 1.2, "R": 2.4, "armature": 0.03, "friction_base": 0.05, "friction_viscous": 0.06}


def target(model: ServoModel, inputs: dict) -> float:
    state = (np.array([inputs[name]]) for name in ("v", "a", "tau"))
    return inputs["q"] + float(offset_at(stack_models([model]), *state, inputs["V"], 0.001)[0])


def test_there_are_vectors() -> None:
    assert ROUNDTRIPS and STIFFNESS


@pytest.mark.parametrize("vector", ROUNDTRIPS, ids=lambda vector: vector["id"])
def test_vector(vector: dict) -> None:
    inputs, expected = vector["inputs"], vector["expected"]
    tolerance = vector["abs_tol"]
    bam, error_gain = inputs["bam"], inputs["error_gain"]
    model = convert("B", bam, inputs["kp_firmware"], error_gain).model
    numbers = expected["model"]
    assert model.kp == pytest.approx(numbers["kp"], abs=tolerance)
    assert list(model.numbers().values())[2:7] == pytest.approx(numbers["alpha"], abs=tolerance)
    assert model.stribeck_velocity == pytest.approx(numbers["qs"], abs=tolerance)
    assert model.stribeck_exponent == pytest.approx(numbers["delta"], abs=tolerance)
    assert target(model, inputs) == pytest.approx(expected["target"], abs=tolerance)


@pytest.mark.parametrize("vector", ROUNDTRIPS, ids=lambda vector: vector["id"])
@pytest.mark.parametrize("v", [1.5, 0.05, -0.3])
def test_the_servo_simulated_forwards_gives_the_torque_that_was_needed(
    vector: dict, v: float
) -> None:
    inputs, bam = {**vector["inputs"], "v": v}, vector["inputs"]["bam"]
    model = convert("B", bam, inputs["kp_firmware"], inputs["error_gain"]).model
    duty = model.kp * (target(model, inputs) - inputs["q"])
    torque = bam["kt"] / bam["R"] * (duty * inputs["V"] - bam["kt"] * v)
    curve = math.exp(-(abs(v / bam["dtheta_stribeck"]) ** bam["alpha"]))
    dry = bam["friction_base"] + bam["friction_stribeck"] * curve
    needed = bam["armature"] * inputs["a"] + inputs["tau"] + bam["friction_viscous"] * v
    assert torque == pytest.approx(needed + math.copysign(dry, v), abs=1e-9)


@pytest.mark.parametrize("vector", STIFFNESS, ids=lambda vector: vector["id"])
def test_a_held_load_sags_by_the_stiffness_of_the_drive(vector: dict) -> None:
    inputs, expected = vector["inputs"], vector["expected"]
    model = convert("B", inputs["bam"], inputs["kp"], inputs["error_gain"]).model
    held = {"q": 0.0, "v": 0.0, "a": 0.0, "tau": 1.0, "V": inputs["V"]}
    assert target(model, held) == pytest.approx(expected["sag_rad_per_Nm"], abs=vector["abs_tol"])


def test_m1_has_no_stribeck_friction() -> None:
    model = convert("knee", M1, 32.0, 0.166).model
    assert (model.name, model.stribeck) == ("knee", 0.0)
    assert model.kp == pytest.approx(32.0 * 0.166)
    assert model.coulomb == pytest.approx(2.4 * 0.05 / 1.2)


def test_the_error_gain_of_a_known_servo_need_not_be_given() -> None:
    assert convert("a", {**M1, "actuator": "sts3215"}, 16.0).model.kp == pytest.approx(2.656)
    assert convert("a", {**M1, "actuator": "mx106"}, 32.0).model.kp == pytest.approx(5.056)
    for unknown in ({"actuator": "erob80_100"}, {}):
        with pytest.raises(ConfigError, match=r"'actuator' is .*; expected one of sts3215, "):
            convert("a", {**M1, **unknown}, 32.0)


def test_what_the_model_cannot_hold_is_said() -> None:
    assert convert("a", M1, 32.0, 0.166).left_out == ()
    bam = {**M1, "q_offset": -0.05, "load_friction_base": 0.12, "load_friction_motor": 0}
    friction, offset = sorted(convert("a", bam, 32.0, 0.166).left_out)
    assert friction.startswith("load_friction_base 0.12 is left out")
    assert offset.startswith("q_offset -0.05 rad is left out")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kt": None}, "m.json: 'kt' is null; expected a number greater than 0"),
        ({"R": 0.0}, "m.json: 'R' is 0.0; expected a number greater than 0"),
        ({"friction_base": -0.1}, "m.json: 'friction_base' is -0.1; expected a number of at least"),
        ({"alpha": 0.0}, "m.json: 'alpha' is 0.0; expected"),
        ({"friction_viscous": "much"}, "m.json: 'friction_viscous' is 'much'; expected"),
    ],
)
def test_wrong_parameters_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        convert("a", {**M1, **change}, 32.0, 0.166, "m.json")


@pytest.mark.parametrize("missing", ["kt", "R"])
def test_motor_constants_are_needed(missing: str) -> None:
    with pytest.raises(ConfigError, match=f"'{missing}' is missing"):
        convert("a", {name: value for name, value in M1.items() if name != missing}, 32.0, 0.166)


@pytest.mark.parametrize(("p", "gain"), [(0.0, 0.166), (math.nan, 0.166), (32.0, -1.0)])
def test_gains_must_be_above_zero(p: float, gain: float) -> None:
    with pytest.raises(ConfigError, match="expected a number greater than 0"):
        convert("a", M1, p, gain)
