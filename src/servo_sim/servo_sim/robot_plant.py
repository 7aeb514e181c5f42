"""A robot in MuJoCo as what the emulated servos move: a `Plant`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from servo_sim.errors import SimulationError
from servo_sim.servo_joints import ServoModel
from stride_base.errors import RefusedError
from sts3215_driver.emulator import dc_motor
from sts3215_driver.emulator.arrays import Array, Switches, filled
from sts3215_driver.emulator.plant import Load, PlantState
from sts3215_driver.emulator.profile import Profile

#: Where the robot is put down to find out how high it stands, m; anything higher than its legs.
_HIGH = 10.0
#: Sum of squares of joint speeds, (rad/s)^2, that no robot reaches.
_DIVERGED = 1e8


@dataclass(frozen=True)
class Truth:
    """What the simulator knows of the base.

    Args:
        time: Simulated, s.
        position: (3,) m, in the world.
        orientation: (4,) quaternion w, x, y, z of the base in the world.
        velocity: (3,) m/s, in the frame of the base.
        angular_velocity: (3,) rad/s, in the frame of the base.
        acceleration: (3,) m/s^2 as an accelerometer measures it, in the frame of the IMU.
        rotation: (3,) rad/s as a gyro measures it, in the frame of the IMU.
    """

    time: float
    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    rotation: NDArray[np.float64]

    @property
    def yaw(self) -> float:
        """Heading, rad."""
        w, x, y, z = self.orientation
        return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


class RobotPlant:
    """n servos in the joints of a MuJoCo model, on a common battery with an inner resistance.

    Args:
        servo_model: The model with the servos in it.
        profile: Motor and electronics.
        signs: Per servo, 1 or -1: joint angle over servo angle.
        supply: Voltage of the unloaded battery, V; the profile's if left out.
    """

    def __init__(
        self,
        servo_model: ServoModel,
        profile: Profile,
        signs: Sequence[int],
        supply: float | None = None,
    ) -> None:
        count = len(signs)
        electronics = profile.electronics
        self.servos = servo_model
        self.model = servo_model.model
        self.data = mujoco.MjData(self.model)
        self.supply = electronics.supply_voltage if supply is None else supply
        self.state = PlantState(
            filled(count), filled(count), filled(count), filled(count, self.supply)
        )
        #: Called after each step, e.g. to keep the motion.
        self.on_step: Callable[[], None] | None = None
        self._motor = profile.motor
        self._supply_resistance = electronics.supply_resistance
        self._back_emf = dc_motor.back_emf_damping(profile.motor)
        self._signs = np.array(signs, dtype=np.float64)
        self._qpos, self._dof = _place(servo_model.qpos), _place(servo_model.dof)
        self._actuators = _place(servo_model.actuators)
        # Views of MuJoCo's memory, which stays where it is; asking for them anew each time is slow.
        self._all_qpos, self._all_qvel = self.data.qpos, self.data.qvel
        self._all_ctrl, self._all_friction = self.data.ctrl, self.model.dof_frictionloss
        self._loads = [Load()] * count
        self._torque, self._gravity, self._friction = filled(count), filled(count), filled(count)
        self._loaded = False
        self._connected: Switches | None = None
        self._push_ends = -1.0
        self._base_mass = float(self.model.body_mass[servo_model.base])
        self._straight_down = self.model.opt.gravity.copy()
        self._start = self.data.qpos.copy()
        mujoco.mj_forward(self.model, self.data)
        self._sense()

    def place(self, index: int, position: float) -> None:
        """See `Plant.place`."""
        servos = self.servos
        self.data.qpos[servos.qpos[index]] = self._signs[index] * position
        self.data.qvel[servos.dof[index]] = 0.0
        mujoco.mj_forward(self.model, self.data)
        self._sense()

    def load(self, index: int) -> Load:
        """See `Plant.load`."""
        return self._loads[index]

    def set_load(self, index: int, load: Load) -> None:
        """See `Plant.set_load`."""
        self._loads[index] = load
        self._torque[index] = load.torque
        self._gravity[index] = load.gravity
        self._friction[index] = load.friction
        self._loaded = bool(self._torque.any() or self._gravity.any())
        if not self._loaded:
            self.data.qfrc_applied[self._dof] = 0.0
        dof = self.servos.dof[index]
        armature = self._motor.armature + load.inertia
        if self.model.dof_armature[dof] != armature:
            self.model.dof_armature[dof] = armature
            self._recompute_constants()

    def advance(self, dt: float, duty: Array, connected: Switches) -> None:
        """See `Plant.advance`; `dt` is the model's time step."""
        state, data, model, servos = self.state, self.data, self.model, self.servos
        motor, velocity = self._motor, state.velocity
        volts = dc_motor.supply_voltage(
            motor, self.supply, self._supply_resistance, duty, velocity, connected
        )
        self._all_ctrl[self._actuators] = volts * duty * connected
        if connected is not self._connected:
            self._connect(connected)
        friction = dc_motor.dry_friction(motor, velocity)
        self._all_friction[self._dof] = friction + self._friction
        if self._loaded:
            torque = self._torque - self._gravity * np.cos(state.position)
            data.qfrc_applied[self._dof] = self._signs * torque
        if 0.0 <= self._push_ends <= data.time:
            data.xfrc_applied[servos.base] = 0.0
            self._push_ends = -1.0
        mujoco.mj_step(model, data)
        self._sense()
        state.current = dc_motor.current(motor, volts, duty, state.velocity) * connected
        state.voltage.fill(volts)
        if self.on_step is not None:
            self.on_step()

    def truth(self) -> Truth:
        """The base as it is now."""
        data, servos = self.data, self.servos
        velocity = np.zeros(6)
        body = mujoco.mjtObj.mjOBJ_XBODY  # mjOBJ_BODY would be its axes of inertia
        mujoco.mj_objectVelocity(self.model, data, body, servos.base, velocity, 1)
        sensors = data.sensordata
        return Truth(
            time=float(data.time),
            position=data.xpos[servos.base].copy(),
            orientation=data.xquat[servos.base].copy(),
            velocity=velocity[3:],
            angular_velocity=velocity[:3],
            acceleration=sensors[servos.accelerometer : servos.accelerometer + 3].copy(),
            rotation=sensors[servos.gyro : servos.gyro + 3].copy(),
        )

    def put_down(self) -> None:
        """Put the base where the model has it, upright, at rest, with its lowest part on the floor."""
        data, servos = self.data, self.servos
        if not servos.floating:
            return
        address = self.model.jnt_qposadr[self.model.body_jntadr[servos.base]]
        data.qpos[address : address + 7] = self._start[address : address + 7]
        data.qvel[:] = 0.0
        data.xfrc_applied[:] = 0.0
        if servos.floor >= 0:
            data.qpos[address + 2] += _HIGH
            mujoco.mj_forward(self.model, data)
            data.qpos[address + 2] -= self._clearance()
        mujoco.mj_forward(self.model, data)
        self._sense()

    def push(self, force: Sequence[float], torque: Sequence[float], seconds: float) -> None:
        """Push the base with a force (N) and a torque (N m), in the world's axes, for some time."""
        self.data.xfrc_applied[self.servos.base] = [*force, *torque]
        self._push_ends = self.data.time + seconds

    def tilt(self, roll: float, pitch: float) -> None:
        """Tilt the ground (rad): as if the world, and gravity not, were turned; x first, then y."""
        down = self._straight_down
        weight = float(np.linalg.norm(down))
        sine, cosine = np.sin([roll, pitch]), np.cos([roll, pitch])
        # Gravity seen from ground that is pitched nose down by `pitch`, then rolled to the right.
        self.model.opt.gravity[:] = weight * np.array(
            [sine[1] * cosine[0], -sine[0], -cosine[0] * cosine[1]]
        )

    def carry(self, mass: float) -> None:
        """Put `mass` (kg, instead of what was carried before) at the base's centre of mass.

        Raises:
            RefusedError: the base would not have any mass left.
        """
        total = self._base_mass + mass
        if not 0.0 < total < 1e4:
            raise RefusedError(f"the base would weigh {total:g} kg")
        self.model.body_mass[self.servos.base] = total
        self._recompute_constants()

    def _connect(self, connected: Switches) -> None:
        self.model.actuator_biasprm[self._actuators, 2] = -self._back_emf * connected
        self._connected = connected

    def _recompute_constants(self) -> None:
        """After a mass changed; keeps the state."""
        data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, data)

    def _clearance(self) -> float:
        """Distance of the robot's lowest part from the floor, m."""
        model, data, floor = self.model, self.data, self.servos.floor
        touching = [
            geom
            for geom in range(model.ngeom)
            if model.geom_bodyid[geom] and self._collide(geom, floor)
        ]
        fromto = np.zeros(6)
        distances = [
            mujoco.mj_geomDistance(model, data, floor, geom, 2 * _HIGH, fromto) for geom in touching
        ]
        return min(distances, default=_HIGH)

    def _collide(self, one: int, other: int) -> bool:
        kinds, with_whom = self.model.geom_contype, self.model.geom_conaffinity
        return bool(kinds[one] & with_whom[other] or kinds[other] & with_whom[one])

    def _sense(self) -> None:
        data, state = self.data, self.state
        state.position = self._signs * self._all_qpos[self._qpos]
        velocity = state.velocity = self._signs * self._all_qvel[self._dof]
        # Written so that NaN is caught, too.
        if not velocity @ velocity < _DIVERGED:
            raise SimulationError(
                f"the simulation diverged after {data.time:.3f} s; the model is too stiff for "
                f"steps of {self.model.opt.timestep * 1e3:g} ms, or something hit it too hard"
            )


def _place(numbers: NDArray[np.int64]) -> slice | NDArray[np.int64]:
    """An index for `numbers`; a slice, which is faster, where they follow each other."""
    first, count = int(numbers[0]), len(numbers)
    if (numbers == np.arange(first, first + count)).all():
        return slice(first, first + count)
    return numbers
