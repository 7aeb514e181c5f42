"""All nodes of a stack in one process, on one executor: `stride_runner`, and inside `stride up`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rclpy.parameter import Parameter
from rclpy.utilities import remove_ros_args

from stride_base.ending import Ending
from stride_base.errors import MISSING, ConfigError, StrideError
from stride_base.running import running
from stride_bringup.instance_lock import only_instance
from stride_bringup.options import parse_options
from stride_bringup.stack import OWNER, NodeSpec, Stack, build_stack


def node_maker(spec: NodeSpec) -> Callable[..., Any]:
    """The class of `spec` with its parameters, to be called with context and namespace."""
    module, _, name = spec.node_class.partition(":")
    node_class = getattr(importlib.import_module(module), name)
    overrides = [Parameter(name, value=value) for name, value in spec.parameters.items()]
    return partial(node_class, parameter_overrides=overrides)


def run(stack: Stack, ros_arguments: Sequence[str] = ()) -> int:
    """Run `stack` until a signal.

    Returns:
        Exit code: 0 after a signal, 1 when a part of the stack ended it.

    Raises:
        StrideError: it cannot be started; nothing moves.
    """
    ending = Ending()
    # Everything is imported before a node starts: an import would hold up the driver's cycles.
    makers = [node_maker(spec) for spec in stack.nodes]
    with (
        ending.on_signals(),
        only_instance(stack),
        running(makers, ending, ros_arguments, namespace=stack.options.namespace),
    ):
        ending.wait()
    return 1 if ending.reason else 0


def main() -> None:
    """`stride_runner`: the options of a stack; `--port` is needed, it starts no emulator."""
    own = remove_ros_args(sys.argv)[1:]
    try:
        options = parse_options("stride_runner", own)
        if not options.port:
            raise ConfigError(OWNER, "", "port", MISSING, "the serial port of the servo bus")
        sys.exit(run(build_stack(options), sys.argv[1:]))
    except StrideError as error:
        print(f"stride_runner: {error}", file=sys.stderr)
        sys.exit(1)
