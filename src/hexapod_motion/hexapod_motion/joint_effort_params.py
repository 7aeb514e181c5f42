"""Parameters of the node `joint_effort`."""

from __future__ import annotations

from stride_base.parameters import Param

PARAMS = (Param("robot", "hexapod", "name of a robot in config/robots, or the path of its folder"),)
