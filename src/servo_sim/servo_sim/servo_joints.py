"""Any MuJoCo model with hinges named as the servos: MuJoCo's part of a servo, put into its joints.

A servo is a DC motor behind a gear, everything at the output shaft:

    torque   = kt/R * voltage * duty - kt*ke/R * velocity    a `general` actuator, affine in velocity
    friction = viscous * velocity                            damping of the joint
               + dry friction, which really sticks           frictionloss of the joint, set each step
    rotor    = armature of the joint
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from servo_sim.errors import ModelError
from stride_base.errors import MISSING, ConfigError
from stride_base.strict_json import FileError
from sts3215_driver.emulator import dc_motor
from sts3215_driver.emulator.profile import Motor

#: s, one grid for the physics and the servos' firmware.
TIMESTEP = 0.002
#: Dry friction as a constraint: hard enough that a loaded joint at rest creeps by less than 0.01 deg/s.
FRICTION_SOLREF, FRICTION_SOLIMP = (0.005, 1.0), (0.99, 0.999, 0.001, 0.5, 2.0)
IMU_SITE = "imu"
ACCELEROMETER, GYRO = "servo_sim_accelerometer", "servo_sim_gyro"


@dataclass(frozen=True)
class ServoModel:
    """A compiled model with servos in it.

    Args:
        model: MuJoCo's.
        base: Body that carries the robot: that of the first free joint, else the first body.
        floating: Whether the base is free.
        qpos, dof: (n,) addresses of the servos' joints.
        actuators: (n,) actuator numbers of the servos.
        accelerometer, gyro: Addresses of the sensors.
        floor: A plane to stand on, -1 without.
    """

    model: mujoco.MjModel
    base: int
    floating: bool
    qpos: NDArray[np.int64]
    dof: NDArray[np.int64]
    actuators: NDArray[np.int64]
    accelerometer: int
    gyro: int
    floor: int


def silence_mujoco() -> None:
    """No warnings on the screen and in MUJOCO_LOG.TXT: whoever steps a model looks at its state."""
    mujoco.set_mju_user_warning(lambda _message: None)


def load_model(
    path: Path,
    names: Sequence[str],
    signs: Sequence[int],
    motor: Motor,
    limits: tuple[float, float] | None = None,
) -> ServoModel:
    """Read an MJCF (or URDF) file and put a servo into each of the joints `names`.

    Actuators that the file has for these joints go away. A model with a free base and without any
    ground gets a floor. Time step and integrator are set.

    Args:
        path: The file.
        names: Joints in the order of the servos.
        signs: 1, or -1 where the joint's angle falls while the servo's position grows.
        motor: The servos' motor.
        limits: Angles that no servo's joint goes beyond, rad, inside of the model's own.

    Raises:
        FileError: the file cannot be read.
        ModelError: MuJoCo refuses it.
        ConfigError: a joint is missing or no hinge.
    """
    silence_mujoco()
    if not path.is_file():
        raise FileError(f"{path}: cannot be read: there is no such file")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise ModelError(f"{path}: MuJoCo refuses the model: {_one_line(error)}") from error
    joints = {joint.name: joint for joint in spec.joints}
    for name in names:
        if name not in joints:
            expected = f"a joint of that name; the model has {', '.join(filter(None, joints))}"
            raise ConfigError(path, f"joint {name or '?'}", "name", MISSING, expected)
        if joints[name].type != mujoco.mjtJoint.mjJNT_HINGE:
            raise ConfigError(path, f"joint {name}", "type", str(joints[name].type), "hinge")
    for actuator in list(spec.actuators):
        if actuator.target in names:
            spec.delete(actuator)
    for name, sign in zip(names, signs, strict=True):
        _add_servo(spec, joints[name], sign, motor)
        if limits is not None:
            _tighten(spec, joints[name], limits)
    base = _base(spec)
    floor = _floor(spec, base)
    _add_imu(spec, base)
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # A diverging model shall be told from one that starts anew.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    try:
        model = spec.compile()
    except ValueError as error:
        raise ModelError(f"{path}: MuJoCo refuses the model: {_one_line(error)}") from error
    number = [model.joint(name).id for name in names]
    return ServoModel(
        model=model,
        base=model.body(base.name).id,
        floating=any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in base.joints),
        qpos=np.array(model.jnt_qposadr[number], dtype=np.int64),
        dof=np.array(model.jnt_dofadr[number], dtype=np.int64),
        actuators=np.array([model.actuator(f"servo {name}").id for name in names]),
        accelerometer=int(model.sensor_adr[model.sensor(ACCELEROMETER).id]),
        gyro=int(model.sensor_adr[model.sensor(GYRO).id]),
        floor=model.geom(floor).id if floor else -1,
    )


def _tighten(spec: mujoco.MjSpec, joint: mujoco.MjsJoint, limits: tuple[float, float]) -> None:
    low, high = np.rad2deg(limits) if spec.compiler.degree else limits
    if joint.range[0] < joint.range[1]:
        low, high = max(low, joint.range[0]), min(high, joint.range[1])
    joint.limited = True
    joint.range = [low, high]


def _add_servo(spec: mujoco.MjSpec, joint: mujoco.MjsJoint, sign: int, motor: Motor) -> None:
    joint.armature = motor.armature
    joint.damping = _first(joint.damping, motor.viscous)
    # Any number above 0 makes a constraint of it; the value is set in each step.
    joint.frictionloss = motor.coulomb + motor.stribeck
    joint.solref_friction = FRICTION_SOLREF
    joint.solimp_friction = FRICTION_SOLIMP
    actuator = spec.add_actuator(
        name=f"servo {joint.name}",
        target=joint.name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
    )
    actuator.gear = [float(sign), 0, 0, 0, 0, 0]
    gain, bias = np.zeros(10), np.zeros(10)
    gain[0] = motor.torque_constant / motor.resistance
    bias[2] = -dc_motor.back_emf_damping(motor)
    actuator.gainprm, actuator.biasprm = gain, bias


def _first(like: Any, value: float) -> Any:
    """`value` in the form of a field that is a number in one MuJoCo and an array in another."""
    return value if np.ndim(like) == 0 else [value, *np.zeros(np.size(like) - 1)]


def _base(spec: mujoco.MjSpec) -> mujoco.MjsBody:
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            body = joint.parent
            break
    else:
        body = next(body for body in spec.bodies if body.name != "world")
    if not body.name:
        body.name = "servo_sim_base"
    return body


def _floor(spec: mujoco.MjSpec, base: mujoco.MjsBody) -> str:
    floating = any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in base.joints)
    flat = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    grounds = [geom for geom in spec.worldbody.geoms if geom.type in flat]
    if grounds:
        if not grounds[0].name:
            grounds[0].name = "servo_sim_floor"
        return str(grounds[0].name)
    if not floating:
        return ""
    geom = spec.worldbody.add_geom(name="servo_sim_floor", type=mujoco.mjtGeom.mjGEOM_PLANE)
    geom.size = [0.0, 0.0, 0.05]
    geom.rgba = [0.8, 0.82, 0.84, 1.0]
    return str(geom.name)


def _add_imu(spec: mujoco.MjSpec, base: mujoco.MjsBody) -> None:
    if not any(site.name == IMU_SITE for site in spec.sites):
        base.add_site(name=IMU_SITE)
    for name, kind in (
        (ACCELEROMETER, mujoco.mjtSensor.mjSENS_ACCELEROMETER),
        (GYRO, mujoco.mjtSensor.mjSENS_GYRO),
    ):
        spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=IMU_SITE)


def _one_line(error: Exception) -> str:
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
