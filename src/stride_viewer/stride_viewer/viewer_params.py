"""Parameters of the node `stride_viewer`."""

from __future__ import annotations

from stride_base.parameters import Param

PARAMS = (
    Param("robot", "", "folder of the robot, for its robot.urdf; empty: topic robot_description"),
    Param("host", "127.0.0.1", "address that the page is served on"),
    Param("port", 0, "port of the page; 0: 8080, or the next that is free", 0, 65535),
    Param("frame_rate", 25.0, "poses per second sent to a page, Hz", 1.0, 100.0),
)
