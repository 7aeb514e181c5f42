"""Joint limits that a driver or simulator takes from a module file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from joint_module import module_file
from joint_module.limits import input_limits, limits_of
from stride_base.errors import ConfigError


def test_limits_are_those_of_the_output_joint(data: Path) -> None:
    limits = limits_of(data / "joint_module_instance.json")
    assert limits.joint == "carrier_output_joint"
    assert limits.position == pytest.approx((-6.28318530718, 6.28318530718))
    assert limits.torque == (-60.0, 60.0)
    assert limits.velocity == pytest.approx((-1.0471975512, 1.0471975512))


def test_the_hexapods_servo_turns_once_with_its_stall_torque(sts3215: Path) -> None:
    limits = limits_of(sts3215 / "sts3215.json")
    assert limits.joint == "horn_joint"
    assert limits.position == pytest.approx((-3.14159265359, 3.14159265359))
    assert limits.torque == pytest.approx((-2.94, 2.94))
    assert limits.velocity == pytest.approx((-4.71238898, 4.71238898))


def test_limits_of_the_motor_are_as_the_file_states_them(data: Path) -> None:
    module = module_file.read(data / "joint_module_instance.json")
    assert input_limits(module).joint == "sun_input_joint"
    assert input_limits(module).torque == (-10.0, 10.0)


def test_without_velocity_limit_there_is_none(data: Path, tmp_path: Path) -> None:
    document = json.loads((data / "joint_module_instance.json").read_text())
    del document["limits"]["velocity"]
    (tmp_path / "module.json").write_text(json.dumps(document))
    assert limits_of(tmp_path / "module.json").velocity is None


def test_a_wrong_file_is_refused_by_name_and_field(data: Path, tmp_path: Path) -> None:
    document = json.loads((data / "joint_module_instance.json").read_text())
    document["limits"]["position"] = [1.0, -1.0]
    (tmp_path / "module.json").write_text(json.dumps(document))
    with pytest.raises(ConfigError, match=r"module\.json: limits: 'position'.*lower < upper"):
        limits_of(tmp_path / "module.json")


def test_a_robots_own_computer_needs_no_simulator_for_them() -> None:
    program = (
        "import sys; import joint_module.limits, joint_module.cli; "
        "sys.exit(bool({'mujoco', 'matplotlib'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
