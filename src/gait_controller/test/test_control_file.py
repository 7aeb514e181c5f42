"""Which control files are refused, with which words, and which only warn."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from gait_controller import control_file
from stride_base.errors import MISSING, ConfigError, StrideError

Document = dict[str, Any]
ROLL = "servo 2 (s4_roll)"
WHEEL = "servo 3 (s9_wheel)"


def refusal(document: Document | str, folder: Path) -> ConfigError:
    """The error of a file that is written to disk and loaded."""
    file = folder / "robot.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    with pytest.raises(ConfigError) as caught:
        control_file.load(file)
    assert str(caught.value).startswith(f"{file}: ")
    return caught.value


def test_the_example_is_read_field_by_field(example: Document) -> None:
    control = control_file.parse(example, "robot.json")
    assert (control.file, control.format, control.robot) == ("robot.json", 3, "8servos-mid-trot")
    assert (control.fitness, control.control_hz, control.ramp_time) == (0.11, 50, 0.5)
    assert (control.load_full_scale, control.frequency) == (0.7, 1.31)
    assert control.names == ("s8_pitch", "s4_roll", "s9_wheel")
    for servo, written in zip(control.servos, example["servos"], strict=True):
        for field, value in written.items():
            assert getattr(servo, field) == value
    assert control.warnings == ()


def test_only_load_full_scale_has_a_default(example: Document) -> None:
    del example["load_full_scale"]
    assert control_file.parse(example).load_full_scale == 0.7


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("control_hz", 0, "an integer from 1 to 1000, Hz"),
        ("control_hz", -50, "an integer from 1 to 1000, Hz"),
        ("control_hz", 1001, "an integer from 1 to 1000, Hz"),
        ("control_hz", 50.0, "an integer from 1 to 1000, Hz"),
        ("control_hz", True, "an integer from 1 to 1000, Hz"),
        ("ramp_time", -0.1, "a number of 0 or more, s"),
        ("ramp_time", "0.5", "a number of 0 or more, s"),
        ("load_full_scale", 0, "a number greater than 0"),
        ("load_full_scale", -0.7, "a number greater than 0"),
        ("load_full_scale", None, "a number greater than 0"),
        ("frequency", -1.31, "a number of 0 or more, Hz"),
        ("frequency", True, "a number of 0 or more, Hz"),
        ("frequency", 2e6, "a magnitude of at most 1e+06"),
        ("robot", 8, "a text"),
        ("fitness", "good", "a number"),
        ("servos", [], "a list of at least one servo"),
        ("servos", {}, "a list of at least one servo"),
    ],
)
def test_wrong_value_of_the_robot_is_refused_by_field(
    example: Document, tmp_path: Path, field: str, value: Any, expected: str
) -> None:
    example[field] = value
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == ("", field, value)
    assert f"'{field}' is " in str(error)
    assert f"expected {expected}" in str(error)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("id", 0, "an integer from 1 to 253"),
        ("id", 254, "an integer from 1 to 253"),
        ("id", 2.0, "an integer from 1 to 253"),
        ("id", True, "an integer from 1 to 253"),
        ("name", "", "a non-empty text"),
        ("name", 7, "a non-empty text"),
        ("name", "a\n", "a non-empty text"),
        ("name", "a\ud800", "a text that can be written as UTF-8"),
        ("mode", "spin", '"position" or "wheel"'),
        ("mode", None, '"position" or "wheel"'),
        ("sign", 0, "1 or -1"),
        ("sign", 2, "1 or -1"),
        ("sign", 1.0, "1 or -1"),
        ("sign", True, "1 or -1"),
        ("zero", -1, "an integer from 0 to 4095"),
        ("zero", 4096, "an integer from 0 to 4095"),
        ("zero", 2048.0, "an integer from 0 to 4095"),
        ("zero", 2048.5, "an integer from 0 to 4095"),
        ("zero", True, "an integer from 0 to 4095"),
        ("amp1", -0.1, "a number of 0 or more, rad"),
        ("amp2", -1e-9, "a number of 0 or more, rad"),
        ("amp1", 1e7, "a magnitude of at most 1e+06"),
        ("phase1", "0", "a number, rad"),
        ("phase2", None, "a number, rad"),
        ("offset", [0.1], "a number, rad"),
        ("sigma", True, "a number, rad/s"),
        ("steer_gain", "0", "a number: the amplitudes"),
        ("steer_shift", None, "a number, rad"),
        ("max", "0.9", "a number, rad"),
        ("speed", 1.0, "no such field in mode position"),
    ],
)
def test_wrong_value_of_a_joint_is_refused_by_servo_and_field(
    example: Document, tmp_path: Path, field: str, value: Any, expected: str
) -> None:
    example["servos"][1][field] = value
    error = refusal(example, tmp_path)
    name = f"({value})" if isinstance(value, str) else "(no name)"
    places = {"id": "servo at place 2 (s4_roll)", "name": f"servo 2 {name}"}
    assert error.where == places.get(field, ROLL)
    assert (error.field, error.value) == (field, value)
    assert f"'{field}' is " in str(error)
    assert f"expected {expected}" in str(error)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("speed", "4", "a number, rad/s"),
        ("speed", True, "a number, rad/s"),
        ("steer_shift", None, "a number, rad/s"),
        ("steer_gain", "much", "a number; a wheel does not use it"),
        *[
            (field, 0, "no such field in mode wheel")
            for field in (
                *("amp1", "phase1", "amp2", "phase2", "offset", "sigma"),
                *("zero", "min", "max"),
            )
        ],
    ],
)
def test_wrong_value_of_a_wheel_is_refused_by_servo_and_field(
    example: Document, tmp_path: Path, field: str, value: Any, expected: str
) -> None:
    example["servos"][2][field] = value
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == (WHEEL, field, value)
    assert f"{WHEEL}: '{field}' is " in str(error)
    assert f"expected {expected}" in str(error)


@pytest.mark.parametrize(
    "field",
    ["format", "robot", "fitness", "control_hz", "ramp_time", "frequency", "servos"],
)
def test_missing_field_of_the_robot_is_refused(
    example: Document, tmp_path: Path, field: str
) -> None:
    del example[field]
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == ("", field, MISSING)
    assert f"'{field}' is missing; expected " in str(error)


@pytest.mark.parametrize(
    "field",
    [
        *("id", "name", "mode", "sign", "zero", "min", "max", "amp1", "phase1", "amp2", "phase2"),
        *("offset", "sigma", "steer_gain", "steer_shift"),
    ],
)
def test_missing_field_of_a_joint_is_refused(example: Document, tmp_path: Path, field: str) -> None:
    del example["servos"][1][field]
    error = refusal(example, tmp_path)
    place = {"id": "servo at place 2 (s4_roll)", "name": "servo 2 (no name)"}.get(field, ROLL)
    assert (error.where, error.field, error.value) == (place, field, MISSING)
    assert f"{place}: '{field}' is missing; expected " in str(error)


@pytest.mark.parametrize("field", ["speed", "sign", "steer_shift"])
def test_missing_field_of_a_wheel_is_refused(example: Document, tmp_path: Path, field: str) -> None:
    del example["servos"][2][field]
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == (WHEEL, field, MISSING)


def test_a_wheel_may_go_without_steer_gain(example: Document) -> None:
    del example["servos"][2]["steer_gain"]
    assert control_file.parse(example).servos[2].steer_gain == 0.0


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["amp1", "phase1", "sigma", "zero", "id", "max", "note"])
def test_a_number_that_is_none_is_refused_by_servo_and_field(
    example: Document, tmp_path: Path, field: str, number: str
) -> None:
    example["servos"][1][field] = "@"
    error = refusal(json.dumps(example).replace('"@"', number), tmp_path)
    assert "(s4_roll)" in error.where
    assert (error.field, repr(error.value)) == (field, number)
    assert "expected a finite number" in str(error)


@pytest.mark.parametrize("field", ["frequency", "ramp_time", "fitness", "format", "comment"])
def test_nan_of_the_robot_is_refused_by_field(
    example: Document, tmp_path: Path, field: str
) -> None:
    example[field] = float("nan")
    error = refusal(json.dumps(example), tmp_path)
    assert (error.where, error.field, repr(error.value)) == ("", field, "NaN")


def test_duplicate_key_of_a_servo_is_refused(example: Document, tmp_path: Path) -> None:
    text = json.dumps(example).replace('"amp1": 0.2,', '"amp1": 0.2, "amp1": 0.3,')
    error = refusal(text, tmp_path)
    assert (error.where, error.field, error.value) == (ROLL, "amp1", 0.3)
    assert "expected each key only once" in str(error)


def test_duplicate_key_of_the_robot_is_refused(example: Document, tmp_path: Path) -> None:
    text = json.dumps(example).replace('"format": 3,', '"format": 3, "format": 2,')
    assert refusal(text, tmp_path).field == "format"


def test_duplicate_id_is_refused(example: Document, tmp_path: Path) -> None:
    example["servos"][1]["id"] = 1
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == ("servo 1 (s4_roll)", "id", 1)
    assert "expected ids that differ; servos 1 and 2 of the list both have it" in str(error)


def test_duplicate_name_is_refused(example: Document, tmp_path: Path) -> None:
    example["servos"][2]["name"] = "s8_pitch"
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == ("servo 3 (s8_pitch)", "name", "s8_pitch")
    assert "expected names that differ; servos 1 and 3 of the list both have it" in str(error)


def test_min_above_max_is_refused(example: Document, tmp_path: Path) -> None:
    example["servos"][1]["min"] = 0.95
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == (ROLL, "min", 0.95)
    assert "expected at most 'max', which is 0.9 rad" in str(error)


def test_min_equal_to_max_holds_the_joint(example: Document) -> None:
    example["servos"][1].update(min=0.2, max=0.2)
    assert control_file.parse(example).servos[1].min == 0.2


@pytest.mark.parametrize(
    ("zero", "sign", "low", "high", "field", "reached"),
    [
        (500, 1, -0.9, 0.9, "min", -87),
        (500, -1, -0.9, 0.9, "max", -87),
        (3600, 1, -0.9, 0.9, "max", 4187),
        (3600, -1, -0.9, 0.9, "min", 4187),
        (2048, 1, 0.0, 3.14159265358979, "max", 4096),
        (0, 1, -0.001, 0.5, "min", -1),
    ],
)
def test_a_limit_out_of_the_range_of_steps_is_refused(
    example: Document,
    tmp_path: Path,
    zero: int,
    sign: int,
    low: float,
    high: float,
    field: str,
    reached: int,
) -> None:
    example["servos"][1].update(zero=zero, sign=sign, min=low, max=high)
    error = refusal(example, tmp_path)
    assert (error.where, error.field) == (ROLL, field)
    assert error.value == {"min": low, "max": high}[field]
    assert f"within steps 0 to 4095, and this one reaches step {reached} " in str(error)


@pytest.mark.parametrize(
    ("zero", "low", "high"),
    [
        (0, -0.0007, 0.5),  # -0.456 steps rounds to 0
        (4095, -0.5, 0.0007),  # 4095.456 steps rounds to 4095
        (2048, -3.141592653589793, 3.14),  # exactly step 0
    ],
)
def test_a_limit_within_half_a_step_of_the_range_is_fine(
    example: Document, zero: int, low: float, high: float
) -> None:
    example["servos"][1].update(zero=zero, min=low, max=high)
    control_file.parse(example)


@pytest.mark.parametrize("value", [1, 4, 0, -3, 3.0, 2.0, 1.0, True, "3", None, [3], {}])
def test_any_other_format_is_refused_by_name(example: Document, tmp_path: Path, value: Any) -> None:
    example["format"] = value
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == ("", "format", value)
    assert "formats 2 and 3 are read" in str(error)
    assert ("is no longer read" in str(error)) == (value == 1 and type(value) is int)


@pytest.mark.parametrize("document", [[], 3, "robot", None, [{"format": 3}]])
def test_a_document_that_is_no_object_is_refused(document: Any, tmp_path: Path) -> None:
    assert "expected an object that describes one robot" in str(
        refusal(json.dumps(document), tmp_path)
    )


@pytest.mark.parametrize("servo", [3, None, "s4_roll", [], {}])
def test_a_servo_that_is_no_servo_is_refused(example: Document, tmp_path: Path, servo: Any) -> None:
    example["servos"][1] = servo
    refusal(example, tmp_path)


@pytest.mark.parametrize("text", ["", "{", '{"format": 3', "\ufeff{}", "# robot"])
def test_what_is_no_json_is_refused_with_the_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    file.write_text(text)
    with pytest.raises(StrideError, match=r"robot\.json: is not JSON"):
        control_file.load(file)


@pytest.mark.parametrize("value", [0.4, "much", None, [1], True, 1e9])
def test_format_2_has_no_steering_whatever_the_file_says(example: Document, value: Any) -> None:
    example["format"] = 2
    for servo in example["servos"]:
        servo["steer_gain"] = servo["steer_shift"] = value
    control = control_file.parse(example)
    assert all(servo.steer_gain == servo.steer_shift == 0.0 for servo in control.servos)
    assert control.warnings == ()


def test_format_2_needs_no_steering_fields_but_sigma(example: Document, tmp_path: Path) -> None:
    example["format"] = 2
    for servo in example["servos"]:
        del servo["steer_gain"], servo["steer_shift"]
    assert control_file.parse(example).servos[1].steer_gain == 0.0
    del example["servos"][1]["sigma"]
    error = refusal(example, tmp_path)
    assert (error.where, error.field, error.value) == (ROLL, "sigma", MISSING)


def test_unknown_fields_warn(example: Document) -> None:
    example["colour"] = "red"
    example["servos"][1]["gear"] = {"ratio": 2}
    warnings = control_file.parse(example).warnings
    assert len(warnings) == 2
    assert "'colour'" in warnings[0]
    assert ROLL in warnings[1] and "'gear'" in warnings[1]


def test_an_id_that_is_not_the_place_in_the_list_warns(example: Document) -> None:
    example["servos"][1]["id"] = 20
    (warning,) = control_file.parse(example).warnings
    assert "servo 20 (s4_roll)" in warning and "its place in the list is 2" in warning


@pytest.mark.parametrize("sigma", [8.3, -8.3])
def test_sigma_that_can_stop_a_leg_warns(example: Document, sigma: float) -> None:
    example["servos"][1]["sigma"] = sigma
    (warning,) = control_file.parse(example).warnings
    assert ROLL in warning and "omega = 8.231 rad/s; a load of 1 can stop this leg" in warning


def test_no_feedback_never_warns_even_at_frequency_0(example: Document) -> None:
    example["frequency"] = 0
    for servo in example["servos"][:2]:
        servo["sigma"] = 0
    assert control_file.parse(example).warnings == ()


def test_a_speed_that_only_the_load_can_cause_warns(example: Document) -> None:
    # (0.5*1.25)*8.231 = 5.14 rad/s is cut to 4.71; the phase at omega + 1.2 brings 5.40.
    example["servos"][1]["amp1"] = 0.5
    (warning,) = control_file.parse(example).warnings
    assert ROLL in warning and "5.4 rad/s, more than 4.71 rad/s" in warning


def test_parsing_leaves_the_document_as_it_was(example: Document) -> None:
    before = copy.deepcopy(example)
    control_file.parse(example)
    assert example == before
