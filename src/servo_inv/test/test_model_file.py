"""Model files: the shipped sets, what is refused, and that what is written is read again."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from servo_inv.model_file import model_text, parse_models, read_model_file, write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError, StrideError
from stride_base.strict_json import FileError

SETS = Path(__file__).parents[3] / "config" / "servo_models"
NUMBERS = (
    "kp: 2.0, kgear: 1.0, viscous: 0.1, inertia: 0.2, coulomb: 0.3, stribeck: 0.4, torque: 0.5, "
    "stribeck_velocity: 0.6, stribeck_exponent: 0.7"
)


@pytest.mark.parametrize(
    ("file", "numbers"),
    [
        ("herkulex_drs", (100, 1, 47.6362, 0, 5.6982, 10.7630, 309.4697, 0.3, 1)),
        ("dynamixel_mx106", (32, 1, 16.61856, 0, -0.069, 0.821193, 5.1, 0.1, 1)),
        (
            "sts3215_7v4",
            (5.3239, 1, 1.31064, 0.054638, 0.081100, 0.055602, 2.12268, 0.1433, 10),
        ),
    ],
)
def test_the_shipped_sets_hold_the_published_numbers(file: str, numbers: tuple) -> None:
    models = read_model_file(SETS / f"{file}.yaml")
    assert models.of("any joint") == ServoModel("any joint", *numbers)


def test_every_shipped_set_is_a_good_model_file() -> None:
    files = sorted(SETS.glob("*.yaml"))
    assert len(files) >= 3
    for file in files:
        read_model_file(file)


def test_a_file_holds_models_by_joint_and_a_default() -> None:
    text = (
        f"about: mine\ndefault: {{{NUMBERS}}}\njoints:\n  knee: {{{NUMBERS}}}\n  hip: {{{NUMBERS}}}"
    )
    models = parse_models(text.replace("kp: 2.0", "kp: 3", 1), "my.yaml")
    assert [model.name for model in models] == ["knee", "hip"]
    numbers = (1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert models.of("hip") == ServoModel("hip", 2.0, *numbers)
    assert models.of("toe") == ServoModel("toe", 3.0, *numbers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "my.yaml: 'document' is null; expected a mapping with"),
        ("[1]", r"my.yaml: 'document' is \[1\]; expected a mapping with"),
        ("about: nothing", "my.yaml: 'joints' is missing; expected a mapping"),
        ("joints: [knee]", r"my.yaml: 'joints' is \['knee'\]; expected a mapping"),
        ("joints: {knee: 5}", "my.yaml: 'knee' is 5; expected a mapping with the numbers"),
        ("default: 1", "my.yaml: 'default' is 1; expected a mapping"),
        ("about: 1\ndefault: {}", "my.yaml: 'about' is 1; expected a text"),
        ("joint: {}", "my.yaml: 'joint' is {}; expected only about, default, joints"),
        (
            f"joints:\n  knee: {{{NUMBERS}}}\n  knee: {{{NUMBERS}}}",
            "my.yaml: line 3: 'knee' is .*; expected each key only once",
        ),
        (
            f"joints: {{knee: {{{NUMBERS}, kp: 3.0}}}}",
            "my.yaml: line 1: 'kp' is 3.0; expected each key only once",
        ),
        (
            f"joints: {{knee: {{{NUMBERS.replace('0.6', '.nan')}}}}}",
            "my.yaml: servo model of joint 'knee': 'stribeck_velocity' is nan; expected a number",
        ),
        (
            f"default: {{{NUMBERS.replace('kp: 2.0', 'kp: -.inf')}}}",
            "my.yaml: servo model of joint 'default': 'kp' is -inf; expected a number greater",
        ),
        (
            f"joints: {{'': {{{NUMBERS}}}}}",
            "my.yaml: .*: 'name' is ''; expected the name of a joint",
        ),
        (
            f"joints: {{knee: {{{NUMBERS.replace('kp: 2.0, ', '')}}}}}",
            "my.yaml: servo model of joint 'knee': 'kp' is missing",
        ),
        (
            f"joints: {{knee: {{{NUMBERS}, alpha: 1}}}}",
            "my.yaml: servo model of joint 'knee': 'alpha' is 1; expected only the fields",
        ),
        (
            f"joints: {{knee: {{{NUMBERS.replace('0.1', '1' + '0' * 400)}}}}}",
            "my.yaml: servo model of joint 'knee': 'viscous' is inf; expected a number",
        ),
    ],
)
def test_wrong_files_are_refused_by_file_joint_and_field(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_models(text, "my.yaml")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.yaml: cannot be read: No such file"):
        read_model_file(tmp_path / "none.yaml")


NUMBER = st.floats(-1e6, 1e6)
ABOVE = st.floats(1e-3, 1e6)
MODEL = st.builds(
    ServoModel,
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1),
    *[ABOVE] * 2,
    *[NUMBER] * 5,
    *[ABOVE] * 2,
)


@example([ServoModel("0e0")], None)
@given(st.lists(MODEL, unique_by=lambda model: model.name), st.none() | MODEL)
def test_what_is_written_is_read_again(
    models: list[ServoModel], default: ServoModel | None
) -> None:
    again = parse_models(model_text(ModelList(models, default), "what it is"), "my.yaml")
    assert list(again) == models
    assert again.of("\0") == ModelList([], default).of("\0")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    models = ModelList([ServoModel("knee")])
    with pytest.raises(StrideError, match=r"no/my\.yaml: cannot be written: No such file"):
        write_model_file(tmp_path / "no" / "my.yaml", models)
    write_model_file(tmp_path / "my.yaml", models)
    assert list(read_model_file(tmp_path / "my.yaml")) == [ServoModel("knee")]
