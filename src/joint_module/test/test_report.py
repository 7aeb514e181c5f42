"""The simulated report: efficiency, margins and overload of modules whose answers are known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joint_module import module_file
from joint_module import report as reports
from joint_module.choices import Choices
from joint_module.contract import JointModule, Simulation
from joint_module.errors import MeasurementError, ModelError
from joint_module.generate import Generated, generate
from joint_module.report import Report
from joint_module.simulate import Run


@pytest.fixture
def reference(planetary: Path, tmp_path: Path) -> Generated:
    return generate(planetary, tmp_path)


def _with(module: JointModule, **simulation: Any) -> JointModule:
    return replace(module, simulation=replace(module.simulation, **simulation))


def _report(generated: Generated, mode: Any = "normal", **simulation: Any) -> Report:
    return reports.report(_with(generated.module, **simulation), generated.model, mode)[0]


def test_without_friction_the_efficiency_is_one(reference: Generated) -> None:
    found = _report(reference, damping=0.0)
    assert found.efficiency == pytest.approx(1.0, abs=1e-4)
    assert found.ideal_input_torque == 0.5
    assert found.rms_input_torque == pytest.approx(0.5, rel=0.001)


@pytest.mark.parametrize("mode", ["normal", "overload"])
@pytest.mark.parametrize(
    "ratio_and_inertia",
    [(1.0, 1e-4), (3.0, 1e-3), (50.0, 1e-5), (345.0, 1e-6), (0.5, 1e-4)],
)
def test_gears_of_any_ratio_lose_nothing_without_friction(
    ratio_and_inertia: tuple[float, float], mode: str, urdf: Any, tmp_path: Path
) -> None:
    ratio, inertia = ratio_and_inertia
    body = (
        f'<inertial><mass value="0.1"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}"/>'
        "</inertial>"
    )
    urdf.link("motor_link", body).link("output_link", body)
    urdf.joint("motor").joint("output", mimic="motor", multiplier=1.0 / ratio)
    simulation = Simulation(damping=0.0, load_torque=-ratio, amplitude=3.0, timestep=0.0005)
    generated = generate(urdf.write(), tmp_path / "out", Choices(simulation=simulation))
    found = _report(generated, mode)
    assert found.efficiency == pytest.approx(1.0, abs=0.02)
    assert found.measured_ratio == pytest.approx(ratio, rel=1e-6)
    assert found.meets_load


def test_two_stages_lose_nothing_without_friction(urdf: Any, tmp_path: Path) -> None:
    urdf.joint("motor").joint("middle", mimic="motor", multiplier=-0.2, parent="motor_link")
    urdf.joint("output", mimic="middle", multiplier=-0.25)
    generated = generate(urdf.write(), tmp_path / "out")
    found = _report(generated, damping=0.0, amplitude=4.0)
    assert found.nominal_ratio == 20.0
    assert found.efficiency == pytest.approx(1.0, abs=0.02)


def test_damping_costs_what_it_takes_at_every_joint(reference: Generated) -> None:
    """Mean power against dampers and load over the half cycle that the motor drives, for a sine."""
    found = _report(reference)
    gains = (1.0, 1.0 / 6.0, *[5.0 / 12.0] * 3)
    drag = 0.01 * sum(gain * gain for gain in gains) * reference.module.simulation.peak_velocity
    # sum(v) : sum(v^2) of a half sine is 2/pi : 1/2 of its peak.
    expected = 0.5 * (2.0 / math.pi) / (0.5 * (2.0 / math.pi) + drag / 2.0)
    assert found.efficiency == pytest.approx(expected, rel=0.002)
    assert found.peak_input_torque == pytest.approx(0.5 + drag, rel=0.01)


def test_margins_are_those_of_the_input_joint(reference: Generated) -> None:
    found = _report(reference)
    assert found.torque.margin == pytest.approx(10.0 - found.peak_input_torque)
    assert found.torque.fraction == pytest.approx(found.torque.margin / 10.0)
    assert found.position.highest == pytest.approx(2.0 * math.pi, abs=0.05)
    assert found.velocity and found.velocity.margin == pytest.approx(2 * math.pi - 9.87, abs=0.01)
    assert found.meets_load and not found.within_limits
    assert any("9.87 rad/s" in warning for warning in found.warnings)


def test_a_slower_reference_keeps_all_limits(reference: Generated) -> None:
    found = _report(reference, frequency=0.125, duration=8.0)
    assert found.meets_load and found.within_limits and found.warnings == ()


def test_a_module_without_velocity_limit_has_no_velocity_margin(reference: Generated) -> None:
    module = replace(reference.module, limits=replace(reference.module.limits, velocity=None))
    found, _ = reports.report(module, reference.model)
    assert found.velocity is None and found.within_limits
    assert found.to_document()["margins"]["velocity"] is None


def test_a_load_beyond_the_motor_is_not_met(reference: Generated) -> None:
    found = _report(reference, load_torque=-90.0)
    assert not found.meets_load and not found.within_limits
    assert found.peak_input_torque == pytest.approx(15.15, rel=0.01)
    assert found.torque.margin < -5.0
    assert found.peak_tracking_error > 1.0
    assert found.efficiency and found.efficiency <= 1.0


def test_tracking_error_is_the_load_over_the_gain(reference: Generated) -> None:
    found = _report(reference, damping=0.0)
    assert found.rms_tracking_error == pytest.approx(0.5 / 20.0, rel=0.02)


def test_overload_finds_the_load_at_which_the_torque_reaches_its_limit(
    reference: Generated,
) -> None:
    found = _report(reference, "overload")
    drag = _report(reference).peak_input_torque - 0.5
    assert found.overload_torque == pytest.approx(-(10.0 - drag) * 6.0, rel=0.001)
    assert found.load_torque == found.overload_torque
    assert found.peak_input_torque == pytest.approx(10.0, rel=1e-3)
    assert found.meets_load


def test_overload_pushes_the_way_the_load_does(reference: Generated) -> None:
    against = _report(reference, "overload").overload_torque
    with_it = _report(reference, "overload", load_torque=3.0).overload_torque
    assert against and with_it == pytest.approx(-against, rel=0.001)


def test_a_reference_that_needs_all_torque_by_itself_leaves_none_for_a_load(
    reference: Generated,
) -> None:
    found = _report(reference, "overload", amplitude=60.0, frequency=2.0)
    assert found.overload_torque == 0.0 and not found.meets_load and found.efficiency is None


def test_an_overload_that_no_load_causes_is_an_error(reference: Generated) -> None:
    with pytest.raises(MeasurementError, match="no load brings the torque of 'sun_input_joint'"):
        reports.overload_torque(reference.module, lambda load: np.zeros(3))


def test_a_torque_that_jumps_past_its_limit_is_an_error(reference: Generated) -> None:
    def stiction(load: float) -> Any:
        return np.full(3, 20.0 if abs(load) > 7.0 else 0.0)

    with pytest.raises(MeasurementError, match="jumps past its limit"):
        reports.overload_torque(reference.module, stiction)


@pytest.mark.parametrize("change", [{"load_torque": 0.0}, {"amplitude": 0.0}, {"frequency": 0.0}])
def test_where_the_motor_never_drives_there_is_no_efficiency(
    change: dict[str, float], reference: Generated
) -> None:
    assert _report(reference, **change).efficiency is None


def test_a_standing_module_has_no_measured_ratio(reference: Generated) -> None:
    found = _report(reference, amplitude=0.0)
    assert found.measured_ratio is None and found.ratio_error is None


def test_a_measured_ratio_that_is_not_the_nominal_one_is_warned_of(reference: Generated) -> None:
    module = replace(reference.module, gear_ratio=6.5)
    found, _ = reports.report(module, reference.model)
    assert found.ratio_error == pytest.approx(6.0 / 6.5 - 1.0, abs=0.001)
    assert any("measured ratio is off by -7.7%" in warning for warning in found.warnings)


@pytest.mark.parametrize("timestep", [0.0002, 0.005, 0.01])
def test_the_answer_does_not_depend_on_the_timestep(timestep: float, reference: Generated) -> None:
    expected, found = _report(reference), _report(reference, timestep=timestep)
    assert found.efficiency == pytest.approx(expected.efficiency, rel=1e-4)
    assert found.peak_input_torque == pytest.approx(expected.peak_input_torque, rel=1e-4)
    assert found.measured_ratio == pytest.approx(6.0, rel=1e-6)


def test_a_stiff_servo_without_damping_is_stable(reference: Generated) -> None:
    found = _report(reference, kp=1e6, kd=0.0, damping=0.0)
    assert found.efficiency == pytest.approx(1.0, abs=0.001)


def test_a_light_rotor_neither_diverges_nor_slips(urdf: Any, tmp_path: Path) -> None:
    """The same PD law computed outside of the model would: kd * timestep > 2 * inertia."""
    light = '<inertial><mass value="0.1"/><inertia ixx="1e-7" iyy="1e-7" izz="1e-7"/></inertial>'
    urdf.link("motor_link", light).link("output_link", light)
    urdf.joint("motor").joint("output", mimic="motor", multiplier=0.1)
    generated = generate(urdf.write(), tmp_path / "out")
    found = _report(generated, damping=0.0)
    assert found.efficiency == pytest.approx(1.0, abs=0.001)
    assert found.measured_ratio == pytest.approx(10.0, rel=1e-6)
    assert any("light" in warning for warning in generated.warnings)


def test_a_simulation_that_diverges_is_an_error_and_no_report(reference: Generated) -> None:
    with pytest.raises(MeasurementError, match="diverged"):
        _report(reference, kp=0.0, kd=0.0, load_torque=-1e13)


def test_no_log_file_is_left_behind(
    reference: Generated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(MeasurementError):
        _report(reference, kp=0.0, kd=0.0, load_torque=-1e13)
    assert list((tmp_path / "here").iterdir()) == []


def test_two_runs_are_the_same_to_the_last_digit(reference: Generated) -> None:
    assert _report(reference) == _report(reference)


def test_an_input_that_starts_away_from_zero_is_driven_in_the_middle_of_its_limits(
    urdf: Any, tmp_path: Path
) -> None:
    urdf.joint("motor", limit='lower="4" upper="10" effort="10"')
    urdf.joint("output", mimic="motor", multiplier=0.5, offset=0.3)
    generated = generate(urdf.write(), tmp_path / "out")
    found, runs = reports.report(_with(generated.module, amplitude=2.0), generated.model)
    run = runs.limited
    assert run.reference.min() == pytest.approx(5.0) and run.reference.max() == pytest.approx(9.0)
    assert found.within_limits
    np.testing.assert_allclose(run.output_position, 0.5 * run.input_position + 0.3, atol=1e-3)


@pytest.mark.parametrize("joint", ["input_joint", "output_joint"])
def test_a_joint_that_the_model_lacks_is_named(joint: str, reference: Generated) -> None:
    module = replace(reference.module, **{joint: "nobody"})
    with pytest.raises(ModelError, match="'nobody'"):
        reports.report(module, reference.model)


def test_a_missing_model_is_named(reference: Generated, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.xml: there is no such model"):
        reports.report(reference.module, tmp_path / "none.xml")


def test_a_broken_model_is_refused_in_mujocos_words(reference: Generated) -> None:
    reference.model.write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    with pytest.raises(ModelError, match="MuJoCo refuses"):
        reports.report(reference.module, reference.model)


def _run(torque: list[float], v_in: list[float], v_out: list[float], load: float) -> Run:
    zero = np.zeros(len(torque))
    columns = [np.array(column) for column in (torque, v_in, v_out)]
    return Run(zero, zero, zero, columns[1], columns[0], zero, columns[2], load)


def test_efficiency_counts_only_samples_where_the_motor_drives() -> None:
    run = _run([2.0, 2.0, -1.0, 1.0], [3.0, -3.0, 3.0, 1.0], [0.5, -0.5, 0.5, 0.25], load=-8.0)
    assert reports.efficiency(run) == pytest.approx((4.0 + 2.0) / (6.0 + 1.0))


def test_efficiency_of_a_load_that_always_helps_is_none() -> None:
    assert reports.efficiency(_run([-1.0], [1.0], [0.1], load=5.0)) is None


@pytest.mark.parametrize(
    ("samples", "limits", "distance", "fraction"),
    [
        ([-1.0, 2.0], (-4.0, 4.0), 2.0, 0.5),
        ([-3.0, 2.0], (-4.0, 4.0), 1.0, 0.25),
        ([-5.0, 0.0], (-4.0, 4.0), -1.0, -0.25),
        ([1.0, 2.0], (0.0, 10.0), 1.0, 0.2),
    ],
)
def test_a_margin_is_the_distance_to_the_nearer_limit(
    samples: list[float], limits: tuple[float, float], distance: float, fraction: float
) -> None:
    found = reports.margin(np.array(samples), limits)
    assert (found.margin, found.fraction) == (distance, fraction)


def test_the_written_report_is_json_without_nan(reference: Generated, tmp_path: Path) -> None:
    found = _report(reference, load_torque=0.0)
    reports.write(found, tmp_path / "report.json")

    def refuse(word: str) -> None:
        raise AssertionError(word)

    document = json.loads((tmp_path / "report.json").read_text(), parse_constant=refuse)
    assert document["efficiency"] is None
    assert document["margins"]["torque"]["limits"] == [-10.0, 10.0]
    assert set(document) >= {"meets_load", "ideal_input_torque", "rms_tracking_error", "warnings"}


def test_the_hexapods_servo_carries_its_stall_torque_less_friction(
    sts3215: Path,
) -> None:
    module = module_file.read(sts3215 / "sts3215.json")
    found, _ = reports.report(module, sts3215 / module.model, "overload")
    assert found.overload_torque == pytest.approx(-2.7, abs=0.1)
    normal, _ = reports.report(module, sts3215 / module.model, "normal")
    assert normal.within_limits and normal.efficiency and 0.85 < normal.efficiency < 0.95
