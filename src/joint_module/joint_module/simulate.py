"""One run of a module: a servo in the model drives the input joint along a sine against the load.

The servo is part of the model (an actuator with force gain and bias), and MuJoCo's discrete integrator
takes its gains into the metric in which the transmission's constraints are solved. A light rotor makes
the same law diverge when it is computed outside of the model; with the other integrators it does not
diverge, but the transmission slips.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from joint_module.contract import JointModule, Range
from joint_module.errors import MeasurementError, ModelError
from joint_module.mjcf import first_lines, quiet
from joint_module.validation import reference_middle
from stride_base.progress import Progress, silent

# The reference is periodic, so a run begins this much earlier than its record, s. By then the
# transmission has taken up the load, whose blow would otherwise count as a peak.
LEAD_IN = 0.25
#: Steps between two words on the progress of a run.
TELL_EVERY = 1000

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """What was recorded at every time step, each (n_steps,).

    Args:
        time: s.
        reference: Wanted angle of the input joint, rad.
        input_position, input_velocity: rad, rad/s.
        input_torque: Of the servo, N m.
        output_position, output_velocity: rad, rad/s.
        load_torque: On the output joint, N m.
    """

    time: Samples
    reference: Samples
    input_position: Samples
    input_velocity: Samples
    input_torque: Samples
    output_position: Samples
    output_velocity: Samples
    load_torque: float


class Bench:
    """A module's model with a servo on its input joint, ready for any number of runs."""

    def __init__(self, module: JointModule, model_file: Path, progress: Progress = silent) -> None:
        """Load the model.

        Args:
            module: A valid module.
            model_file: Its MJCF.
            progress: Told of each run, in steps.

        Raises:
            ModelError: the model cannot be loaded, or lacks one of the joints.
        """
        self._module = module
        self._progress, self._runs = progress, 0
        self._model = _with_servo(model_file, module)
        self._data = mujoco.MjData(self._model)
        self._input = _addresses(self._model, module.input_joint, model_file)
        self._output = _addresses(self._model, module.output_joint, model_file)
        self._couplings = _couplings(self._model)
        self._set_parameters()

    def run(self, load_torque: float, torque_limits: Range | None = None) -> Run:
        """Simulate the reference once.

        Args:
            load_torque: Constant torque on the output joint, N m.
            torque_limits: Of the servo, N m; None lets it give whatever it takes.

        Raises:
            MeasurementError: the simulation diverged.
        """
        simulation, model, data = self._module.simulation, self._model, self._data
        lead_in = math.ceil(LEAD_IN / simulation.timestep)
        steps = lead_in + max(round(simulation.duration / simulation.timestep), 1)
        # The state at time -1 is where the run begins; each step leads to the next time.
        time: Samples = np.arange(-lead_in - 1, steps - lead_in, dtype=np.float64)
        time *= simulation.timestep
        phase = 2.0 * math.pi * simulation.frequency * time
        reference = reference_middle(self._module) + simulation.amplitude * np.sin(phase)
        reference_velocity = simulation.peak_velocity * np.cos(phase)
        control = simulation.kp * reference + simulation.kd * reference_velocity
        model.actuator_forcelimited[0] = torque_limits is not None
        model.actuator_forcerange[0] = torque_limits or (0.0, 0.0)
        self._start(reference[0], reference_velocity[0], load_torque)
        states = np.zeros((4, steps + 1), dtype=np.float64)
        self._runs += 1
        (q_in, v_in), (q_out, v_out) = self._input, self._output
        with _silent_warnings():
            for step in range(1, steps + 1):
                if step % TELL_EVERY == 1:
                    self._progress(f"simulating, run {self._runs}", step - 1, steps)
                data.ctrl[0] = control[step]
                mujoco.mj_step(model, data)
                states[0, step], states[1, step] = data.qpos[q_in], data.qvel[v_in]
                states[2, step], states[3, step] = data.qpos[q_out], data.qvel[v_out]
        self._check_sound(states[:, 1:])
        # The integrator is implicit: what acts during a step is the law in the state it leads to.
        torque = control - simulation.kp * states[0] - simulation.kd * states[1]
        if torque_limits is not None:
            torque = np.clip(torque, *torque_limits)
        record = slice(lead_in + 1, None)
        return Run(
            time=time[record],
            reference=reference[record],
            input_position=states[0, record],
            input_velocity=states[1, record],
            input_torque=torque[record],
            output_position=states[2, record],
            output_velocity=states[3, record],
            load_torque=load_torque,
        )

    def _set_parameters(self) -> None:
        simulation, model = self._module.simulation, self._model
        model.opt.timestep = simulation.timestep
        model.opt.integrator = int(mujoco.mjtIntegrator.mjINT_DISCRETE)
        model.dof_damping[:] = simulation.damping
        # The motor's limit is the actuator's own; this one would clip an unlimited run.
        model.jnt_actfrclimited[:] = 0
        model.actuator_biasprm[0, :3] = (0.0, -simulation.kp, -simulation.kd)

    def _start(self, position: float, velocity: float, load_torque: float) -> None:
        """Begin on the reference, close to a steady state.

        Positions and speeds of followers come from the model's couplings; the input lags by the
        torque that load and damping take.
        """
        simulation, data = self._module.simulation, self._data
        mujoco.mj_resetData(self._model, data)
        gains = self._gains(self._input[1])
        drag = simulation.damping * velocity * sum(gain * gain for gain in gains.values())
        needed = drag - load_torque * gains.get(self._output[1], 1.0 / self._module.gear_ratio)
        lag = needed / simulation.kp if simulation.kp > 0.0 else 0.0
        data.qpos[self._input[0]] = position - lag
        data.qvel[self._input[1]] = velocity
        for follower, leader, coefficients in self._couplings:
            offset, gain = coefficients
            data.qpos[follower[0]] = offset + gain * data.qpos[leader[0]]
            data.qvel[follower[1]] = gain * data.qvel[leader[1]]
        data.qfrc_applied[self._output[1]] = load_torque

    def _gains(self, source: int) -> dict[int, float]:
        """For every joint coupled to `source` (degrees of freedom), its speed over that one's."""
        gains = {source: 1.0}
        for follower, leader, (_, gain) in self._couplings:
            if leader[1] in gains:
                gains[follower[1]] = gain * gains[leader[1]]
        return gains

    def _check_sound(self, states: Samples) -> None:
        """A model that diverges is reset by MuJoCo and counted, and shows no NaN."""
        bad = (
            mujoco.mjtWarning.mjWARN_BADQPOS,
            mujoco.mjtWarning.mjWARN_BADQVEL,
            mujoco.mjtWarning.mjWARN_BADQACC,
        )
        if any(self._data.warning[kind].number for kind in bad) or not np.isfinite(states).all():
            simulation = self._module.simulation
            raise MeasurementError(
                f"{self._module.module_id}: the simulation diverged; lower its timestep "
                f"({simulation.timestep:g} s) or load, or raise kp ({simulation.kp:g} N m/rad)"
            )


Address = tuple[int, int]


def _with_servo(file: Path, module: JointModule) -> mujoco.MjModel:
    """The model with one actuator: force = ctrl - kp q - kd v on the input joint."""
    if not file.is_file():
        raise ModelError(f"{file}: there is no such model; generate the module anew")
    try:
        spec = mujoco.MjSpec.from_file(str(file))
        for part in [*spec.sensors, *spec.keys, *spec.actuators, *_only_shown(spec)]:
            spec.delete(part)
        spec.add_actuator(
            name="servo",
            target=module.input_joint,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            ctrllimited=mujoco.mjtLimited.mjLIMITED_FALSE,
            forcelimited=mujoco.mjtLimited.mjLIMITED_FALSE,
        )
        with quiet():
            return spec.compile()
    except ValueError as error:
        raise ModelError(f"{file}: MuJoCo refuses the model: {first_lines(error)}") from error


def _only_shown(spec: mujoco.MjSpec) -> list[Any]:
    """Shapes and meshes, if they neither collide nor weigh anything: they would only cost time."""
    collide = not spec.option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    weigh = not all(body.explicitinertial for body in spec.bodies[1:])
    return [] if collide or weigh else [*spec.geoms, *spec.meshes]


def _addresses(model: mujoco.MjModel, joint: str, file: Path) -> Address:
    """Indices of a joint with one degree of freedom in qpos and qvel."""
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
    if index < 0:
        raise ModelError(f"{file}: has no joint {joint!r}, which the module file names")
    kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    if int(model.jnt_type[index]) not in kinds:
        raise ModelError(f"{file}: joint {joint!r} is neither hinge nor slide")
    return int(model.jnt_qposadr[index]), int(model.jnt_dofadr[index])


def _couplings(model: mujoco.MjModel) -> list[tuple[Address, Address, tuple[float, float]]]:
    """Linear couplings (follower, leader, (offset, gain)), leaders before their followers."""

    def address(joint: int) -> Address:
        return int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])

    found = {}
    for index in range(model.neq):
        is_joint = int(model.eq_type[index]) == int(mujoco.mjtEq.mjEQ_JOINT)
        if is_joint and model.eq_obj2id[index] >= 0:
            follower, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
            offset, gain = map(float, model.eq_data[index, :2])
            found[follower] = (leader, (offset, gain))
    ordered, placed = [], set[int]()
    while len(placed) < len(found):
        ready = [f for f, (leader, _) in found.items() if f not in placed]
        ready = [f for f in ready if found[f][0] in placed or found[f][0] not in found]
        if not ready:
            break
        for follower in ready:
            leader, coefficients = found[follower]
            ordered.append((address(follower), address(leader), coefficients))
            placed.add(follower)
    return ordered


@contextmanager
def _silent_warnings() -> Iterator[None]:
    """MuJoCo's warnings are read from its data; by itself it would write MUJOCO_LOG.TXT here."""
    mujoco.set_mju_user_warning(lambda _message: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(None)
