"""The fit, on signals made from the formula: what it finds, and what it says it cannot find."""

from dataclasses import replace

import numpy as np
import pytest

from servo_inv.identification.fit import FitSettings, fit, standard_errors
from servo_inv.identification.signals import Signals
from servo_inv.joint_message import FloatArray
from servo_inv.offset import offset_at, stack_models
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError, RefusedError

TRUE = ServoModel("joint", 5.0, 1.0, 1.3, 0.055, 0.08, 0.06, 2.1, 0.15, 2.0)
TIME = np.arange(3000) * 0.02
WAVES = 0.4 * np.sin(0.37 * TIME) + 0.2 * np.sin(2.1 * TIME + 1.0) + 0.1 * np.sin(5.3 * TIME)


def signals(
    model: ServoModel,
    position: FloatArray = WAVES,
    effort: FloatArray | None = None,
    noise: float = 0.0,
) -> Signals:
    """What is seen of a servo that is exactly `model`; without smoothing."""
    velocity = np.gradient(position, 0.02)
    acceleration = np.gradient(velocity, 0.02)
    load = 0.6 * np.cos(position + 0.5) if effort is None else effort
    voltage = 7.4 + 0.3 * np.sin(0.1 * TIME)
    offset = np.array(
        [
            offset_at(stack_models([model]), *(np.array([x]) for x in state), volt, 0.0)[0]
            for *state, volt in zip(velocity, acceleration, load, voltage, strict=True)
        ]
    )
    offset += noise * np.random.default_rng(1).normal(size=len(TIME))
    whole = np.ones(len(TIME), bool)
    whole[:3] = whole[-3:] = False
    return Signals(
        TIME, position + offset, position, velocity, acceleration, load, voltage, whole, np.ones(1)
    )


def test_exact_samples_give_the_exact_model() -> None:
    found = fit(signals(TRUE), FitSettings(kp=5.0))
    assert found.model.numbers() == pytest.approx(TRUE.numbers(), rel=1e-3)
    assert np.abs(found.residual[found.used]).max() < 1e-6
    assert found.at_bound == () and found.curve_seen
    assert found.separability.groups == () and found.separability.unexcited == ()


def test_the_gear_is_inside_the_model() -> None:
    geared = replace(TRUE, kgear=1.8)
    found = fit(signals(geared), FitSettings(kp=5.0, kgear=1.8))
    assert found.model.numbers() == pytest.approx(geared.numbers(), rel=1e-3)


def test_only_ratios_to_kp_are_seen() -> None:
    found = fit(signals(TRUE), FitSettings(kp=50.0)).model
    assert found.kp == 50.0
    assert found.viscous == pytest.approx(10.0 * TRUE.viscous, rel=1e-3)
    assert found.stribeck_velocity == pytest.approx(TRUE.stribeck_velocity, rel=1e-3)


def test_the_truth_is_within_the_confidence_of_noisy_samples() -> None:
    found = fit(signals(TRUE, noise=1e-3), FitSettings(kp=5.0))
    true, numbers = TRUE.numbers(), found.model.numbers()
    for name, width in found.half_width.items():
        assert abs(numbers[name] - true[name]) < 2.0 * width, name
        assert width < 0.5 * true[name], name


def test_half_widths_are_those_of_independent_residuals() -> None:
    random = np.random.default_rng(3)
    columns = random.normal(size=(2000, 2)) * [1.0, 10.0]
    errors = standard_errors(columns, random.normal(size=2000))
    assert errors == pytest.approx([2000**-0.5, 0.1 * 2000**-0.5], rel=0.2)


def test_an_effort_that_is_always_the_same_cannot_be_told_from_friction_in_one_direction() -> None:
    rising = np.cumsum(0.02 * (0.5 + 0.3 * np.sin(0.7 * TIME)))
    smooth = replace(TRUE, stribeck=0.0)
    found = fit(signals(smooth, rising, np.full(len(TIME), 0.5)), FitSettings(kp=5.0))
    assert ("coulomb", "torque") in found.separability.groups
    assert not found.curve_seen
    assert np.isinf(found.half_width["coulomb"]) and np.isinf(found.half_width["torque"])


def test_one_sine_about_the_lowest_point_cannot_tell_torque_from_inertia() -> None:
    sine = 0.3 * np.sin(2.5 * TIME)
    found = fit(signals(TRUE, sine, 0.6 * sine), FitSettings(kp=5.0))
    assert {"inertia", "torque"} <= set().union(*found.separability.groups)
    assert found.separability.condition > 30.0


def test_what_is_not_seen_keeps_the_prior() -> None:
    prior = replace(TRUE, kp=10.0, torque=7.0)
    unknown = replace(signals(replace(TRUE, torque=0.0)), effort=None)
    found = fit(unknown, FitSettings(kp=5.0, prior=prior))
    assert found.separability.unexcited == ("torque",)
    assert found.model.torque == pytest.approx(3.5)
    assert found.model.viscous == pytest.approx(TRUE.viscous, rel=1e-3)
    assert np.isinf(found.half_width["torque"])


def test_without_stribeck_friction_coulomb_stands_for_both() -> None:
    smooth = replace(TRUE, stribeck=0.0)
    found = fit(signals(smooth, noise=1e-3), FitSettings(kp=5.0))
    assert not found.curve_seen and found.model.stribeck == 0.0
    assert found.model.coulomb == pytest.approx(smooth.coulomb, rel=0.05)
    assert found.at_bound == ()


def test_a_search_that_ends_at_a_bound_is_said() -> None:
    settings = FitSettings(kp=5.0, velocity_bounds=(0.02, 0.1), exponent_bounds=(1.0, 20.0))
    assert "stribeck_velocity" in fit(signals(TRUE), settings).at_bound


def test_saturated_and_slow_samples_are_left_out() -> None:
    heavy = signals(TRUE, effort=2.0 + 2.0 * np.sin(0.9 * TIME))
    found = fit(heavy, FitSettings(kp=5.0))
    assert not found.used[np.abs(heavy.distance) > 0.1826].any()
    assert not found.used[np.abs(heavy.velocity) < 0.03].any()
    assert found.model.torque == pytest.approx(TRUE.torque, rel=1e-3)


def test_a_joint_that_does_not_move_is_refused() -> None:
    with pytest.raises(RefusedError, match="only 0 samples move"):
        fit(signals(TRUE, 0.0 * TIME), FitSettings())


@pytest.mark.parametrize(
    "wrong",
    [
        {"kp": 0.0},
        {"kgear": np.nan},
        {"slowest": -1.0},
        {"velocity_bounds": (1.0, 0.5)},
        {"exponent_bounds": (0.0, 2.0)},
    ],
)
def test_wrong_settings_are_refused_by_name(wrong: dict) -> None:
    with pytest.raises(ConfigError, match=f"'{next(iter(wrong))}' is"):
        FitSettings(**wrong)
