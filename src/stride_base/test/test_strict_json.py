"""What JSON files are refused, and how the message reads."""

import pytest

from stride_base import strict_json
from stride_base.errors import ConfigError


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "9" * 400])
def test_numbers_that_no_float_holds_are_refused_by_field(number: str) -> None:
    text = f'{{"servos": [{{"id": 2, "name": "s4_roll", "sigma": {number}}}]}}'
    with pytest.raises(ConfigError) as caught:
        strict_json.loads(text, "robot.json")
    assert caught.value.field == "sigma"
    assert str(caught.value).startswith("robot.json: servo 2 (s4_roll): 'sigma' is")
    assert "expected a finite number" in str(caught.value)


def test_a_long_integer_is_a_number() -> None:
    """Seeds of random numbers, which exporters write beside the robot, have up to 39 digits."""
    seed = 339282366920938463463374607431768211455
    assert strict_json.loads(f'{{"seed": {seed}}}') == {"seed": seed}


def test_bad_number_in_an_array_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"\[1\]"):
        strict_json.loads('{"a": [1, NaN]}')


def test_duplicate_key_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="'id' is 2; expected each key only once"):
        strict_json.loads('{"id": 1, "id": 2}')


def test_duplicate_key_in_a_servo_names_the_servo() -> None:
    text = '{"servos": [{"id": 7, "name": "s1_yaw", "amp1": 0.1, "amp1": 0.2}]}'
    with pytest.raises(ConfigError, match=r"servo 7 \(s1_yaw\): 'amp1' is 0.2; expected each key"):
        strict_json.loads(text)


def test_fault_in_a_servo_without_a_name_gives_its_id() -> None:
    with pytest.raises(ConfigError, match=r"servo 7 \(no name\): 'amp1' is NaN"):
        strict_json.loads('{"servos": [{"id": 7, "amp1": NaN}]}')


def test_broken_text_names_line_and_column() -> None:
    with pytest.raises(strict_json.FileError, match=r"x\.json: is not JSON: .* line 2, column 1"):
        strict_json.loads('{"a":\n}', "x.json")


def test_missing_file_says_so(tmp_path) -> None:
    with pytest.raises(strict_json.FileError, match="cannot be read: No such file"):
        strict_json.load(tmp_path / "none.json")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(strict_json.FileError, match="nested too deeply"):
        strict_json.loads("[" * 100_000)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (r'{"robot": "\ud800"}', "'robot' is '\\ud800'"),
        (r'{"a\udfff": 1}', r"'a\udfff' is 1"),
        (r'["\ud800"]', r"'[0]' is '\ud800'"),
        (r'"\ud800"', r"'document' is '\ud800'"),
    ],
)
def test_half_of_a_surrogate_pair_which_nobody_can_write_is_refused(text: str, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        strict_json.loads(text, "robot.json")
    assert field in str(caught.value)
    str(caught.value).encode()


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert strict_json.loads(r'"\ud83e\uddbf"') == "\U0001f9bf"


@pytest.mark.parametrize("depth", [101, 500, 990, 2000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_beyond_any_robot_is_refused(depth: int, opening: str, closing: str) -> None:
    text = opening * depth + "1" + closing * depth
    with pytest.raises(strict_json.FileError, match="nested too deeply"):
        strict_json.loads(text)


def test_a_message_is_one_printable_line_whatever_the_names_are() -> None:
    with pytest.raises(ConfigError) as caught:
        strict_json.loads(r'{"id": 1, "name": "a\n\u001b[2J", "zero": NaN}', "robot.json")
    assert r"robot.json: servo 1 (a\n\x1b[2J): 'zero' is NaN" in str(caught.value)
