"""One servo model: what it refuses, what it accepts with a warning."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servo_inv.servo_model import FIELD_NAMES, FIELDS, ServoModel, read_model
from stride_base.errors import ConfigError

GOOD = {
    "kp": 100.0,
    "kgear": 1.5,
    "viscous": 47.6,
    "inertia": 1.4,
    "coulomb": 5.7,
    "stribeck": 10.8,
    "torque": 309.5,
    "stribeck_velocity": 0.3,
    "stribeck_exponent": 1.0,
}


def test_a_whole_model_is_read_by_the_names_of_the_message() -> None:
    model = read_model("knee", {**GOOD, "kp": 100})
    assert model == ServoModel("knee", **GOOD)
    assert tuple(model.numbers()) == FIELD_NAMES
    assert model.numbers() == GOOD


@pytest.mark.parametrize("field", FIELD_NAMES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1.0", None, True])
def test_what_is_no_finite_number_is_refused_by_joint_and_field(field: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"servo model of joint 'knee': '{field}' is "):
        read_model("knee", {**GOOD, field: value})


@pytest.mark.parametrize("field", ["kp", "kgear", "stribeck_velocity", "stribeck_exponent"])
@pytest.mark.parametrize("value", [0.0, -0.0, -1.0])
def test_settings_and_curve_must_be_above_zero(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"'{field}' is .*; expected a number greater than 0"):
        read_model("knee", {**GOOD, field: value})
    with pytest.raises(ConfigError, match=f"'{field}' is"):
        ServoModel("knee", **{**GOOD, field: value})


@pytest.mark.parametrize("field", FIELD_NAMES)
def test_half_a_model_is_refused(field: str) -> None:
    half = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(ConfigError, match=f"my.yaml: .*'knee': '{field}' is missing; expected"):
        read_model("knee", half, "my.yaml")


def test_unknown_numbers_are_refused() -> None:
    with pytest.raises(ConfigError, match="'alpha' is 3; expected only the fields kp, kgear, "):
        read_model("knee", {**GOOD, "alpha": 3})


def test_a_model_without_a_joint_is_refused() -> None:
    with pytest.raises(ConfigError, match="'name' is ''; expected the name of a joint"):
        read_model("", GOOD)


@pytest.mark.parametrize(
    ("numbers", "field"),
    [
        ({"kp": 5e-324, "viscous": 1.0}, "viscous"),
        ({"kgear": 1e-200}, "torque"),
        ({"kgear": 1e-300, "coulomb": 1e300}, "coulomb"),
        ({"kgear": 1e300, "stribeck_velocity": 1e-300}, "stribeck_velocity"),
    ],
)
def test_numbers_whose_ratios_no_float_holds_are_refused(numbers: dict, field: str) -> None:
    with pytest.raises(ConfigError, match=f"'{field}' is .*; expected a number in proportion"):
        read_model("knee", {**GOOD, **numbers})


@pytest.mark.parametrize("field", ["viscous", "coulomb", "stribeck"])
def test_negative_friction_is_accepted_and_said(field: str) -> None:
    model = read_model("knee", {**GOOD, field: -0.07})
    (sentence,) = model.oddities()
    assert sentence.startswith(
        f"servo model of joint 'knee': {field} is -0.07; a negative friction"
    )
    assert read_model("knee", {**GOOD, "torque": -1.0, "inertia": -1.0}).oddities() == []


@given(st.dictionaries(st.sampled_from(FIELD_NAMES), st.floats(), min_size=len(FIELDS)))
def test_whatever_is_taken_is_finite_on_the_side_of_the_joint(numbers: dict[str, float]) -> None:
    try:
        model = read_model("knee", numbers)
    except ConfigError:
        return
    assert all(math.isfinite(value) for value in model.joint_side())
    assert model.joint_side().stribeck_velocity > 0.0
