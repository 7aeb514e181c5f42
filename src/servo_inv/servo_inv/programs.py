"""Entry points of the nodes' processes; importing this imports no node."""

from stride_base.program import program

servo_inv_7param = program("servo_inv.servo_inv_7param_node:main")
servo_inv_lead = program("servo_inv.servo_inv_lead_node:main")
