"""The emulated bus with a robot in MuJoCo behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joint_module.limits import limits_of
from servo_sim.robot_plant import RobotPlant
from servo_sim.servo_joints import load_model
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.plant import Plant
from sts3215_driver.emulator.profile import Profile
from sts3215_driver.emulator.servo_file import Joint


@dataclass(frozen=True)
class SimulatedBus:
    """A bus and the robot on it."""

    bus: EmulatedBus
    robot: RobotPlant


def build_simulated_bus(
    setup: Setup, model: Path, joint_module: Path | None = None
) -> SimulatedBus:
    """A bus as chosen, with the robot of `model` put down on the floor in its pose.

    Args:
        setup: Servos and bus; the joints have names.
        model: MJCF with hinges of these names.
        joint_module: Joint module file whose position limits hold for all joints as well.

    Raises:
        StrideError: a choice that makes no sense, or a model that cannot be used.
    """
    made: list[RobotPlant] = []

    def make(profile: Profile, joints: Sequence[Joint], supply: float | None) -> Plant:
        signs = [joint.sign for joint in joints]
        names = [joint.name for joint in joints]
        limits = None if joint_module is None else limits_of(joint_module).position
        servos = load_model(model, names, signs, profile.motor, limits)
        made.append(RobotPlant(servos, profile, signs, supply))
        return made[0]

    bus = build_bus(setup, make)
    robot = made[0]
    robot.put_down()
    return SimulatedBus(bus, robot)
