"""The JSON contract: what is read, filled in, refused and written."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joint_module import module_file, validation
from joint_module.contract import JointModule, Limits, Simulation
from stride_base.errors import ConfigError
from stride_base.strict_json import FileError


@pytest.fixture
def document(data: Path) -> dict[str, Any]:
    return json.loads((data / "joint_module_instance.json").read_text())


def _without_descriptions(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: _without_descriptions(v) for k, v in schema.items() if k != "description"}
    return [_without_descriptions(item) for item in schema] if isinstance(schema, list) else schema


def test_the_shipped_schema_is_the_seeds_with_descriptions(data: Path) -> None:
    seed = json.loads((data / "joint_module_schema.json").read_text())
    assert _without_descriptions(validation.SCHEMA) == seed


def test_the_seeds_instance_is_read_and_written_unchanged(
    document: dict[str, Any], tmp_path: Path
) -> None:
    module = validation.check(document, "module.json")
    module_file.write(module, tmp_path / "module.json")
    assert json.loads((tmp_path / "module.json").read_text()) == document
    assert module_file.read(tmp_path / "module.json") == module


def test_defaults_are_filled_in_by_code(document: dict[str, Any]) -> None:
    document["simulation"] = {}
    module = validation.check(document, "module.json")
    assert module.simulation == Simulation()
    assert module.to_document()["simulation"] == {
        "timestep": 0.001,
        "duration": 4.0,
        "kp": 20.0,
        "kd": 0.3,
        "amplitude": 6.283185307179586,
        "frequency": 0.25,
        "load_torque": -3.0,
        "damping": 0.01,
        "mode": "normal",
    }


def test_name_and_velocity_may_be_left_out(document: dict[str, Any]) -> None:
    del document["name"], document["limits"]["velocity"]
    module = validation.check(document, "module.json")
    assert module.name is None and module.limits.velocity is None
    assert module.to_document() == document


REFUSED = {
    "a_missing_field": (("module_id",), None, "'module_id' is missing"),
    "an_unknown_field": (("teeth",), 12, "'teeth'"),
    "an_unknown_limit": (("limits", "acceleration"), [-1.0, 1.0], "'acceleration'"),
    "an_unknown_simulation_parameter": (("simulation", "gravity"), 9.81, "'gravity'"),
    "an_empty_id": (("module_id",), " ", "'module_id'"),
    "an_empty_joint_name": (("input_joint",), "", "'input_joint'"),
    "a_ratio_of_zero": (("gear_ratio",), 0, "'gear_ratio'"),
    "a_negative_ratio": (("gear_ratio",), -6.0, "'gear_ratio'"),
    "a_ratio_in_words": (("gear_ratio",), "6", "'gear_ratio'"),
    "a_ratio_that_is_true": (("gear_ratio",), True, "'gear_ratio'"),
    "an_unknown_source_of_the_ratio": (("gear_ratio_source",), "guessed", "'gear_ratio_source'"),
    "an_output_that_is_the_input": (("output_joint",), "sun_input_joint", "'output_joint'"),
    "missing_torque_limits": (("limits", "torque"), None, "'torque' is missing"),
    "limits_of_one_number": (("limits", "position"), [1.0], "'position'"),
    "limits_of_three_numbers": (("limits", "position"), [1.0, 2.0, 3.0], "'position'"),
    "limits_upside_down": (("limits", "position"), [1.0, -1.0], "'position'"),
    "limits_without_width": (("limits", "torque"), [0.0, 0.0], "'torque'"),
    "velocity_limits_upside_down": (("limits", "velocity"), [1.0, -1.0], "'velocity'"),
    "a_timestep_of_zero": (("simulation", "timestep"), 0.0, "'timestep'"),
    "a_negative_duration": (("simulation", "duration"), -1.0, "'duration'"),
    "a_duration_below_the_timestep": (("simulation", "duration"), 1e-4, "'duration'"),
    "a_simulation_of_many_years": (("simulation", "duration"), 1e9, "'duration'"),
    "negative_damping": (("simulation", "damping"), -0.1, "'damping'"),
    "a_negative_gain": (("simulation", "kp"), -1.0, "'kp'"),
    "an_unknown_mode": (("simulation", "mode"), "turbo", "'mode'"),
    "a_model_in_a_folder": (("model",), "models/gear.xml", "'model'"),
    "a_model_above": (("model",), "../gear.xml", "'model'"),
    "an_absolute_model": (("model",), "/etc/gear.xml", "'model'"),
    "a_model_in_a_windows_folder": (("model",), "models\\gear.xml", "'model'"),
    "a_model_on_another_drive": (("model",), "c:gear.xml", "'model'"),
    "a_model_that_is_a_folder": (("model",), "..", "'model'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_validate_refuses(case: str, document: dict[str, Any], tmp_path: Path) -> None:
    (*path, last), value, message = REFUSED[case]
    part = document
    for key in path:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    file = tmp_path / "module.json"
    file.write_text(json.dumps(document))
    with pytest.raises(ConfigError) as caught:
        module_file.read(file)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["gear_ratio", "load_torque", "position"])
def test_numbers_that_json_does_not_know_are_refused(
    field: str, number: str, document: dict[str, Any], tmp_path: Path
) -> None:
    text = json.dumps(document, indent=1)
    lines = [
        f'"{field}": {number},'
        if line.strip().startswith(f'"{field}": ') and "[" not in line
        else line
        for line in text.splitlines()
    ]
    if field == "position":
        lines = [line.replace("-37.6991118431", number) for line in lines]
    (tmp_path / "module.json").write_text("\n".join(lines))
    with pytest.raises(ConfigError, match="finite"):
        module_file.read(tmp_path / "module.json")


def test_nan_in_a_typed_module_is_not_written(document: dict[str, Any], tmp_path: Path) -> None:
    document["simulation"]["kp"] = math.nan
    module = JointModule.from_document(document)
    with pytest.raises(ConfigError, match="'kp'"):
        module_file.write(module, tmp_path / "module.json")
    assert not (tmp_path / "module.json").exists()


def test_a_field_given_twice_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(document).replace('"gear_ratio": 6.0', '"gear_ratio": 6.0, "gear_ratio": 7.0')
    (tmp_path / "module.json").write_text(text)
    with pytest.raises(ConfigError, match="only once"):
        module_file.read(tmp_path / "module.json")


def test_text_that_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "module.json").write_text('{\n"module_id": }')
    with pytest.raises(FileError, match="line 2"):
        module_file.read(tmp_path / "module.json")


def test_a_document_that_is_a_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="document"):
        validation.check([], "module.json")


def test_the_seeds_own_reference_is_warned_to_pass_its_velocity_limit(
    document: dict[str, Any],
) -> None:
    warnings = validation.warnings_of(validation.check(document, "module.json"))
    assert len(warnings) == 1
    assert "9.87 rad/s" in warnings[0] and "6.283" in warnings[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"amplitude": 50.0, "frequency": 0.01}, "leaves the position limits"),
        ({"load_torque": -61.0, "frequency": 0.1}, "beyond its torque limits"),
        ({"kp": 0.0, "frequency": 0.1}, "nothing holds"),
    ],
)
def test_scenarios_that_the_limits_forbid_are_warned_of(
    change: dict[str, float], words: str, document: dict[str, Any]
) -> None:
    document["simulation"] |= change
    (warning,) = validation.warnings_of(validation.check(document, "module.json"))
    assert words in warning


def test_a_step_up_gear_is_warned_of(document: dict[str, Any]) -> None:
    changed = copy.deepcopy(document) | {"gear_ratio": 0.5}
    assert any(
        "below 1" in warning
        for warning in validation.warnings_of(validation.check(changed, "module.json"))
    )


finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
text = st.text(min_size=1).filter(lambda word: word.strip() != "")
bare = st.text("abc.-_äß 关节", min_size=1).filter(
    lambda name: name == name.strip() and name not in (".", "..")
)
pairs = st.tuples(finite, finite).filter(lambda pair: pair[0] < pair[1])


@given(
    names=st.tuples(text, bare, text, text).filter(lambda names: names[2] != names[3]),
    ratio=st.floats(1e-9, 1e9),
    source=st.sampled_from(["mimic", "calibrated", "manual"]),
    limits=st.builds(Limits, position=pairs, torque=pairs, velocity=st.none() | pairs),
    load=finite,
    name=st.none() | st.text(),
)
def test_every_valid_module_survives_a_round_trip(
    names: Any, ratio: float, source: Any, limits: Limits, load: float, name: str | None
) -> None:
    module_id, model, input_joint, output_joint = names
    module = JointModule(
        module_id=module_id,
        model=model,
        input_joint=input_joint,
        output_joint=output_joint,
        gear_ratio=ratio,
        gear_ratio_source=source,
        limits=limits,
        simulation=Simulation(load_torque=load),
        name=name,
    )
    written = module_file.text(module)
    assert validation.check(json.loads(written), "module.json") == module


json_values = st.recursive(
    st.none() | st.booleans() | finite | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    key=st.sampled_from(["model", "limits", "simulation", "gear_ratio", "name"]), value=json_values
)
def test_any_json_is_either_a_module_or_refused_with_a_sentence(key: str, value: Any) -> None:
    document = {
        "module_id": "gear",
        "model": "gear.xml",
        "input_joint": "motor",
        "output_joint": "output",
        "gear_ratio": 6.0,
        "gear_ratio_source": "mimic",
        "limits": {"position": [-1.0, 1.0], "torque": [-1.0, 1.0]},
        "simulation": {},
        key: value,
    }
    try:
        validation.check(document, "module.json")
    except ConfigError as error:
        assert "expected" in str(error)
