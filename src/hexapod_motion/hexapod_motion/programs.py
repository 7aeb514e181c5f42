"""Entry points of the nodes' processes; importing this imports no node."""

from stride_base.program import program

hexapod_motion = program("hexapod_motion.hexapod_motion_node:main")
joint_effort = program("hexapod_motion.joint_effort_node:main")
