"""All nodes of a stack in one process, on one executor: `stride_runner`, and inside `stride up`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from rclpy.parameter import Parameter
from rclpy.utilities import remove_ros_args

from stride_base.ending import Ending
from stride_base.errors import MISSING, ConfigError, StrideError
from stride_base.running import running
from stride_bringup.instance_lock import only_instance
from stride_bringup.options import parse_options
from stride_bringup.stack import NodeSpec, Stack, build_stack
from stride_bringup.stack_options import OWNER


class Runner:
    """Nodes of a stack in this process; a context manager, see `stride_base.running.running`.

    Args:
        nodes: What to construct. Their modules are imported here and now, since an import would hold
            up the cycles of a driver that runs already.
        namespace: Of all nodes; empty for none.
        ending: Is told when a node fails; a request ends the start.
        ros_arguments: Command line for rclpy.
        extra: Classes of more nodes; they start first and end last.

    Raises:
        StrideError: on entering, from a node that refuses to start; those before it are closed.
    """

    def __init__(
        self,
        nodes: Sequence[NodeSpec],
        namespace: str,
        ending: Ending,
        ros_arguments: Sequence[str] = (),
        extra: Sequence[Callable[..., Any]] = (),
    ) -> None:
        makers = [*extra, *[_maker(spec) for spec in nodes]]
        self._running = running(makers, ending, ros_arguments, namespace=namespace)
        self.nodes: list[Any] = []

    def __enter__(self) -> Runner:
        self.nodes = self._running.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running.__exit__(kind, error, traceback)


def _maker(spec: NodeSpec) -> Callable[..., Any]:
    module, _, name = spec.node_class.partition(":")
    node_class = getattr(importlib.import_module(module), name)
    overrides = [Parameter(name, value=value) for name, value in spec.parameters.items()]
    arguments = ["--ros-args", *spec.remapping_rules()] if spec.remappings else None
    return partial(node_class, parameter_overrides=overrides, cli_args=arguments)


def run(stack: Stack, ros_arguments: Sequence[str] = ()) -> int:
    """Run `stack` until a signal.

    Returns:
        Exit code: 0 after a signal, 1 when a part of the stack ended it.

    Raises:
        StrideError: it cannot be started; nothing moves.
    """
    ending = Ending()
    with (
        ending.on_signals(),
        only_instance(stack),
        Runner(stack.nodes, stack.options.namespace, ending, ros_arguments),
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
