"""Putting servos together from words and files, and what is said when that cannot be."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from stride_base.errors import ConfigError, StrideError
from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.cli import main
from sts3215_driver.emulator.profile import load_profile
from sts3215_driver.emulator.servo_file import Joint, load_joints, start_pose

SERVO = {"id": 1, "name": "a_pitch", "mode": "position", "zero": 2048, "sign": 1}


def file_with(folder: Path, *servos: dict) -> Path:
    path = folder / "robot.json"
    path.write_text(json.dumps({"format": 3, "robot": "x", "servos": list(servos)}))
    return path


def test_servo_file_gives_ids_wheels_and_the_zero_pose(tmp_path: Path) -> None:
    path = file_with(
        tmp_path,
        {**SERVO, "id": 3, "zero": 1900, "min": -0.5, "max": 1.0, "sign": -1},
        {"id": 7, "name": "b_wheel", "mode": "wheel", "speed": 1.0, "sign": 1},
    )
    joints = load_joints(path)
    assert joints == [
        Joint(3, False, 1900, 1248, 2226, "a_pitch", -1),
        Joint(7, True, name="b_wheel"),
    ]
    bus = build_bus(Setup(joints=joints))
    memories = [servo.memory for servo in bus.bank.servos]
    bus.bank.publish()
    assert [memory.get("id") for memory in memories] == [3, 7]
    assert [memory.get("operating_mode") for memory in memories] == [0, 1]
    assert [memory.get("present_position") for memory in memories] == [1900, 2048]
    assert memories[1].stored("operating_mode") == 1
    assert bus.bank.plant.state.position == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"id": 254}, "'id' is 254; expected a servo id from 0 to 253"),
        ({"mode": "spin"}, "'mode' is 'spin'; expected position or wheel"),
        ({"zero": 4096}, "'zero' is 4096; expected the encoder step at 0 rad"),
    ],
)
def test_servo_file_that_makes_no_sense_is_refused(
    tmp_path: Path, change: dict, complaint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_joints(file_with(tmp_path, {**SERVO, **change}))
    assert complaint in str(caught.value)
    assert "(a_pitch)" in caught.value.where


def test_a_limit_beyond_all_steps_leaves_the_whole_range(tmp_path: Path) -> None:
    (joint,) = load_joints(file_with(tmp_path, {**SERVO, "min": -1.7e308, "max": 1.7e308}))
    assert (joint.lowest, joint.highest) == (0, 4095)


def test_an_id_twice_is_refused_by_servo(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_joints(file_with(tmp_path, SERVO, {**SERVO, "name": "b_pitch"}))
    assert caught.value.where == f"servo {SERVO['id']} (b_pitch)"


def test_servo_file_with_an_id_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="each id only once"):
        load_joints(file_with(tmp_path, SERVO, SERVO))


def test_poses() -> None:
    joints = [Joint(1, zero=2000, lowest=1800, highest=2200), Joint(2)]
    assert start_pose(joints, "zero", 0) == [2000, 2048]
    assert start_pose(joints, "100", 0) == [100, 100]
    random = [start_pose(joints, "random", seed) for seed in range(50)]
    assert all(1800 <= first <= 2200 and 0 <= second <= 4095 for first, second in random)
    assert len({tuple(pose) for pose in random}) > 40
    for bad in ("5000", "-1", "up", ""):
        with pytest.raises(ConfigError, match="zero, random, or steps"):
            start_pose(joints, bad, 0)


@pytest.mark.parametrize(
    ("choices", "complaint"),
    [
        ({"baud": 9600}, "'baud' is 9600; expected one of 1000000"),
        ({"loads": ("1:mass=1",)}, "'mass' is 1.0; expected one of torque, inertia"),
        ({"loads": ("1:inertia=-1",)}, "'inertia' is -1.0; expected a number from 0"),
        ({"loads": ("2:torque=1",)}, "'id' is '2'; expected the id of a servo that exists"),
        ({"loads": ("torque=1",)}, "expected ID:name=value,... or all:name=value,..."),
        ({"settings": ("1:colour=1",)}, "'colour'; expected an EEPROM register by name"),
        ({"settings": ("1:goal_speed=1",)}, "'goal_speed'; expected an EEPROM register by name"),
        ({"settings": ("1:p_gain=300",)}, "'p_gain' is '300'; expected a whole number from 0 to"),
        ({"firmware": "id_ack=maybe"}, "'id_ack' is 'maybe'; expected one of old, new"),
        ({"firmware": "version=new"}, "'version' is 'new'; expected a version like 3.10"),
        ({"firmware": "colour=red"}, "expected one of the switches version, id_ack"),
        ({"faults": ("explode",)}, "'kind' is 'explode'"),
        ({"profile": "nothing"}, "nothing.yaml: cannot be read"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(choices: dict, complaint: str) -> None:
    with pytest.raises(StrideError) as caught:
        build_bus(Setup(**choices))
    assert complaint in str(caught.value)


def test_profile_fields_are_checked(tmp_path: Path) -> None:
    folder = Path(load_profile.__code__.co_filename).parent
    text = (folder / "profiles" / "sts3215.yaml").read_text()
    path = tmp_path / "mine.yaml"
    for old, new, complaint in (
        ("resistance: 2.4814 ", "resistance: 0 ", "'resistance' is 0.0; expected a number from"),
        ("viscous: 0.06674", "viscous: soft", "'viscous' is 'soft'"),
        ("viscous: 0.06674", "sticky: 1", "'viscous' is missing"),
        ("drive:", "steering:", "'drive' is missing"),
        ("viscous: 0.06674", "viscous: .nan", "'viscous' is nan"),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(ConfigError) as caught:
            load_profile(path)
        assert complaint in str(caught.value)
    path.write_text(text.replace("max_speed: 5.3", "max_speed: 2.0"))
    assert load_profile(path).drive.max_speed == 2.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--servos", "2", "--ids", "1"], "one of --servos, --ids, --servo-file"),
        (["--ids", "1,x"], "servo ids from 0 to 253"),
        (["--baud", "1"], "'baud' is 1"),
        (["--fault", "drop:probability=7"], "expected a number from 0 to 1"),
        (["--servo-file", "nowhere.json"], "nowhere.json: cannot be read"),
    ],
)
def test_program_says_in_one_line_what_is_wrong(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    result = CliRunner().invoke(main, ["--link", str(tmp_path / "servos"), *arguments])
    assert result.exit_code == 1
    assert complaint in result.output
    assert result.output.startswith("sts3215_emulator: ")
    assert result.output.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_program_refuses_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--link", str(tmp_path / "no" / "servos")])
    assert result.exit_code == 1
    assert result.output.startswith("sts3215_emulator: ")


def test_settings_go_into_the_eeprom_of_those_they_are_for() -> None:
    bench = Bench((1, 2), Setup(settings=("all:max_voltage=140", "2:p_gain=16")))
    assert [bench.get(n, "max_voltage") for n in (1, 2)] == [140, 140]
    assert [bench.get(n, "p_gain") for n in (1, 2)] == [32, 16]
    bench.do("power all off")
    bench.do("power all on")
    bench.wait(1.0)
    assert bench.get(2, "p_gain") == 16


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--linger", "nan"], "nan is not a number from 0 to 3600"),
        (["--linger", "inf"], "inf is not a number from 0 to 3600"),
        (["--voltage", "nan"], "nan is not a number from 0 to 60"),
        (["--link", ""], "'link' is '.'; expected the path of a link to make"),
    ],
)
def test_program_refuses_what_would_never_end_or_has_no_name(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    result = CliRunner().invoke(main, ["--link", str(tmp_path / "servos"), *arguments])
    assert result.exit_code in (1, 2) and complaint in result.output
