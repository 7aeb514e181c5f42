"""The model list of the node, from parameters and file."""

from pathlib import Path

import pytest

from servo_inv.model_file import write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from servo_inv.seven_param_settings import model_list
from stride_base.errors import ConfigError

MODEL = ServoModel("knee", 5.0, 1.0, 1.0, 0.0, 0.1, 0.1, 2.0, 0.1, 2.0)


def flat(model: ServoModel) -> dict[str, object]:
    return {f"servo_models.{model.name}.{field}": v for field, v in model.numbers().items()}


def test_parameters_are_named_by_joint_and_field() -> None:
    other = ServoModel("left.hip.1")
    models = model_list("node", {"period": 0.02, **flat(MODEL), **flat(other)}, "")
    assert list(models) == [MODEL, other]
    assert models.default is None


def test_parameters_and_file_are_one_list(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    write_model_file(file, ModelList([ServoModel("hip")], default=MODEL))
    models = model_list("node", flat(MODEL), str(file))
    assert [model.name for model in models] == ["hip", "knee"]
    assert models.default is not None


def test_a_joint_in_parameters_and_file_is_a_duplicate(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    write_model_file(file, ModelList([MODEL]))
    with pytest.raises(ConfigError, match=r"node: 'servo_models\.knee' is .*my\.yaml"):
        model_list("node", flat(MODEL), str(file))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"servo_models.knee.kp": 0.0}, "node: .* 'knee': 'kp' is 0.0; expected a number greater"),
        ({"servo_models.knee.kp": "5"}, "node: .* 'knee': 'kp' is '5'; expected a number greater"),
        ({"servo_models.knee.kpp": 1.0}, "node: .* 'knee': 'kpp' is 1.0; expected only the fields"),
        ({"servo_models.hip.kp": 1.0}, "node: .* 'hip': 'kgear' is missing"),
        ({"servo_models.kp": 1.0}, "'servo_models.kp' is 1.0; expected parameters servo_models.<"),
        ({"servo_models": ["knee"]}, "'servo_models' is .*; expected parameters servo_models.<"),
    ],
)
def test_wrong_parameters_are_refused_by_joint_and_field(change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        model_list("node", {**flat(MODEL), **change}, "")
