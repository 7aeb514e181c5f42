"""Parameters of the node `hexapod_motion`, and what they make."""

from __future__ import annotations

from collections.abc import Mapping

from hexapod_motion.commands import CommandSettings
from hexapod_motion.motion_types import MotionSettings
from hexapod_motion.walk_rules import WalkSettings
from stride_base.parameters import Param, Value

PARAMS = (
    Param("robot", "hexapod", "name of a robot in config/robots, or the path of its folder"),
    Param("rate", 150.0, "frames per second, Hz", 1.0, 1000.0),
    Param(
        "clock_source",
        "sync_step",
        "what starts a frame: the driver's count, or a timer of this node",
        choices=("sync_step", "timer"),
    ),
    Param(
        "start",
        "auto",
        "measured: wait for the pose and move to the floor pose from there; assumed: begin in the "
        "floor pose; auto: measured with sync_step, assumed with timer",
        choices=("auto", "measured", "assumed"),
    ),
    Param(
        "approach_speed",
        0.5,
        "fastest joint on the way to the floor pose, rad/s",
        0.01,
        4.71,
        live=True,
    ),
    Param(
        "sequence_speed",
        1.0,
        "how much faster than their tables sequences run",
        0.1,
        2.0,
        live=True,
    ),
    Param(
        "command_timeout", 0.5, "time after which a velocity command ends, s", 0.02, 60.0, live=True
    ),
    Param("steering_speed", 0.1, "forward velocity of steering, m/s", -1.0, 1.0, live=True),
    Param("steering_turn", 0.25, "turn of steering 1, to the left, rad/s", 0.0, 3.0, live=True),
    Param("gait", "tripod", "gait to walk with, one of gaits.yaml", live=True),
    Param(
        "cycle_time",
        0.0,
        "duration of the gait's cycle, s; 0: the gait's own",
        0.0,
        60.0,
        live=True,
    ),
    Param("step_height", 0.025, "how high feet are lifted, m", 0.001, 0.2, live=True),
    Param(
        "stance_width",
        0.0,
        "how much further out than when standing feet are planted, m",
        -0.1,
        0.2,
        live=True,
    ),
    Param("acceleration", 0.6, "fastest change of the velocity, m/s^2", 0.01, 10.0, live=True),
    Param("levelling", False, "keep the body level by the topic imu", live=True),
    Param("publish_odom", True, "publish odom"),
    Param(
        "odom_source",
        "commanded",
        "which joints odometry looks at: those of the frames, or those of joint_states",
        choices=("commanded", "measured"),
    ),
    Param("odom_frame", "odom", "frame in which the robot moves"),
    Param("base_frame", "base_link", "frame of the body"),
    Param("frame_prefix", "", "what both frames begin with; as of robot_state_publisher"),
    Param("publish_tf", True, "broadcast the body's frame on /tf, where tf2_msgs is installed"),
)


def motion_settings(settings: Mapping[str, Value]) -> MotionSettings:
    """Settings of the core from parameter values by name."""
    start = settings["start"]
    if start == "auto":
        start = "measured" if settings["clock_source"] == "sync_step" else "assumed"
    return MotionSettings(
        rate=float(settings["rate"]),
        start_measured=start == "measured",
        approach_speed=float(settings["approach_speed"]),
        sequence_speed=float(settings["sequence_speed"]),
        walk=walk_settings(settings),
        commands=command_settings(settings),
        levelling=bool(settings["levelling"]),
    )


def walk_settings(settings: Mapping[str, Value]) -> WalkSettings:
    """How to walk; metres become millimetres."""
    return WalkSettings(
        gait=str(settings["gait"]),
        cycle_time=float(settings["cycle_time"]),
        step_height=1000.0 * float(settings["step_height"]),
        stance_width=1000.0 * float(settings["stance_width"]),
        acceleration=1000.0 * float(settings["acceleration"]),
    )


def command_settings(settings: Mapping[str, Value]) -> CommandSettings:
    """How commands are taken; metres become millimetres."""
    return CommandSettings(
        timeout=float(settings["command_timeout"]),
        steering_speed=1000.0 * float(settings["steering_speed"]),
        steering_turn=float(settings["steering_turn"]),
    )
