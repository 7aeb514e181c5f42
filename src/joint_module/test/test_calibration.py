"""A gear ratio from measured motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joint_module import calibration
from joint_module.errors import MeasurementError
from joint_module.generate import generate
from stride_base.strict_json import FileError

TURN = np.sin(np.linspace(0.0, 6.0, 200))


@given(
    ratio=st.floats(0.01, 1000.0),
    offset=st.floats(-10.0, 10.0),
    amplitude=st.floats(0.1, 100.0),
    phase=st.floats(0.0, 6.0),
)
def test_any_constant_ratio_is_found_whatever_the_zeros(
    ratio: float, offset: float, amplitude: float, phase: float
) -> None:
    q_in = amplitude * np.sin(np.linspace(phase, phase + 6.0, 100))
    found = calibration.ratio_from_motion(q_in, q_in / ratio + offset)
    assert found == pytest.approx(ratio, rel=1e-6)


def test_the_input_may_pass_zero_where_a_mean_of_quotients_would_divide_by_it() -> None:
    q_in = np.array([-1.0, 0.0, 1.0])
    assert calibration.ratio_from_motion(q_in, q_in / 6.0) == 6.0


def test_noise_of_an_encoder_averages_out() -> None:
    q_in = 6.0 * TURN
    noise = np.random.default_rng(1).normal(0.0, 0.01, q_in.shape)
    assert calibration.ratio_from_motion(q_in, TURN + noise) == pytest.approx(6.0, rel=0.002)


def test_an_output_that_stands_still_is_refused() -> None:
    with pytest.raises(MeasurementError, match="does not follow"):
        calibration.ratio_from_motion(TURN, np.zeros_like(TURN))


def test_an_output_that_turns_against_the_input_is_refused() -> None:
    with pytest.raises(MeasurementError, match="against the input"):
        calibration.ratio_from_motion(TURN, -TURN)


def test_a_relation_that_is_no_constant_ratio_is_refused() -> None:
    with pytest.raises(MeasurementError, match="constant ratio"):
        calibration.ratio_from_motion(TURN, np.cumsum(TURN))


@pytest.mark.parametrize(
    ("q_in", "q_out"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        ([1.0, 2.0, 3.0], [1.0, 2.0]),
        ([], []),
        ([[1.0, 2.0, 3.0]], [[1.0] * 3]),
    ],
)
def test_too_little_is_refused(q_in: list[float], q_out: list[float]) -> None:
    with pytest.raises(MeasurementError, match="at least 3 samples"):
        calibration.ratio_from_motion(np.array(q_in), np.array(q_out))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_angles_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(MeasurementError, match="finite"):
        calibration.ratio_from_motion(np.append(TURN, bad), np.append(TURN, 1.0))


def _csv(tmp_path: Path, text: str) -> Path:
    (tmp_path / "log.csv").write_text(text)
    return tmp_path / "log.csv"


def test_a_recording_may_hold_other_columns_in_any_order(tmp_path: Path) -> None:
    rows = "\n".join(f"{step},{q / 8.0:.9f},{q:.9f}" for step, q in enumerate(TURN))
    path = _csv(tmp_path, f"step,q_out,q_in\n{rows}\n")
    assert calibration.ratio_from_recording(path) == pytest.approx(8.0, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column q_in, q_out"),
        ("q_in,angle\n1,2\n", "no column q_out"),
        ("q_in,q_out\n1,2\nx,3\n", "line 3 holds 'x'"),
        ("q_in,q_out\n1,2\nnan,3\n", "line 3 holds 'nan'"),
        ("q_in,q_out\n1,2\n3\n", "line 3"),
        ("q_in,q_out\n", "at least 3 samples"),
    ],
)
def test_a_wrong_recording_is_refused(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match=words):
        calibration.ratio_from_recording(_csv(tmp_path, text))


def test_a_recording_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(b"q_in,q_out\n\xff\xfe\n")
    with pytest.raises(MeasurementError, match="no CSV"):
        calibration.ratio_from_recording(tmp_path / "log.csv")


def test_a_missing_recording_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        calibration.ratio_from_recording(tmp_path / "log.csv")


def test_a_recording_of_a_gigabyte_is_refused_unread(tmp_path: Path) -> None:
    path = _csv(tmp_path, "q_in,q_out\n")
    with path.open("r+b") as file:
        file.truncate(2**30)
    with pytest.raises(MeasurementError, match="more than"):
        calibration.ratio_from_recording(path)


def test_the_reference_module_measures_six_whatever_its_file_says(
    planetary: Path, tmp_path: Path
) -> None:
    generated = generate(planetary, tmp_path)
    module = replace(generated.module, gear_ratio=3.0)
    measured = calibration.ratio_from_model(module, generated.model)
    assert measured == pytest.approx(6.0, rel=1e-7)


def test_an_uncoupled_model_has_no_ratio(planetary: Path, tmp_path: Path) -> None:
    generated = generate(planetary, tmp_path)
    text = generated.model.read_text()
    start, end = text.index("<equality>"), text.index("</equality>") + len("</equality>")
    generated.model.write_text(text[:start] + text[end:])
    with pytest.raises(MeasurementError, match="does not follow"):
        calibration.ratio_from_model(generated.module, generated.model)
