"""`stride status`: a running robot, joint by joint."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from stride_base.click_types import TIME
from stride_base.errors import RefusedError
from stride_base.progress_display import Display, quiet_option
from stride_bringup.cli.console import console

if TYPE_CHECKING:
    from stride_base.ending import Ending
    from stride_bringup.status_node import StatusNode

REFRESH_PERIOD = 0.25


@click.command()
@click.option("--once", is_flag=True, help="Print once and end.")
@click.option("--namespace", default="", help="Namespace of the robot.")
@click.option(
    "--timeout",
    type=TIME,
    default=5.0,
    show_default=True,
    help="How long --once waits for news, s.",
)
@quiet_option
def status(once: bool, namespace: str, timeout: float, quiet: bool) -> None:
    """Show goal, position, load and health of each joint, live."""
    from rich.live import Live

    from stride_base.ending import Ending
    from stride_bringup.runner import Runner
    from stride_bringup.stack_options import canonical_namespace
    from stride_bringup.status_node import StatusNode

    space = canonical_namespace(namespace)
    ending = Ending()
    make = partial(StatusNode, joints=True)
    with ending.on_signals(), Runner((), space, ending, extra=[make]) as runner:
        if ending.wait(0.0):
            return
        node: StatusNode = runner.nodes[0]
        if once:
            with Display(quiet) as progress:
                progress("waiting for news of the robot")
                _wait_for_news(node, ending, timeout)
            console().print(view(node))
            if node.states is None:
                raise RefusedError(f"no servo states in namespace {space or '/'}: nothing to show")
            return
        with Live(view(node), auto_refresh=False, screen=False) as live:
            while not ending.wait(REFRESH_PERIOD):
                live.update(view(node), refresh=True)


def _wait_for_news(node: StatusNode, ending: Ending, timeout: float) -> None:
    from stride_bringup.robot_status import UNKNOWN

    end = time.monotonic() + timeout
    while node.states is None or node.robot.bus() is UNKNOWN:
        if ending.wait(0.05) or time.monotonic() >= end:
            return


def view(node: StatusNode) -> Any:
    """Everything of `node` as one rich renderable."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from stride_bringup.robot_status import JOINT_COLUMNS, missing_nodes

    lines = [Text(f"not running: {what}", "red") for what in missing_nodes(node.running())]
    table = Table()
    for column in JOINT_COLUMNS:
        table.add_column(column, justify="left" if column in ("joint", "flags") else "right")
    for joint in node.joints():
        cells = [Text(cell) for cell in joint.cells()]
        table.add_row(*cells, style="yellow" if joint.troubled else None)
    body = [table] if table.row_count else []
    return Group(*body, Text(node.robot.line()), *lines)
