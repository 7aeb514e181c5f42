"""Identification of the simulated servo, and what the report says of it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exact_servo import LOAD, PERIOD, exact_model, record_of
from sts3215_joint import Joint, Servo, follow

from servo_inv.identification.excitation import JointLimits, Motion, design_excitation
from servo_inv.identification.findings import findings
from servo_inv.identification.fit import FitSettings
from servo_inv.identification.identify import Identified, Preparation, Tracking, identify
from servo_inv.identification.output import file_of, write_models, write_report
from servo_inv.identification.picture import draw_report
from servo_inv.identification.report import report_data, report_text
from servo_inv.identification.trial import goals_for
from servo_inv.model_file import read_model_file, write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from servo_inv.timing import Timing
from stride_base.errors import ConfigError, StrideError

TRUE = exact_model(Servo())
MOTION = design_excitation(JointLimits(), PERIOD, load=LOAD)


def identified(voltage: float, preparation: Preparation | None = None) -> Identified:
    record = record_of(Joint(voltage), MOTION.position.tolist())
    return identify(record, preparation=preparation or Preparation(load=LOAD))


@pytest.fixture(scope="module")
def good() -> Identified:
    return identified(7.4)


@pytest.fixture(scope="module")
def unloaded() -> Identified:
    """The load is there, but nobody says so."""
    return identified(7.4, Preparation())


@pytest.mark.parametrize("voltage", [8.4, 7.4, 6.4])
def test_the_parameters_are_those_of_the_servo(voltage: float) -> None:
    found = identified(voltage)
    numbers, true = found.model.numbers(), TRUE.numbers()
    assert numbers["kp"] == pytest.approx(true["kp"])
    tolerances = {
        "viscous": 0.02,
        "inertia": 0.05,
        "coulomb": 0.05,
        "stribeck": 0.12,
        "torque": 0.005,
        "stribeck_velocity": 0.05,
    }
    for name, tolerance in tolerances.items():
        assert numbers[name] == pytest.approx(true[name], rel=tolerance), name
    assert found.helps and found.after < 0.05 * found.before


@pytest.mark.parametrize("voltage", [8.4, 6.4])
def test_a_model_makes_the_joint_track_at_any_voltage(good: Identified, voltage: float) -> None:
    time = np.arange(0.0, 8.0, PERIOD)
    sine = Motion.through(0.5 * np.minimum(time, 1.0) * np.sin(np.pi * time), PERIOD)
    effort = LOAD.effort(sine.position, sine.acceleration)

    def error(model: ServoModel | None, latency: float) -> float:
        goals = goals_for(sine, effort, voltage, model, Timing(PERIOD, 0.0, latency))
        position = np.array(follow(Joint(voltage), goals.tolist(), PERIOD, PERIOD).position)
        return float(np.sqrt(np.mean((position - sine.position)[100:] ** 2)))

    raw = error(None, 0.0)
    assert error(TRUE, 2 * PERIOD) < 0.15 * raw
    assert error(good.model, 2 * PERIOD) < 0.25 * raw


def test_goals_recorded_before_they_are_in_force_need_their_age(good: Identified) -> None:
    record = record_of(Joint(7.4), MOTION.position.tolist())
    early = replace(record, goal=np.append(record.goal[1:], record.goal[-1]))
    found = identify(early, preparation=Preparation(goal_age=-PERIOD, load=LOAD))
    assert found.model.viscous == pytest.approx(good.model.viscous, rel=0.01)
    late = identify(early, preparation=Preparation(load=LOAD))
    per_period = found.model.kp * 7.4 * PERIOD
    assert late.model.viscous == pytest.approx(found.model.viscous + per_period, rel=0.06)


def test_the_effort_of_a_recording_goes_before_that_of_a_load(good: Identified) -> None:
    record = record_of(Joint(7.4), MOTION.position.tolist())
    effort = LOAD.effort(record.position, 0.0 * record.position)
    found = identify(replace(record, effort=2.0 * effort), preparation=Preparation(load=LOAD))
    assert found.model.torque == pytest.approx(0.5 * good.model.torque, rel=0.02)


def test_samples_held_out_are_not_fitted(good: Identified) -> None:
    assert good.held_out.any() and not (good.held_out & good.fit.used).any()


def test_a_load_that_nobody_knows_is_said(unloaded: Identified) -> None:
    sentences = findings(unloaded)
    assert "the load is not known (no effort was recorded): torque is not identified" in sentences
    assert any(sentence.endswith("coulomb stands for both") for sentence in sentences)
    assert unloaded.model.torque == 0.0


def test_the_prior_stays_where_nothing_is_seen() -> None:
    record = record_of(Joint(7.4), MOTION.position.tolist())
    # Gravity and prior cancel: with the torque term kept from before, the rest is seen well.
    prior = replace(TRUE, kp=2.0 * TRUE.kp)
    found = identify(record, FitSettings(prior=prior))
    assert found.model.torque == pytest.approx(0.5 * TRUE.torque)


def test_the_report_is_data_without_nan(good: Identified, unloaded: Identified) -> None:
    for one in (good, unloaded):
        data = json.loads(json.dumps(report_data(one), allow_nan=False))
        assert data["joint"] == "joint"
        assert set(data["model"]) == set(one.model.numbers())
        assert data["held_out_rms"]["without_model"] > data["held_out_rms"]["with_model"]
        assert data["samples"]["used"] + data["samples"]["held_out"] <= data["samples"]["all"]
    assert data["confidence_95"]["torque"] is None
    assert data["not_excited"] == ["torque"]


def test_the_report_is_a_text(good: Identified, unloaded: Identified) -> None:
    text = report_text(good)
    for part in ("joint joint", "viscous", "condition", "held-out samples", "delay look alike"):
        assert part in text
    assert "not seen" not in text
    assert "torque                      0    not seen" in report_text(unloaded)


def test_a_model_that_makes_it_worse_is_said(good: Identified) -> None:
    worse = replace(good, after=2.0 * good.before)
    assert not worse.helps
    assert "worse than none" in findings(worse)[0]
    wanted = np.zeros(10)
    tried = Tracking(np.arange(10.0), wanted, wanted + 0.1, wanted + 0.2)
    assert not replace(good, tracking=tried).helps
    assert "a trial that was not fitted" in report_text(replace(good, tracking=tried))


def test_one_direction_and_constant_load_are_said_to_be_inseparable() -> None:
    record = record_of(Joint(7.4), (0.4 * np.arange(400) * PERIOD - 1.0).tolist())
    found = identify(replace(record, effort=np.full(400, 0.5)))
    (sentence,) = [s for s in findings(found) if "cannot be separated" in s]
    assert sentence.startswith("load and friction cannot be separated: ")
    assert "coulomb" in sentence and "torque" in sentence


def test_the_report_is_a_picture(good: Identified, unloaded: Identified, tmp_path: Path) -> None:
    wanted = np.zeros(10)
    tried = replace(good, tracking=Tracking(np.arange(10.0), wanted, wanted + 0.1, wanted))
    for number, one in enumerate((tried, unloaded)):
        file = tmp_path / f"{number}.png"
        draw_report(one, file)
        assert file.read_bytes().startswith(b"\x89PNG")
        assert file.stat().st_size > 20_000
    with pytest.raises(StrideError, match="cannot be written"):
        draw_report(good, tmp_path / "no" / "my.png")


def test_models_are_added_to_a_file(good: Identified, tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    write_model_file(file, ModelList([ServoModel("hip"), ServoModel("joint")]))
    write_models(file, [good])
    models = read_model_file(file)
    assert models.of("joint") == good.model and models.of("hip") == ServoModel("hip")
    file.write_text("[]")
    with pytest.raises(ConfigError):
        write_models(file, [good])


def test_reports_are_written_as_json(good: Identified, tmp_path: Path) -> None:
    write_report(tmp_path / "my.json", [good])
    assert json.loads((tmp_path / "my.json").read_text())["joints"][0]["helps"] is True
    with pytest.raises(StrideError, match="cannot be written"):
        write_report(tmp_path / "no" / "my.json", [good])


def test_files_of_several_joints_carry_their_names() -> None:
    assert file_of(Path("a/my.png"), "knee", 1) == Path("a/my.png")
    assert file_of(Path("a/my.png"), "knee", 2) == Path("a/my_knee.png")


@pytest.mark.parametrize(
    ("wrong", "field"), [({"goal_age": np.nan}, "goal_age"), ({"smoothing": -1.0}, "smoothing")]
)
def test_wrong_preparations_are_refused(wrong: dict, field: str) -> None:
    with pytest.raises(ConfigError, match=f"'{field}' is"):
        Preparation(**wrong)
