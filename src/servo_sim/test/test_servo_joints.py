"""Any model with hinges named as the servos works; others are refused with what is missing."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from servo_sim.errors import ModelError
from servo_sim.servo_joints import ServoModel, load_model
from stride_base.errors import ConfigError
from stride_base.strict_json import FileError
from sts3215_driver.emulator.profile import load_profile

MOTOR = load_profile().motor
ARM = """<mujoco><option timestep="0.01" integrator="Euler"/><worldbody><body name="arm">
  <joint name="pitch" axis="0 -1 0" armature="1" damping="7"/><geom size="0.01 0.1" type="capsule"/>
  <body pos="0.2 0 0"><joint name="slide" type="slide"/><geom size="0.01"/></body></body></worldbody>
  <actuator><position joint="pitch" kp="500"/><motor name="other" joint="slide"/></actuator></mujoco>"""
FREE = """<mujoco><worldbody><body pos="0 0 0.3"><freejoint/><geom size="0.05"/>
  <body pos="0.1 0 0"><joint name="j" axis="0 1 0"/><geom size="0.02"/></body></body></worldbody>
  </mujoco>"""
MASSLESS = """<mujoco><worldbody><body><freejoint/><body><joint name="j"/></body></body></worldbody>
  </mujoco>"""


def loaded(tmp_path: Path, text: str, *names: str) -> ServoModel:
    path = tmp_path / "model.xml"
    path.write_text(text)
    return load_model(path, names, [1] * len(names), MOTOR)


def test_servos_take_the_place_of_the_models_own_actuators(tmp_path: Path) -> None:
    servos = loaded(tmp_path, ARM, "pitch")
    model = servos.model
    assert model.nu == 2
    assert model.actuator("other").id != servos.actuators[0]
    dof = servos.dof[0]
    assert model.dof_armature[dof] == pytest.approx(MOTOR.armature)
    assert model.dof_damping[dof] == pytest.approx(MOTOR.viscous)
    assert model.dof_frictionloss[dof] > 0.0
    assert model.opt.timestep == 0.002
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_a_free_robot_without_ground_gets_a_floor_and_a_fixed_one_does_not(tmp_path: Path) -> None:
    walker = loaded(tmp_path, FREE, "j")
    assert walker.floating
    assert walker.floor >= 0
    arm = loaded(tmp_path, ARM, "pitch")
    assert not arm.floating
    assert arm.floor == -1


def test_every_model_has_an_imu(tmp_path: Path) -> None:
    servos = loaded(tmp_path, FREE, "j")
    data = mujoco.MjData(servos.model)
    mujoco.mj_forward(servos.model, data)
    assert np.isfinite(data.sensordata[servos.accelerometer : servos.accelerometer + 3]).all()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"joint yaw.*the model has pitch, slide"):
        loaded(tmp_path, ARM, "pitch", "yaw")
    with pytest.raises(ConfigError, match=r"joint slide.*expected hinge"):
        loaded(tmp_path, ARM, "slide")
    with pytest.raises(ModelError, match="MuJoCo refuses the model"):
        loaded(tmp_path, MASSLESS, "j")
    with pytest.raises(FileError, match="there is no such file"):
        load_model(tmp_path / "none.xml", ["j"], [1], MOTOR)


def test_limits_of_a_joint_module_stop_the_joint(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(ARM)
    servos = load_model(path, ["pitch"], [1], MOTOR, (-0.25, 0.5))
    joint = servos.model.joint("pitch")
    assert joint.range == pytest.approx([-0.25, 0.5])
    data = mujoco.MjData(servos.model)
    data.joint("pitch").qfrc_applied[0] = -0.5
    for _ in range(3000):
        mujoco.mj_step(servos.model, data)
    assert data.joint("pitch").qpos[0] == pytest.approx(-0.25, abs=0.02)
