"""Motion engines without ROS as lock-step steps them: one way to call all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gait_controller import control_file
from gait_controller.controller import DEFAULT_STALL_TORQUE, Controller, Settings
from hexapod_motion.ground_contact import ContactObserver
from hexapod_motion.motion import Motion as HexapodMotion
from hexapod_motion.motion_types import Frame
from hexapod_motion.node_parameters import PARAMS, motion_settings
from hexapod_motion.odometry import Odometer, Odometry
from hexapod_motion.robot_files import load_robot
from stride_base.parameters import Value
from stride_bringup.robots import Robot

Parameters = Mapping[str, Value]


class Wanted(Protocol):
    """A frame of motion: (n,) rad and rad/s."""

    @property
    def position(self) -> NDArray[np.float64]: ...

    @property
    def velocity(self) -> NDArray[np.float64]: ...


class Motion(Protocol):
    """The core of a motion engine."""

    def on_joint_states(self, names: Any, position: Any, velocity: Any, effort: Any) -> None:
        """Measured joints: rad, rad/s, N m."""

    def on_step(self, number: int) -> Wanted | None:
        """The frame for `sync_step` `number`."""

    def on_steering(self, command: float) -> None:
        """Steer, -1 to 1."""


@dataclass(frozen=True)
class MotionCore:
    """A motion engine and the joints of its frames."""

    engine: Motion
    names: tuple[str, ...]


class HexapodEngine:
    """What the node `hexapod_motion` does, without ROS.

    Args:
        robot: Whose folder is read.
        rate: Frames per second, Hz.
        parameters: The node's, where they differ from its defaults.

    Raises:
        StrideError: a file or a parameter is wrong.

    Attributes:
        motion: Takes requests, velocities and poses, as the node's services and topics do.
    """

    def __init__(self, robot: Robot, rate: float, parameters: Parameters) -> None:
        settings = {param.name: param.default for param in PARAMS}
        for param in PARAMS:
            if param.name in parameters:
                settings[param.name] = param.check("hexapod_motion", parameters[param.name])
        files = load_robot(str(robot.folder))
        self.motion = HexapodMotion(
            files.geometry, files.book, files.gaits, motion_settings({**settings, "rate": rate})
        )
        measured = settings["odom_source"] == "measured"
        self._contacts, self._odometer = ContactObserver(self.motion, measured), Odometer()

    @property
    def odometry(self) -> Odometry:
        """What `odom` says."""
        return self._odometer.value

    def on_joint_states(self, names: Any, position: Any, velocity: Any, effort: Any) -> None:
        """See `Motion.on_joint_states`."""
        self.motion.on_joint_states(names, position)

    def on_step(self, number: int) -> Frame | None:
        """See `Motion.on_step`."""
        frame = self.motion.step(number)
        if frame is not None:
            contact = self._contacts.look()
            self._odometer.step(contact.feet, contact.standing, self.motion.dt)
        return frame

    def on_steering(self, command: float) -> None:
        """See `Motion.on_steering`."""
        self.motion.on_steering(command)


def gait_controller(robot: Robot, rate: float, parameters: Parameters) -> MotionCore:
    """The core of the node `gait_controller`."""
    control = control_file.load(robot.control_file)
    settings = Settings(
        dt=1.0 / rate,
        start_measured=True,
        approach_speed=number(parameters, "approach_speed", 0.5),
        steering_rate_limit=number(parameters, "steering_rate_limit", 4.0),
        steering_timeout=number(parameters, "steering_timeout", 0.0),
        stall_torque=number(parameters, "stall_torque", DEFAULT_STALL_TORQUE),
        load_timeout=number(parameters, "load_timeout", 0.1),
    )
    return MotionCore(Controller(control, settings), control.names)


def hexapod_motion(robot: Robot, rate: float, parameters: Parameters) -> MotionCore:
    """The core of the node `hexapod_motion`; its engine is a `HexapodEngine`."""
    engine = HexapodEngine(robot, rate, parameters)
    return MotionCore(engine, engine.motion.geometry.joint_names)


#: Motion engines that can be stepped, by their names in the stack.
MOTION_CORES: dict[str, Callable[[Robot, float, Parameters], MotionCore]] = {
    "gait_controller": gait_controller,
    "hexapod_motion": hexapod_motion,
}


def number(parameters: Parameters, name: str, default: float) -> float:
    """A number that is set, or else `default`."""
    return float(parameters.get(name, default))
