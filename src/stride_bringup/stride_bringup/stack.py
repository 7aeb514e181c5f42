"""What starts together: the one description that the launch file and the single-process runner read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stride_base.errors import ConfigError, RefusedError
from stride_base.parameters import Value
from stride_bringup import parameter_file
from stride_bringup.node_kinds import (
    DRIVER,
    EFFORT,
    KINDS,
    MOTIONS,
    ODOMETRY,
    SIMULATED_ROBOT,
    VIEWER,
    computed_parameters,
)
from stride_bringup.node_tables import known_parameters
from stride_bringup.parameter_file import ParameterFile
from stride_bringup.robots import Robot, find_robot
from stride_bringup.runtime_files import emulator_link
from stride_bringup.stack_options import StackOptions

DEFAULT_BAUD = 1_000_000
#: What comes out of the motion engine when something follows that makes `joints_fixed` of it.
WANTED = {"joints_fixed": "joints_wanted"}


@dataclass(frozen=True)
class NodeSpec:
    """One node to start.

    Args:
        package, executable: As for `ros2 run`.
        node_class: ``module:Class``, to construct it in this process; empty where it must not share one.
        name: Name of the node.
        parameters: All parameters that differ from the node's defaults.
        remappings: Topics of the node -> what they are called in this stack.
    """

    package: str
    executable: str
    node_class: str
    name: str
    parameters: Mapping[str, Value]
    remappings: Mapping[str, str] = field(default_factory=dict)

    def remapping_rules(self) -> list[str]:
        """The remappings as arguments for rclpy."""
        rules = (f"{topic}:={name}" for topic, name in self.remappings.items())
        return [word for rule in rules for word in ("-r", rule)]


@dataclass(frozen=True)
class Program:
    """A program without ROS to start before the nodes."""

    package: str
    executable: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Stack:
    """What starts together.

    Args:
        robot: Whose files are used.
        options: What was chosen, with nothing left to look up.
        rate: Control cycles per second, Hz.
        nodes: In the order of the start: the driver, which is the clock, comes last. They end in
            reverse, so that torque is off before anything else goes away.
        emulator: Answers on `options.port` in place of servos; None with real ones. With
            `options.sim_socket` it is a robot in MuJoCo, and a node publishes what it knows.
        viewer: Starts after the driver, in a process of its own at low priority: it must not keep the
            bus thread waiting, and nobody depends on it. None where it is not wanted.
    """

    robot: Robot
    options: StackOptions
    rate: float
    nodes: tuple[NodeSpec, ...]
    emulator: Program | None
    viewer: NodeSpec | None = None


def build_stack(options: StackOptions) -> Stack:
    """Describe what starts for `options`. Reads the robot's files, starts nothing.

    Raises:
        ConfigError: an option or a value in the robot's files is wrong; lists what exists.
        RefusedError: there is no such robot, or it lacks a file that an option needs.
        FileError: a file of the robot cannot be read.
    """
    options = options.checked()
    robot = find_robot(options.robot)
    if options.effort != "none" and not robot.body_file.is_file():
        raise RefusedError(f"{robot.folder} has no {robot.body_file.name} to calculate effort from")
    parameters = parameter_file.load(
        robot.parameter_file, computed_parameters(), known_parameters()
    )
    rate = options.rate or robot.control_hz()
    port = options.port or str(emulator_link(robot.name, options.namespace))
    baud = options.baud or _own_baud(parameters)
    in_physics = not options.port and _in_physics(robot, options.simulator)
    sim_socket = f"{port}.control" if in_physics else options.sim_socket
    used = replace(
        options, robot=str(robot.folder), port=port, sim_socket=sim_socket, baud=baud, rate=rate
    )
    emulator = None if options.port else _emulator(robot, port, baud, in_physics)
    computed = _computed(robot, used)
    nodes = tuple(
        _spec(
            name, parameters, computed, WANTED if used.effort != "none" and name in MOTIONS else {}
        )
        for name in _node_names(used)
    )
    viewer = _spec(VIEWER, parameters, computed, {}) if used.viewer == "on" else None
    return Stack(robot, used, rate, nodes, emulator, viewer)


def frame_prefix(namespace: str) -> str:
    """What the names of a robot's frames begin with: `/tf` is one topic for all robots."""
    return f"{namespace.strip('/')}/" if namespace else ""


def _computed(robot: Robot, used: StackOptions) -> dict[str, Value]:
    """Values for `NodeKind.computed`."""
    return {
        "control_file": str(robot.control_file),
        "robot": str(robot.folder),
        "model_file": str(robot.servo_models),
        "rate": used.rate,
        "period": 1.0 / used.rate,
        "port": used.port,
        "port_timeout": used.port_timeout,
        "baud": used.baud,
        "sim_socket": used.sim_socket,
        "frame_prefix": frame_prefix(used.namespace),
        # A frame has one parent: hexapod_motion's odometry is that of the body's where it is.
        "only_truth_is_known": used.motion not in ODOMETRY,
        "viewer_host": used.viewer_host,
        "viewer_port": used.viewer_port,
    }


def _node_names(used: StackOptions) -> tuple[str, ...]:
    names: tuple[str, ...] = (used.motion, used.inverse, DRIVER)
    if used.effort != "none":
        names = (used.motion, EFFORT, used.inverse, DRIVER)
    if used.sim_socket:
        names = (SIMULATED_ROBOT, *names)
    return names


def _spec(
    name: str,
    parameters: ParameterFile,
    computed: Mapping[str, Value],
    remappings: Mapping[str, str],
) -> NodeSpec:
    kind = KINDS[name]
    proposed = {parameter: computed[value] for parameter, value in kind.proposed.items()}
    values = {**proposed, **parameters.of_node(name)}
    values |= {parameter: computed[value] for parameter, value in kind.computed.items()}
    return NodeSpec(kind.package, name, kind.node_class, name, values, remappings)


def _own_baud(parameters: ParameterFile) -> int:
    value = parameters.of_node(DRIVER).get("baud_rate", DEFAULT_BAUD)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ConfigError(parameters.path, "", "baud_rate", value, "a bit rate in bit/s")
    return value


def _in_physics(robot: Robot, simulator: str) -> bool:
    if simulator == "auto":
        return robot.model_file.is_file()
    if simulator == "robot" and not robot.model_file.is_file():
        raise RefusedError(f"{robot.folder} has no {robot.model_file.name} to simulate")
    return simulator == "robot"


def _emulator(robot: Robot, link: str, baud: int, in_physics: bool) -> Program:
    arguments: tuple[str, ...] = ("--link", link, "--servo-file", str(robot.control_file))
    arguments += ("--baud", str(baud), "--wire-time")
    if in_physics:
        return Program("servo_sim", "servo_sim", (*arguments, "--model", str(robot.model_file)))
    return Program("sts3215_driver", "sts3215_emulator", arguments)
