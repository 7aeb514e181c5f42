"""Entry points of the nodes' processes; importing this imports no node."""

from stride_base.program import program

sts3215_driver = program("sts3215_driver.sts3215_driver_node:main")
