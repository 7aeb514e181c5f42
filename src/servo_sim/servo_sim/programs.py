"""Entry points of the nodes' processes; importing this imports no node."""

from stride_base.program import program

simulated_robot = program("servo_sim.simulated_robot_node:main")
