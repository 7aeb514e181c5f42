"""The nodes that can be part of a stack, and which of their parameters follow from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class NodeKind:
    """A node that can be part of a stack; its executable is called as the node.

    Args:
        package: As for `ros2 run`.
        node_class: As in `stack.NodeSpec`.
        computed: Its parameters that the stack computes -> name of the value.
        proposed: Likewise, but robot.yaml may set another value.
    """

    package: str
    node_class: str
    computed: Mapping[str, str]
    proposed: Mapping[str, str] = field(default_factory=dict)


DRIVER = "sts3215_driver"
MOTIONS = {
    "gait_controller": NodeKind(
        "gait_controller",
        "gait_controller.gait_controller_node:GaitControllerNode",
        {"control_file": "control_file", "rate": "rate"},
    ),
    "hexapod_motion": NodeKind(
        "hexapod_motion",
        "hexapod_motion.hexapod_motion_node:HexapodMotionNode",
        {"robot": "robot", "rate": "rate", "frame_prefix": "frame_prefix"},
    ),
}
#: Motion engines that publish odometry.
ODOMETRY = ("hexapod_motion",)
INVERSES = {
    "servo_inv_lead": NodeKind(
        "servo_inv", "servo_inv.servo_inv_lead_node:ServoInvLeadNode", {"period": "period"}
    ),
    "servo_inv_7param": NodeKind(
        "servo_inv",
        "servo_inv.servo_inv_7param_node:ServoInv7ParamNode",
        {"period": "period", "model_file": "model_file"},
    ),
}
EFFORT = "joint_effort"
SIMULATED_ROBOT = "simulated_robot"
VIEWER = "stride_viewer"
KINDS = {
    **MOTIONS,
    **INVERSES,
    DRIVER: NodeKind(
        "sts3215_driver",
        "sts3215_driver.sts3215_driver_node:Sts3215DriverNode",
        {
            "port": "port",
            "port_timeout": "port_timeout",
            "baud_rate": "baud",
            "servo_file": "control_file",
            "rate": "rate",
        },
    ),
    EFFORT: NodeKind(
        "hexapod_motion", "hexapod_motion.joint_effort_node:JointEffortNode", {"robot": "robot"}
    ),
    SIMULATED_ROBOT: NodeKind(
        "servo_sim",
        "servo_sim.simulated_robot_node:SimulatedRobotNode",
        {"socket": "sim_socket", "frame_prefix": "frame_prefix"},
        {"publish_tf": "only_truth_is_known"},
    ),
    VIEWER: NodeKind(
        "stride_viewer",
        "",
        {"robot": "robot", "host": "viewer_host", "port": "viewer_port"},
    ),
}
#: Options of a stack that are one of these names.
CHOICES: Mapping[str, Sequence[str]] = {
    "motion": tuple(MOTIONS),
    "effort": ("none", "statics"),
    "inverse": tuple(INVERSES),
    "simulator": ("auto", "robot", "bench"),
    "viewer": ("on", "off"),
}
#: Shorter names that people type.
ALIASES = {
    "gait": "gait_controller",
    "hexapod": "hexapod_motion",
    "lead": "servo_inv_lead",
    "7param": "servo_inv_7param",
}

# Why robot.yaml does not set what is computed. `baud` is a fact of the robot, and may be there.
_SOURCES = {
    "control_file": "it is the control.json beside this file",
    "robot": "it is option robot",
    "model_file": "it is servo_models.yaml beside this file, else config/servo_models/sts3215_7v4.yaml",
    "rate": "it is control_hz of control.json, or option rate",
    "period": "it is 1 / rate",
    "port": "it is option port",
    "port_timeout": "it is option port_timeout",
    "sim_socket": "it is option sim_socket, or that of the simulator that is started",
    "frame_prefix": "it is option namespace",
    "viewer_host": "it is option viewer_host",
    "viewer_port": "it is option viewer_port",
}


def computed_parameters() -> dict[str, dict[str, str]]:
    """Node -> parameters that robot.yaml must not set -> where their values come from."""
    return {
        name: {p: _SOURCES[value] for p, value in kind.computed.items() if value in _SOURCES}
        for name, kind in KINDS.items()
    }
