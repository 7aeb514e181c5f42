"""What starts together: the one description that the launch file and the single-process runner read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from stride_base.errors import ConfigError, RefusedError
from stride_base.parameters import Value
from stride_bringup import parameter_file
from stride_bringup.node_tables import known_parameters
from stride_bringup.parameter_file import ParameterFile
from stride_bringup.robots import FASTEST, Robot, find_robot
from stride_bringup.runtime_files import emulator_link

DEFAULT_BAUD = 1_000_000
#: Names of topics and files hold it, and have limits of their own.
LONGEST_NAMESPACE = 100
OWNER = "stride"


def _option(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class StackOptions:
    """What a user chooses; `help_of` has the words for it."""

    robot: str = _option("hexapod", "folder in config/robots, or the path of such a folder")
    motion: str = _option("gait_controller", "motion engine")
    effort: str = _option(
        "none", "torque that motion asks for; statics: of gravity, for robots with a body.yaml"
    )
    inverse: str = _option("servo_inv_lead", "inverse servo model")
    port: str = _option("", "serial port of the servo bus; empty: a simulator is started")
    simulator: str = _option(
        "auto", "without a port: robot in MuJoCo, servos on a bench, or auto: robot.xml decides"
    )
    sim_socket: str = _option(
        "",
        "control socket of a simulated robot that runs already, to publish its pose; empty: none",
    )
    baud: int = _option(0, "bit rate of the port, bit/s; 0: the robot's own, else 1000000")
    rate: float = _option(0.0, "control cycles per second, Hz; 0: control_hz of the control file")
    port_timeout: float = _option(0.0, "how long to wait at the start for the port to appear, s")
    namespace: str = _option("", "ROS namespace, for several robots; empty: none")

    @staticmethod
    def from_texts(texts: Mapping[str, str]) -> StackOptions:
        """Options as a launch file has them; ConfigError if one is no number where it must be."""
        values: dict[str, Any] = {}
        for option in fields(StackOptions):
            if option.name in texts:
                kind: Callable[[str], Any] = type(option.default)
                text = texts[option.name]
                try:
                    values[option.name] = kind(text)
                except ValueError as error:
                    help_text = option.metadata["help"]
                    raise ConfigError(OWNER, "", option.name, text, help_text) from error
        return StackOptions(**values)

    def arguments(self) -> list[str]:
        """These options on the command line of `stride_runner` and `stride up`."""
        values = [(f.name.replace("_", "-"), getattr(self, f.name)) for f in fields(self)]
        return [word for name, value in values if value for word in (f"--{name}", str(value))]


def help_of(option: str) -> str:
    """Description of a field of StackOptions."""
    return next(str(f.metadata["help"]) for f in fields(StackOptions) if f.name == option)


@dataclass(frozen=True)
class NodeSpec:
    """One node to start.

    Args:
        package, executable: As for `ros2 run`.
        node_class: ``module:Class``, to construct it in this process.
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
    """

    robot: Robot
    options: StackOptions
    rate: float
    nodes: tuple[NodeSpec, ...]
    emulator: Program | None


@dataclass(frozen=True)
class _Kind:
    """A node that can be part of a stack; its executable is called as the node.

    Args:
        package, node_class: As in NodeSpec.
        computed: Its parameters that the stack computes -> name of the value.
    """

    package: str
    node_class: str
    computed: Mapping[str, str]


DRIVER = "sts3215_driver"
MOTIONS = {
    "gait_controller": _Kind(
        "gait_controller",
        "gait_controller.gait_controller_node:GaitControllerNode",
        {"control_file": "control_file", "rate": "rate"},
    ),
    "hexapod_motion": _Kind(
        "hexapod_motion",
        "hexapod_motion.hexapod_motion_node:HexapodMotionNode",
        {"robot": "robot", "rate": "rate"},
    ),
}
INVERSES = {
    "servo_inv_lead": _Kind(
        "servo_inv", "servo_inv.servo_inv_lead_node:ServoInvLeadNode", {"period": "period"}
    ),
    "servo_inv_7param": _Kind(
        "servo_inv",
        "servo_inv.servo_inv_7param_node:ServoInv7ParamNode",
        {"period": "period", "model_file": "model_file"},
    ),
}
#: Shorter names that people type.
ALIASES = {
    "gait": "gait_controller",
    "hexapod": "hexapod_motion",
    "lead": "servo_inv_lead",
    "7param": "servo_inv_7param",
}
_DRIVER_KIND = _Kind(
    "sts3215_driver",
    "sts3215_driver.sts3215_driver_node:Sts3215DriverNode",
    {
        "port": "port",
        "port_timeout": "port_timeout",
        "baud_rate": "baud",
        "servo_file": "control_file",
        "rate": "rate",
    },
)
EFFORT = "joint_effort"
EFFORTS = ("none", "statics")
_EFFORT_KIND = _Kind(
    "hexapod_motion",
    "hexapod_motion.joint_effort_node:JointEffortNode",
    {"robot": "robot"},
)
#: What comes out of the motion engine when something follows that makes `joints_fixed` of it.
WANTED = {"joints_fixed": "joints_wanted"}
SIMULATED_ROBOT = "simulated_robot"
_SIMULATED_ROBOT_KIND = _Kind(
    "servo_sim",
    "servo_sim.simulated_robot_node:SimulatedRobotNode",
    {"socket": "sim_socket"},
)
_KINDS = {
    **MOTIONS,
    **INVERSES,
    DRIVER: _DRIVER_KIND,
    EFFORT: _EFFORT_KIND,
    SIMULATED_ROBOT: _SIMULATED_ROBOT_KIND,
}
SIMULATORS = ("auto", "robot", "bench")

# Why robot.yaml does not set what is computed. `baud_rate` is a fact of the robot, and may be there.
_SOURCES = {
    "control_file": "it is the control.json beside this file",
    "servo_file": "it is the control.json beside this file",
    "robot": "it is option robot",
    "model_file": "it is servo_models.yaml beside this file, else config/servo_models/sts3215_7v4.yaml",
    "rate": "it is control_hz of control.json, or option rate",
    "period": "it is 1 / rate",
    "port": "it is option port",
    "port_timeout": "it is option port_timeout",
    "socket": "it is option sim_socket, or that of the simulator that is started",
}


def build_stack(options: StackOptions) -> Stack:
    """Describe what starts for `options`. Reads the robot's files, starts nothing.

    Raises:
        ConfigError: an option or a value in the robot's files is wrong; lists what exists.
        RefusedError: there is no such robot, or it lacks a file that an option needs.
        FileError: a file of the robot cannot be read.
    """
    options = replace(
        options,
        motion=ALIASES.get(options.motion, options.motion),
        inverse=ALIASES.get(options.inverse, options.inverse),
    )
    _choose(options, "motion", MOTIONS)
    _choose(options, "effort", EFFORTS)
    _choose(options, "inverse", INVERSES)
    _choose(options, "simulator", SIMULATORS)
    namespace = canonical_namespace(options.namespace)
    if not (math.isfinite(options.rate) and 0 <= options.rate <= FASTEST):
        expected = f"0 or a number up to {FASTEST:g}, control rate in Hz"
        raise ConfigError(OWNER, "", "rate", options.rate, expected)
    if not 0 <= options.port_timeout < math.inf:
        raise ConfigError(OWNER, "", "port_timeout", options.port_timeout, "0 or a time in s")
    if options.baud < 0:
        raise ConfigError(OWNER, "", "baud", options.baud, "0 or a bit rate in bit/s")
    robot = find_robot(options.robot)
    if options.effort != "none" and not robot.body_file.is_file():
        raise RefusedError(f"{robot.folder} has no {robot.body_file.name} to calculate effort from")
    not_there = {
        name: {
            parameter: _SOURCES[parameter] for parameter in kind.computed if parameter in _SOURCES
        }
        for name, kind in _KINDS.items()
    }
    parameters = parameter_file.load(robot.parameter_file, not_there, known_parameters())
    rate = options.rate or robot.control_hz()
    port = options.port or str(emulator_link(robot.name, namespace))
    baud = options.baud or _own_baud(parameters)
    in_physics = not options.port and _in_physics(robot, options.simulator)
    sim_socket = f"{port}.control" if in_physics else options.sim_socket
    computed: dict[str, Value] = {
        "control_file": str(robot.control_file),
        "robot": str(robot.folder),
        "model_file": str(robot.servo_models),
        "rate": rate,
        "period": 1.0 / rate,
        "port": port,
        "port_timeout": options.port_timeout,
        "baud": baud,
        "sim_socket": sim_socket,
    }
    names: tuple[str, ...] = (options.motion, options.inverse, DRIVER)
    if options.effort != "none":
        names = (options.motion, EFFORT, options.inverse, DRIVER)
    if sim_socket:
        names = (SIMULATED_ROBOT, *names)
    nodes = tuple(
        _spec(name, parameters, computed, WANTED if EFFORT in names and name in MOTIONS else {})
        for name in names
    )
    used = StackOptions(
        robot=str(robot.folder),
        motion=options.motion,
        effort=options.effort,
        inverse=options.inverse,
        port=port,
        simulator=options.simulator,
        sim_socket=sim_socket,
        baud=baud,
        rate=rate,
        port_timeout=options.port_timeout,
        namespace=namespace,
    )
    emulator = None if options.port else _emulator(robot, port, baud, in_physics)
    return Stack(robot, used, rate, nodes, emulator)


def canonical_namespace(namespace: str) -> str:
    """`namespace` with one leading slash, or empty.

    Raises:
        ConfigError: it is no ROS namespace.
    """
    names = namespace.strip("/")
    if not names:
        return ""
    pattern = r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*"
    if len(names) > LONGEST_NAMESPACE or not re.fullmatch(pattern, names, re.ASCII):
        expected = (
            "names of letters, digits and _ that start with a letter, joined by /, "
            f"at most {LONGEST_NAMESPACE} characters"
        )
        raise ConfigError(OWNER, "", "namespace", namespace, expected)
    return f"/{names}"


def _choose(options: StackOptions, option: str, known: Collection[str]) -> None:
    value = getattr(options, option)
    if value not in known:
        raise ConfigError(OWNER, "", option, value, f"one of {', '.join(known)}")


def _spec(
    name: str,
    parameters: ParameterFile,
    computed: Mapping[str, Value],
    remappings: Mapping[str, str],
) -> NodeSpec:
    kind = _KINDS[name]
    values = parameters.of_node(name)
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
