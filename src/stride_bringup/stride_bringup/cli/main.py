"""The `stride` command: one subcommand per file."""

import click

from joint_module.cli import module
from stride_bringup.cli.check_code import check_code
from stride_bringup.cli.test import test


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Real-time ROS 2 stack for legged robots on Feetech STS3215 servos."""


main.add_command(test)
main.add_command(check_code)
main.add_command(module)
