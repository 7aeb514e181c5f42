"""robot.yaml: what it may say, and how mistakes are answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from stride_base.errors import ConfigError
from stride_base.strict_json import FileError
from stride_bringup.parameter_file import ParameterFile, load

SOURCE = "it is control_hz of control.json"
NODES = {"gait_controller": {"rate": SOURCE}, "sts3215_driver": {}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "robot.yaml"


def read(file: Path, text: str) -> ParameterFile:
    file.write_text(text)
    return load(file, NODES)


def section(body: str, key: str = "/**/gait_controller") -> str:
    return f"{key}:\n  ros__parameters:\n    {body}\n"


def test_own_values_come_before_those_of_every_node(file: Path) -> None:
    text = section("stall_torque: 2.94", "/**") + section("stall_torque: 3.5")
    parameters = read(file, text)
    assert parameters.of_node("gait_controller") == {"stall_torque": 3.5}
    assert parameters.of_node("sts3215_driver") == {"stall_torque": 2.94}


def test_an_empty_file_sets_nothing(file: Path) -> None:
    assert read(file, "# nothing yet\n").of_node("gait_controller") == {}


def test_nested_names_are_joined_by_dots(file: Path) -> None:
    parameters = read(file, section("limits: {knee: {max: 1}}"))
    assert parameters.of_node("gait_controller") == {"limits.knee.max": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e6", 1e6), ("2.5E-3", 2.5e-3), ("-.5e1", -5.0), ("3", 3), ("1.0", 1.0), ("yes", True)],
)
def test_numbers_are_read_as_ros_reads_them(file: Path, text: str, value: object) -> None:
    found = read(file, section(f"a: {text}")).of_node("gait_controller")["a"]
    assert found == value and type(found) is type(value)


def test_an_unknown_node_lists_those_that_exist(file: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(file, section("lead: 0.1", "/**/gait_controler"))
    assert caught.value.field == "/**/gait_controler"
    assert "only the keys /**, /**/gait_controller, /**/sts3215_driver" in str(caught.value)


@pytest.mark.parametrize(
    "key", ["gait_controller", "/gait_controller", "/left/gait_controller", "/*", "'5'"]
)
def test_other_shapes_of_keys_are_refused(file: Path, key: str) -> None:
    with pytest.raises(ConfigError, match="only the keys"):
        read(file, section("lead: 0.1", key))


@pytest.mark.parametrize(
    "content", ["5", "[]", "{}", "{lead: 0.1}", "{ros__parameters: {}, lead: 0.1}"]
)
def test_a_section_has_ros__parameters_and_nothing_else(file: Path, content: str) -> None:
    with pytest.raises(ConfigError, match="expected one key ros__parameters below it"):
        read(file, f"/**/gait_controller: {content}")


@pytest.mark.parametrize("value", ["[1, 2]", "null", ".nan", ".inf", "2024-05-01"])
def test_a_value_that_no_node_takes_is_named(file: Path, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(file, section(f"lead: {value}"))
    assert (caught.value.where, caught.value.field) == ("/**/gait_controller", "lead")
    assert "expected true, false, a finite number or a text" in str(caught.value)


@pytest.mark.parametrize("key", ["/**", "/**/gait_controller"])
def test_what_the_stack_computes_is_refused_with_its_source(file: Path, key: str) -> None:
    with pytest.raises(
        ConfigError, match=r"no rate in this file: it is control_hz of control\.json"
    ):
        read(file, section("rate: 100", key))


def test_a_node_may_have_a_parameter_of_that_name_of_its_own(file: Path) -> None:
    parameters = read(file, section("rate: 25.0", "/**/sts3215_driver"))
    assert parameters.of_node("sts3215_driver") == {"rate": 25.0}


def test_a_key_that_stands_there_twice_is_refused(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"line 4: .lead. is 0\.2; expected each key only once"):
        read(file, section("lead: 0.1\n    lead: 0.2"))


@pytest.mark.parametrize("text", ["a: [", "\t", "a: b: c", "? [1]\n: 2", "&a [*b]", "a: \x07"])
def test_what_is_no_yaml_says_so(file: Path, text: str) -> None:
    with pytest.raises((FileError, ConfigError), match=r"robot\.yaml: "):
        read(file, text)


def test_a_file_that_is_not_there_says_so(file: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        load(file, NODES)


def test_a_file_that_is_no_text_says_so(file: Path) -> None:
    file.write_bytes(b"/**: \xff")
    with pytest.raises(FileError, match="is not UTF-8 text"):
        load(file, NODES)


PARAMETERS = {
    "gait_controller": ("rate", "approach_speed", "steering_rate_limit", "stall_torque"),
    "sts3215_driver": ("rate", "stall_torque", "latency"),
}


def read_checked(file: Path, text: str) -> ParameterFile:
    file.write_text(text)
    return load(file, NODES, PARAMETERS)


def test_a_misspelt_parameter_is_refused_with_the_nearest_names(file: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_checked(file, section("steering_rate_limt: 4.0"))
    error = caught.value
    assert (error.where, error.field) == ("/**/gait_controller", "steering_rate_limt")
    assert str(file) in str(error)
    assert "a parameter of gait_controller; nearest: steering_rate_limit" in str(error)


def test_a_name_like_none_is_answered_with_all_that_there_are(file: Path) -> None:
    with pytest.raises(ConfigError, match="there are latency, rate, stall_torque"):
        read_checked(file, section("xyz: 4.0", "/**/sts3215_driver"))


def test_in_the_section_of_every_node_one_must_know_it(file: Path) -> None:
    text = section("latency: 0.01", "/**")
    assert read_checked(file, text).of_node("gait_controller") == {"latency": 0.01}
    with pytest.raises(ConfigError, match="a parameter of any node; nearest: latency"):
        read_checked(file, section("latancy: 0.01", "/**"))


def test_the_parameter_of_another_node_is_none_of_this(file: Path) -> None:
    with pytest.raises(ConfigError, match="a parameter of gait_controller; there are"):
        read_checked(file, section("latency: 0.01"))


@pytest.mark.parametrize(
    "body",
    [
        "use_sim_time: true",
        "start_type_description_service: false",
        "qos_overrides: {/goals: {subscription: {depth: 5}}}",
    ],
)
@pytest.mark.parametrize("key", ["/**", "/**/gait_controller"])
def test_parameters_of_ros_itself_are_taken(file: Path, body: str, key: str) -> None:
    assert read_checked(file, section(body, key)).of_node("gait_controller")


def test_a_family_of_names_is_known_by_its_begin(file: Path) -> None:
    file.write_text(section("servo_models: {knee: {kp: 5.0}}"))
    parameters = {"gait_controller": ("servo_models.",)}
    assert load(file, NODES, parameters).of_node("gait_controller") == {"servo_models.knee.kp": 5.0}


def test_a_misspelt_node_is_answered_with_the_nearest(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"; nearest: /\*\*/gait_controller"):
        read(file, section("lead: 0.1", "/**/gait_controler"))
