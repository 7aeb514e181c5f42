"""The `stride` command: one subcommand per file. What a subcommand needs is imported when it runs."""

from __future__ import annotations

import sys
from typing import Any

import click

from stride_base.errors import StrideError
from stride_bringup.cli.bench import bench
from stride_bringup.cli.check import check
from stride_bringup.cli.check_code import check_code
from stride_bringup.cli.emulator import emulator
from stride_bringup.cli.status import status
from stride_bringup.cli.steer import steer
from stride_bringup.cli.test import test
from stride_bringup.cli.up import up


class _Stride(click.Group):
    """Errors that Stride raises on purpose are one sentence on standard error, and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StrideError as error:
            click.echo(f"stride: {error}", err=True)
            sys.exit(1)


@click.group(cls=_Stride, context_settings={"help_option_names": ["-h", "--help"]})
def stride() -> None:
    """Real-time ROS 2 stack for legged robots on Feetech STS3215 servos."""


for _command in (up, steer, status, check, emulator, test, check_code, bench):
    stride.add_command(_command)


def main() -> None:
    """Entry point."""
    stride(prog_name="stride")
