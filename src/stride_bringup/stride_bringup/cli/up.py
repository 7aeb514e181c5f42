"""`stride up`: a whole robot, on real servos or simulated, until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stride_base.click_types import TIME
from stride_base.errors import RefusedError
from stride_base.progress_display import Display, quiet_option
from stride_bringup.options import stack_options

if TYPE_CHECKING:
    from stride_base.ending import Ending
    from stride_base.progress import Progress
    from stride_bringup.children import Children
    from stride_bringup.robot_status import RobotStatus
    from stride_bringup.stack import NodeSpec, Stack

TERMINAL_PERIOD = 0.5
#: Between two lines where the output is no terminal, s.
LOG_PERIOD = 10.0
#: The viewer does not slow down the start of the driver: it waits so long at most, s.
START_TIME, START_POLL = 5.0, 0.05
#: What the viewer says before its address, as soon as its page answers.
VIEWER_READY = "viewer on "


@click.command(short_help="Start a robot; without --port a simulated one.")
@stack_options
@click.option("--duration", type=TIME, default=0.0, help="End after so many seconds; 0: at Ctrl-C.")
@click.option("--processes", is_flag=True, help="One process per node instead of one for all.")
@quiet_option
def up(duration: float, processes: bool, quiet: bool, **options: Any) -> None:
    """Start a robot: motion engine, inverse servo model, driver; simulated without --port."""
    from stride_base.ending import Ending
    from stride_bringup.children import ChildError, Children, node_command, program_command
    from stride_bringup.instance_lock import only_instance
    from stride_bringup.stack import build_stack
    from stride_bringup.stack_options import StackOptions
    from sts3215_driver import servo_table

    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    stack = build_stack(StackOptions(**options))
    ending = Ending()
    # In reverse: the nodes end, with torque off, before the servos' emulator does.
    with ending.on_signals(), only_instance(stack), Children(ending) as servos:
        # Before the servos' emulator stumbles over it, whose end would be a second message.
        servo_table.load(stack.robot.control_file)
        click.echo(describe(stack))
        # Over before the driver begins its cycles, which share the interpreter with what is drawn.
        with Display(quiet) as progress:
            if stack.emulator is not None:
                program = stack.emulator
                progress(f"starting {program.executable}")
                servos.start(program.executable, program_command(program), ready=True)
            else:
                _wait_for_port(stack, ending, progress)
        # Torque is off before anybody waits for the viewer to end.
        with Children(ending) as beside, Children(ending) as node_processes:
            if processes:
                for node in stack.nodes:
                    node_processes.start(node.name, node_command(node, stack))
            _run(stack, () if processes else stack.nodes, ending, duration, beside)
    if ending.reason:
        raise ChildError(ending.reason)
    _say("ended")


def _wait_for_port(stack: Stack, ending: Ending, progress: Progress) -> None:
    """As long as `port_timeout` says; the driver then finds the port, or says why not."""
    from sts3215_driver.cli.options import AUTO
    from sts3215_driver.errors import PortError
    from sts3215_driver.transport.serial_port import wait_for_port

    port, patience = stack.options.port, stack.options.port_timeout
    if port != AUTO and patience > 0.0:
        try:
            wait_for_port(port, patience, lambda: ending.requested, progress)
        except PortError:
            # Given up on purpose, which is no error.
            if not ending.requested:
                raise


def describe(stack: Stack) -> str:
    """What starts, where it is, and what to do next."""
    options = stack.options
    what = "servos"
    if stack.emulator:
        what = "robot in MuJoCo" if options.sim_socket else "emulated servos"
    space = f" --namespace {options.namespace}" if options.namespace else ""
    names = " -> ".join(node.name for node in stack.nodes)
    return (
        f"robot {stack.robot.name} ({stack.robot.folder}) at {stack.rate:g} Hz\n"
        f"  {names} -> {what} on {options.port}\n"
        f"  steer:  stride steer 0.5{space}   (from -1 to 1)\n"
        f"  watch:  stride status{space}\n"
        f"  end:    Ctrl-C"
    )


def _run(
    stack: Stack, nodes: Sequence[NodeSpec], ending: Ending, duration: float, beside: Children
) -> None:
    from stride_bringup.runner import Runner
    from stride_bringup.status_node import StatusNode

    with Runner(nodes, stack.options.namespace, ending, extra=[StatusNode]) as runner:
        if not runner.nodes:
            # Ended before anything was started.
            return
        end = time.monotonic() + duration if duration > 0 else float("inf")
        robot: RobotStatus = runner.nodes[0].robot
        terminal = sys.stdout.isatty()
        show, period = (_show_line, TERMINAL_PERIOD) if terminal else (_log_line, LOG_PERIOD)
        if not nodes:
            _wait_for_the_driver(robot, ending, min(START_TIME, duration or START_TIME))
        if not ending.wait(0.0):
            start_viewer(stack, beside, terminal)
        while (left := end - time.monotonic()) > 0 and not ending.wait(min(period, left)):
            show(robot)
        if terminal:
            _say("")


def _wait_for_the_driver(robot: RobotStatus, ending: Ending, patience: float) -> None:
    """Until the driver in its own process reports, at most `patience` s."""
    end = time.monotonic() + patience
    while not (robot.has_bus or ending.wait(START_POLL)) and time.monotonic() < end:
        pass


def start_viewer(stack: Stack, beside: Children, terminal: bool) -> None:
    """The viewer of `stack`, if it wants one; what it says, and why there is none, is one line."""
    from stride_bringup.children import node_command

    if stack.viewer is None:
        return
    # Over the line with the robot's status.
    start = "\r\x1b[2K" if terminal else ""

    def on_line(line: str) -> None:
        _say(f"{start}  look:   {line.removeprefix(VIEWER_READY)}")

    def on_end(what: str) -> None:
        click.echo(f"{start}stride: no viewer: {what}; the robot goes on without", err=True)

    try:
        command = node_command(stack.viewer, stack)
    except RefusedError as error:
        on_end(str(error))
    else:
        beside.start_beside(stack.viewer.name, command, on_line, on_end)


def _show_line(robot: RobotStatus) -> None:
    """Over the previous one; messages of the nodes push it out of the way."""
    width = shutil.get_terminal_size().columns
    _say(f"\r\x1b[2K{robot.line()[: width - 1]}\r", nl=False)


def _log_line(robot: RobotStatus) -> None:
    _say(robot.line())


def _say(text: str, nl: bool = True) -> None:
    """Write to standard output, if anybody is there: a display that is lost does not end the robot."""
    with contextlib.suppress(OSError):
        click.echo(text, nl=nl)
