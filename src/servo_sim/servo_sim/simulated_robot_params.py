"""Parameters of the node `simulated_robot`."""

from __future__ import annotations

from stride_base.parameters import Param

PARAMS = (
    Param("socket", "", "control socket of the simulator"),
    Param("rate", 50.0, "messages of pose and IMU per second, Hz", 0.1, 500.0),
    Param("frame_prefix", "", "what the frames begin with; as of robot_state_publisher"),
    Param("publish_tf", False, "broadcast the true pose on /tf, where tf2_msgs is installed"),
    Param("push_time", 0.1, "how long a push lasts, s", 0.002, 60.0),
)
