"""Runs of the shipped single link (`link.xml`) in MuJoCo, with other gains, armature and integrators."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib import resources

import mujoco
import numpy as np
from numpy.typing import NDArray

from servo_sim.actuator import rise_time
from servo_sim.servo_joints import silence_mujoco

START = -0.5  # rad
SECONDS, STEADY = 3.0, 0.5  # of a run, and of its end that counts as steady, s
MASS, LENGTH, RADIUS = 0.3, 0.2, 0.01
TAU_G = MASS * 9.81 * LENGTH / 2.0
#: The SO-101 arm's servo on this link.
SO101 = {"kp": 998.22, "kv": 2.731, "damping": 0.6, "frictionloss": 0.052}


def link_model(
    kp: float,
    kv: float | None = None,
    armature: float = 0.028,
    damping: float = 0.0,
    frictionloss: float = 0.0,
    forcerange: float | None = None,
    integrator: str = "implicitfast",
) -> mujoco.MjModel:
    """The link with other values; without `kv` its damping ratio is 1."""
    root = ElementTree.fromstring((resources.files(__package__) / "link.xml").read_text())
    joint, servo, option = root.find(".//joint"), root.find(".//position"), root.find("option")
    assert joint is not None and servo is not None and option is not None
    joint.attrib.update(
        armature=repr(armature), damping=repr(damping), frictionloss=repr(frictionloss)
    )
    servo.set("kp", repr(kp))
    if kv is not None:
        del servo.attrib["dampratio"]
        servo.set("kv", repr(kv))
    if forcerange is not None:
        servo.set("forcerange", f"{-forcerange!r} {forcerange!r}")
    option.set("integrator", integrator)
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


@dataclass(frozen=True)
class Run:
    """A run from START to the command 0; `q` (n,) rad at `time` (n,) s.

    Args:
        diverged: MuJoCo warned of bad numbers. (It starts anew by itself then, so no NaN shows it.)
    """

    time: NDArray[np.float64]
    q: NDArray[np.float64]
    diverged: bool

    @property
    def _end(self) -> NDArray[np.float64]:
        return self.q[self.time > SECONDS - STEADY + 1e-9]

    @property
    def sag(self) -> float:
        """Mean error at the end, rad."""
        return -float(self._end.mean())

    @property
    def rise(self) -> float:
        """From 10 to 90 % of the way to where it ends, s."""
        return rise_time(self.time, self.q, -self.sag)

    @property
    def chatter(self) -> float:
        """Peak to peak at the end, rad."""
        return float(np.ptp(self._end))


def run(model: mujoco.MjModel) -> Run:
    """Let the link go at START with the command 0."""
    silence_mujoco()
    data = mujoco.MjData(model)
    data.qpos[0] = START
    q, time = [START], [0.0]
    for _ in range(round(SECONDS / model.opt.timestep)):
        mujoco.mj_step(model, data)
        q.append(float(data.qpos[0]))
        time.append(len(time) * model.opt.timestep)
    bad = (
        mujoco.mjtWarning.mjWARN_BADQPOS,
        mujoco.mjtWarning.mjWARN_BADQVEL,
        mujoco.mjtWarning.mjWARN_BADQACC,
    )
    diverged = any(data.warning[warning].number for warning in bad)
    return Run(np.array(time), np.array(q), diverged)
