"""The `stride` command: every subcommand by its import path, imported when it is used."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from stride_base.errors import StrideError
from stride_base.progress_display import quiet_option

#: Subcommand -> `module:command`, in the order in which `stride --help` shows them.
COMMANDS = {
    "up": "stride_bringup.cli.up:up",
    "steer": "stride_bringup.cli.steer:steer",
    "status": "stride_bringup.cli.status:status",
    "view": "stride_bringup.cli.view:view",
    "replay": "stride_bringup.cli.replay:replay",
    "check": "stride_bringup.cli.check:check",
    "preflight": "hexapod_motion.cli.preflight:preflight",
    "sequence": "hexapod_motion.cli.sequence:sequence",
    "walk": "hexapod_motion.cli.walk:walk",
    "record": "stride_bringup.cli.record:record",
    "plot": "stride_recording.cli.plot:plot",
    "scan": "sts3215_driver.cli.scan:scan",
    "find-port": "sts3215_driver.cli.find_port:find_port",
    "set-id": "sts3215_driver.cli.set_id:set_id",
    "set-baud": "sts3215_driver.cli.set_baud:set_baud",
    "read": "sts3215_driver.cli.read:read",
    "write": "sts3215_driver.cli.write:write",
    "dump": "sts3215_driver.cli.dump:dump",
    "restore": "sts3215_driver.cli.restore:restore",
    "calibrate": "sts3215_driver.cli.calibrate:calibrate",
    "monitor": "sts3215_driver.cli.monitor:monitor",
    "servo": "sts3215_driver.cli.servo:servo",
    "sim": "stride_bringup.cli.sim:sim",
    "emulator": "stride_bringup.cli.emulator:emulator",
    "tell": "stride_bringup.cli.tell:tell",
    "robot-model": "stride_bringup.cli.robot_model:robot_model",
    "actuator": "servo_sim.seed_tables:main",
    "module": "joint_module.cli:module",
    "model": "servo_inv.cli:model",
    "identify": "servo_inv.cli:identify",
    "test": "stride_bringup.cli.test:test",
    "check-code": "stride_bringup.cli.check_code:check_code",
    "bench": "stride_bringup.cli.bench:bench",
}


class StrideGroup(click.Group):
    """Finds subcommands in COMMANDS. Errors that Stride raises on purpose are one sentence on standard
    error, and exit code 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StrideError as error:
            # Some errors are of `stride` itself, and say so for `ros2 launch`.
            click.echo(f"stride: {str(error).removeprefix('stride: ')}", err=True)
            sys.exit(1)


@click.group(cls=StrideGroup, context_settings={"help_option_names": ["-h", "--help"]})
@quiet_option
def stride(quiet: bool) -> None:
    """Real-time ROS 2 stack for legged robots on Feetech STS3215 servos."""


def main() -> None:
    """Entry point."""
    stride(prog_name="stride")
