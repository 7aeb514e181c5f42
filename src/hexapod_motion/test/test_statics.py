"""Holding torques against the physics of the robot's model, which is made of the same files."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry, load_geometry
from hexapod_motion.joint_effort import JointEffort, load_joint_effort
from hexapod_motion.joint_frame import JointFrame
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.masses import load_masses
from hexapod_motion.statics import Statics
from stride_base.errors import ConfigError, RefusedError

ROBOT = Path(__file__).resolve().parents[3] / "config" / "robots" / "hexapod"
GEOMETRY = load_geometry(ROBOT / "geometry.yaml")
MASSES = load_masses(ROBOT / "body.yaml", GEOMETRY)
STATICS = Statics(GEOMETRY, MASSES)
TRIPOD = (0, 2, 4)


def pose(body: FloatArray, lifted: dict[int, float], turn: FloatArray) -> FloatArray:
    """(18,) rad with the body moved by `body` mm, turned by `turn`, feet lifted by mm."""
    frame = BodyFrame(GEOMETRY)
    feet = (frame.stand - body) @ turn
    for leg, height in lifted.items():
        feet[leg, 2] += height
    angles = Kinematics(GEOMETRY).inverse(frame.to_limbs(feet))
    assert angles.reachable.all()
    return JointFrame(GEOMETRY).to_ros(angles.values)


def turned(roll: float, pitch: float) -> FloatArray:
    """Rotation of the body over level ground."""
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    return np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]) @ np.array(
        [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]
    )


def ground_forces(position: FloatArray, up: FloatArray) -> tuple[FloatArray, float]:
    """(6,) N along `up` that fit best to the efforts in MuJoCo, and what does not fit, N or N m."""
    model = mujoco.MjModel.from_xml_path(str(ROBOT / "robot.xml"))
    model.opt.gravity[:] = -9.81 * up
    data = mujoco.MjData(model)
    data.qpos[:7] = [0, 0, 1, 1, 0, 0, 0]
    for name, angle in zip(STATICS.names, position, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    needed = data.qfrc_bias.copy()
    for name, torque in zip(STATICS.names, STATICS.effort(position), strict=True):
        needed[model.joint(name).dofadr[0]] -= torque
    columns = []
    for name in GEOMETRY.names:
        jacobian = np.zeros((3, model.nv))
        point = data.geom(f"{name}_foot").xpos - 0.001 * MASSES.foot * up
        mujoco.mj_jac(model, data, jacobian, None, point, model.body(f"{name}_tibia").id)
        columns.append(jacobian.T @ up)
    forces = np.linalg.lstsq(np.array(columns).T, needed, rcond=None)[0]
    return forces, float(np.abs(needed - np.array(columns).T @ forces).max())


def test_the_weight_is_that_of_the_model() -> None:
    model = mujoco.MjModel.from_xml_path(str(ROBOT / "robot.xml"))
    assert pytest.approx(9.81 * model.body_mass.sum()) == STATICS.weight


@settings(max_examples=30, deadline=None)
@given(
    body=st.tuples(st.floats(-20, 20), st.floats(-20, 20), st.floats(-15, 20)),
    lifted=st.dictionaries(st.sampled_from(TRIPOD), st.floats(12, 30)),
)
def test_efforts_and_ground_hold_every_link_and_the_body(
    body: tuple[float, float, float], lifted: dict[int, float]
) -> None:
    up = np.array([0.0, 0.0, 1.0])
    forces, left = ground_forces(pose(np.array(body), lifted, np.eye(3)), up)
    assert left < 0.005
    assert forces.min() > -0.01
    assert forces.sum() == pytest.approx(STATICS.weight, rel=1e-3)
    assert all(abs(forces[leg]) < 0.02 for leg in lifted)


@pytest.mark.parametrize(("roll", "pitch"), [(8.0, 0.0), (0.0, -8.0), (-5.0, 5.0)])
def test_a_tilted_body_stands_on_the_same_ground(roll: float, pitch: float) -> None:
    turn = turned(np.radians(roll), np.radians(pitch))
    forces, left = ground_forces(pose(np.zeros(3), {}, turn), turn[2])
    assert left < 0.05
    assert forces.min() > 0.1 * STATICS.weight


def test_it_is_what_a_stiff_robot_on_ice_exerts() -> None:
    model = mujoco.MjModel.from_xml_path(str(ROBOT / "robot.xml"))
    model.geom_friction[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    model.dof_armature[6:] = 0.02
    data = mujoco.MjData(model)
    dofs = [model.joint(name).dofadr[0] for name in STATICS.names]
    places = [model.joint(name).qposadr[0] for name in STATICS.names]
    for _ in range(round(1.5 / model.opt.timestep)):
        data.qfrc_applied[dofs] = -60.0 * data.qpos[places] - 3.0 * data.qvel[dofs]
        mujoco.mj_step(model, data)
    position = np.array(data.qpos[places])
    held = data.qfrc_applied[dofs] + data.qfrc_actuator[dofs]
    assert STATICS.effort(position) == pytest.approx(held, abs=0.001)
    assert np.abs(STATICS.effort(position)).max() > 0.25


def test_planting_a_foot_does_not_make_the_torque_jump() -> None:
    heights = np.linspace(15.0, 0.0, 151)
    efforts = [
        STATICS.effort(pose(np.zeros(3), dict.fromkeys(TRIPOD, h), np.eye(3))) for h in heights
    ]
    assert np.abs(np.diff(efforts, axis=0)).max() < 0.05
    three, six = np.array(efforts[0]).reshape(6, 3), np.array(efforts[-1]).reshape(6, 3)
    assert three[1, 1] < 1.7 * six[1, 1] < 0.0
    assert three[0, 1] > 0.0


def test_on_its_belly_the_legs_carry_only_themselves() -> None:
    lying = pose(np.array([0.0, 0.0, -52.0]), {}, np.eye(3))
    model = mujoco.MjModel.from_xml_path(str(ROBOT / "robot.xml"))
    data = mujoco.MjData(model)
    data.qpos[2] = 1.0
    for name, angle in zip(STATICS.names, lying, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    hanging = [data.qfrc_bias[model.joint(name).dofadr[0]] for name in STATICS.names]
    assert STATICS.effort(lying) == pytest.approx(hanging, abs=0.001)


@pytest.fixture
def effort() -> JointEffort:
    return load_joint_effort(ROBOT)


def test_joints_in_any_order_and_others_beside_them(effort: JointEffort) -> None:
    names = (*reversed(GEOMETRY.joint_names), "wheel")
    values = effort.of(names, [0.0] * 18 + [np.nan])
    assert values[-1] == 0.0
    assert values[:-1][::-1] == pytest.approx(STATICS.effort(np.zeros(18)))


def test_what_is_no_pose_is_refused_with_the_joint(effort: JointEffort) -> None:
    names = GEOMETRY.joint_names
    with pytest.raises(RefusedError, match="no effort without joint fl_coxa"):
        effort.of(names[1:], [0.0] * 17)
    with pytest.raises(RefusedError, match="position has 17 values for 18 joints"):
        effort.of(names, [0.0] * 17)
    with pytest.raises(RefusedError, match="position of joint 'ml_coxa' is nan"):
        effort.of(names, [0.0] * 3 + [np.nan] + [0.0] * 14)


def test_a_wrong_mass_is_named(tmp_path: Path, geometry: Geometry) -> None:
    text = (ROBOT / "body.yaml").read_text(encoding="utf-8")
    path = tmp_path / "body.yaml"
    path.write_text(text.replace("mass: 0.055", "mass: -1"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"body\.yaml.*servo.*'mass' is -1.*from 0 to 1000 kg"):
        load_masses(path, geometry)
