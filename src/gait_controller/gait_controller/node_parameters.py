"""Parameters of the node `gait_controller`."""

from __future__ import annotations

from gait_controller.controller import DEFAULT_STALL_TORQUE
from stride_base.parameters import Param

PARAMS = (
    Param("control_file", "", "path of the control file, format 2 or 3"),
    Param("rate", 0.0, "ticks per second, Hz; 0: control_hz of the file", 0.0, 1000.0),
    Param(
        "clock_source",
        "sync_step",
        "what starts a tick: the driver's count, or a timer of this node",
        choices=("sync_step", "timer"),
    ),
    Param(
        "start",
        "auto",
        "measured: move from the present pose to the first one; zero: begin at 0 rad at once; "
        "auto: measured with sync_step, zero with timer",
        choices=("auto", "measured", "zero"),
    ),
    Param(
        "approach_speed",
        0.5,
        "fastest joint on the way to the first pose, rad/s",
        0.01,
        4.71,
        live=True,
    ),
    Param(
        "steering_rate_limit",
        4.0,
        "fastest change of the steering command, 1/s; 0: no limit",
        0.0,
        1000.0,
        live=True,
    ),
    Param(
        "steering_timeout",
        0.0,
        "time without a steering command after which it returns to 0, s; 0: never",
        0.0,
        3600.0,
        live=True,
    ),
    Param("stall_torque", DEFAULT_STALL_TORQUE, "effort that is a load of 1, N m", 0.001, 1000.0),
    Param("load_timeout", 0.1, "age up to which a measured joint counts, s", 0.0, 60.0),
)
