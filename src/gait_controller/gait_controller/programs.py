"""Entry points of the nodes' processes; importing this imports no node."""

from stride_base.program import program

gait_controller = program("gait_controller.gait_controller_node:main")
