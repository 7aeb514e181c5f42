"""`stride module`: the commands as a user types them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from joint_module.cli import module
from stride_base.errors import StrideError


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(module, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, (SystemExit, StrideError)):
        raise result.exception
    return result


def test_run_does_all_steps_for_a_zip(planetary: Path, data: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "upload.zip", "w") as archive:
        for file in planetary.rglob("*"):
            archive.write(file, file.relative_to(planetary))
    instance = json.loads((data / "joint_module_instance.json").read_text())
    result = call("run", tmp_path / "upload.zip", tmp_path / "out", "--name", instance["name"])
    assert "normal: meets its load of 3 N m; exceeds its speed limit; peak" in result.output
    assert result.exit_code == 0, result.output
    assert "meets its load of 3 N m" in result.output
    assert "carries up to 59.08 N m" in result.output
    assert "warning: the reference peaks at 9.87 rad/s" in result.output
    stem = "planetary_joint_split_motor_demo"
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == [
        f"{stem}.json",
        f"{stem}.overload.json",
        f"{stem}.overload.png",
        f"{stem}.report.json",
        f"{stem}.report.png",
        f"{stem}.xml",
        "ring_gear.obj",
    ]
    assert json.loads((tmp_path / "out" / f"{stem}.json").read_text()) == instance
    report = json.loads((tmp_path / "out" / f"{stem}.report.json").read_text())
    assert report["meets_load"] is True


def test_generate_takes_every_choice(urdf: Any, tmp_path: Path) -> None:
    urdf.joint("motor", kind="continuous").joint("second").joint("output")
    urdf.write("one.urdf")
    urdf.write("two.urdf")
    (tmp_path / "motor.xml").write_text(
        '<mujoco><actuator><motor joint="motor" ctrlrange="-2 2"/></actuator></mujoco>'
    )
    words = ["--urdf", "two.urdf", "--mjcf", tmp_path / "motor.xml", "--input", "motor"]
    words += ["--output", "output", "--position-limits", "-3", "4", "--ratio", "12"]
    words += ["--id", "my module", "--name", "Mine", "--package-root", tmp_path]
    words += ["--set", "load_torque=-5", "--set", "mode=overload"]
    result = call("generate", urdf.folder, tmp_path / "out", *words)
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "out" / "my_module.json").read_text())
    assert (document["module_id"], document["name"]) == ("my module", "Mine")
    assert document["limits"]["torque"] == [-2.0, 2.0]
    assert document["limits"]["position"] == [-3.0, 4.0]
    assert (document["gear_ratio"], document["gear_ratio_source"]) == (12.0, "manual")
    assert document["simulation"]["load_torque"] == -5.0
    assert document["simulation"]["mode"] == "overload"


@pytest.mark.parametrize(
    "setting", ["speed=1", "load_torque", "load_torque=nan", "kp=1_0", "mode=x"]
)
def test_settings_that_are_none_are_refused(setting: str, gear: Any, tmp_path: Path) -> None:
    result = call("generate", gear.write(), tmp_path / "out", "--set", setting)
    assert isinstance(result.exception, StrideError)
    assert not (tmp_path / "out").exists()


def test_a_refusal_is_an_error_of_one_sentence(gear: Any, tmp_path: Path) -> None:
    result = call("generate", gear.joint("second").write(), tmp_path / "out")
    assert isinstance(result.exception, StrideError)
    assert "'motor', 'second'" in str(result.exception)


def test_validate_tells_what_the_module_is(sts3215: Path) -> None:
    result = call("validate", sts3215 / "sts3215.json")
    assert result.exit_code == 0
    assert "valid; rotor_joint drives horn_joint, ratio 345 (mimic)" in result.output


def test_validate_refuses_a_module_whose_model_lacks_the_joint(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path)
    file = tmp_path / "gear.json"
    file.write_text(file.read_text().replace('"output"', '"nobody"'))
    result = call("validate", file)
    assert isinstance(result.exception, StrideError) and "'nobody'" in str(result.exception)


def test_validate_refuses_a_module_without_its_model(data: Path) -> None:
    result = call("validate", data / "joint_module_instance.json")
    assert isinstance(result.exception, StrideError)
    assert "no such model" in str(result.exception)


def test_calibrate_measures_and_writes_only_if_asked(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path)
    file = tmp_path / "gear.json"
    file.write_text(file.read_text().replace('"gear_ratio": 6.0', '"gear_ratio": 5.0'))
    result = call("calibrate", file)
    assert "measured ratio 6, +20.00% from 5" in result.output
    assert json.loads(file.read_text())["gear_ratio"] == 5.0
    call("calibrate", file, "--write")
    document = json.loads(file.read_text())
    assert document["gear_ratio"] == pytest.approx(6.0)
    assert document["gear_ratio_source"] == "calibrated"


def test_calibrate_shows_no_minus_zero(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path)
    (tmp_path / "log.csv").write_text("q_in,q_out\n0,0\n2.999995,0.5\n5.99999,1\n")
    result = call("calibrate", tmp_path / "gear.json", "--recording", tmp_path / "log.csv")
    assert "+0.00% from 6" in result.output


def test_calibrate_takes_a_recording(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path)
    (tmp_path / "log.csv").write_text("q_in,q_out\n0,0\n1,0.25\n2,0.5\n")
    result = call("calibrate", tmp_path / "gear.json", "--recording", tmp_path / "log.csv")
    assert "measured ratio 4," in result.output


def test_report_writes_beside_the_file_or_where_told(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path, "--set", "duration=0.5")
    result = call("report", tmp_path / "gear.json")
    assert result.exit_code == 0 and (tmp_path / "gear.report.png").exists()
    result = call(
        "report", tmp_path / "gear.json", "--mode", "overload", "--folder", tmp_path / "new"
    )
    assert result.exit_code == 0
    assert sorted(entry.name for entry in (tmp_path / "new").iterdir()) == [
        "gear.overload.json",
        "gear.overload.png",
    ]


def test_report_tells_when_the_load_is_too_much(gear: Any, tmp_path: Path) -> None:
    call("generate", gear.write(), tmp_path, "--set", "load_torque=-70")
    result = call("report", tmp_path / "gear.json")
    assert "does not meet its load of 70 N m" in result.output
