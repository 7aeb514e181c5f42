"""Entry points; importing this imports nothing that takes long."""

from stride_base.program import program

stride = program("stride_bringup.cli.main:main")
stride_runner = program("stride_bringup.runner:main")
