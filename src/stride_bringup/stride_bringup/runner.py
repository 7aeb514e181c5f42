"""All nodes of a stack in one process, on one executor: `stride_runner`, and inside `stride up`."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from stride_base.errors import MISSING, ConfigError, StrideError
from stride_bringup.ending import Ending
from stride_bringup.instance_lock import only_instance
from stride_bringup.options import parse_options
from stride_bringup.stack import OWNER, NodeSpec, Stack, build_stack

#: Longest time that a thread of Python keeps another from running, s. The bus thread shares the
#: interpreter with the nodes; with Python's 5 ms it would come late.
SWITCH_INTERVAL = 0.0005


class Runner:
    """Nodes in one process, with a ROS context of their own; a context manager.

    Entering constructs the nodes in order and starts to spin them on a thread, so that the caller's
    thread is free for signals and a display. Leaving calls `close()` of each node in reverse order.

    Args:
        nodes: What to construct.
        namespace: Of all nodes; empty for none.
        ending: Is told when spinning ends; a request before the last node is constructed ends the start.
        ros_arguments: Command line for rclpy.
        extra: Makers of more nodes, called with the node arguments; they start first and end last.

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
        self._specs, self._namespace, self._ending = nodes, namespace, ending
        self._ros_arguments = list(ros_arguments)
        self._extra = extra
        self._undo = ExitStack()
        self._stop = threading.Event()
        self._spinning: Future[None] | None = None
        self.nodes: list[Any] = []

    def __enter__(self) -> Runner:
        with ExitStack() as undo:
            context = rclpy.Context()
            rclpy.init(
                args=self._ros_arguments,
                context=context,
                # Its handlers would take the context away before the nodes have closed.
                signal_handler_options=SignalHandlerOptions.NO,
            )
            undo.callback(context.try_shutdown)
            executor = SingleThreadedExecutor(context=context)
            undo.callback(executor.shutdown)
            undo.callback(sys.setswitchinterval, sys.getswitchinterval())
            sys.setswitchinterval(SWITCH_INTERVAL)
            arguments = {"context": context, "namespace": self._namespace}
            # Everything is imported before the last node, the driver, starts its cycles.
            makers = [*self._extra, *[_maker(spec) for spec in self._specs]]
            gc.collect()
            for make in makers:
                if self._ending.wait(0.0):
                    break
                # What exists stays: the collector need not look at it again and again.
                gc.freeze()
                node = make(**arguments)
                undo.callback(node.destroy_node)
                undo.callback(node.close)
                executor.add_node(node)
                self.nodes.append(node)
            gc.freeze()
            undo.callback(gc.unfreeze)
            thread = undo.enter_context(ThreadPoolExecutor(1, "executor"))
            undo.callback(executor.create_task, self._stop.set)
            self._spinning = thread.submit(self._spin, executor)
            self._spinning.add_done_callback(self._on_spun)
            self._undo = undo.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._undo.__exit__(kind, error, traceback)
        if error is None and self._spinning is not None:
            # An error in a callback ended the spinning; it is shown after torque is off.
            self._spinning.result()

    def _spin(self, executor: Any) -> None:
        # Not executor.spin(): it ends only by executor.shutdown(), which takes the wait set apart
        # while the thread still waits on it.
        while not self._stop.is_set():
            executor.spin_once()

    def _on_spun(self, spinning: Future[None]) -> None:
        error = spinning.exception()
        self._ending.request(f"a node failed: {error!r}" if error else "")


def _maker(spec: NodeSpec) -> Callable[..., Any]:
    overrides = [Parameter(name, value=value) for name, value in spec.parameters.items()]
    return partial(load_class(spec), parameter_overrides=overrides)


def load_class(spec: NodeSpec) -> Any:
    """The class that `spec.node_class` names."""
    module, _, name = spec.node_class.partition(":")
    return getattr(importlib.import_module(module), name)


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
