"""Nodes in this process, on one executor, from the first construction to the last `close`."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from stride_base.domain import check_domain
from stride_base.ending import CURRENT, Ending
from stride_base.errors import StrideError

#: Longest time that a thread of Python keeps another from running, s. The driver's bus thread shares
#: the interpreter with the nodes; with Python's 5 ms it would come late.
SWITCH_INTERVAL = 0.0005


@contextmanager
def running(
    makers: Sequence[Callable[..., Any]],
    ending: Ending,
    ros_arguments: Sequence[str] = (),
    **node_arguments: Any,
) -> Iterator[list[Any]]:
    """Construct nodes in order and spin them on a thread for the block, which gets the nodes.

    The caller's thread is free for signals and a display. At the end `close` of each node is called in
    reverse order, with the ROS context still alive.

    Args:
        makers: Node classes or the like; called with `node_arguments` and the ROS context.
        ending: Is told when spinning ends. A request while nodes are constructed ends the start after
            the one in hand: an interrupted start could leave the torque on. A node that waits for
            something in its constructor gives that up, see `StrideNode.is_ending`.
        ros_arguments: Command line for rclpy.

    Raises:
        Exception: what a maker, a callback or `close` raised; all nodes are closed before.
    """
    with ExitStack() as undo:
        check_domain()
        context = rclpy.Context()
        # Its signal handlers would take the context away before the nodes have closed.
        no_handlers = SignalHandlerOptions.NO
        rclpy.init(args=list(ros_arguments), context=context, signal_handler_options=no_handlers)
        undo.callback(context.try_shutdown)
        undo.callback(CURRENT.reset, CURRENT.set(ending))
        executor = SingleThreadedExecutor(context=context)
        undo.callback(executor.shutdown)
        undo.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(SWITCH_INTERVAL)
        nodes = []
        # Now, because the last node, the driver, begins its cycles when it is constructed.
        gc.collect()
        for make in makers:
            if ending.wait(0.0):
                break
            # What exists stays: the collector need not look at it again and again.
            gc.freeze()
            try:
                node = make(context=context, **node_arguments)
            except StrideError:
                if not ending.requested:
                    raise
                # It gave up what nobody needs any more.
                break
            undo.callback(node.destroy_node)
            undo.callback(node.close)
            executor.add_node(node)
            nodes.append(node)
        gc.freeze()
        undo.callback(gc.unfreeze)
        with _spinning(executor, ending):
            yield nodes


@contextmanager
def _spinning(executor: Any, ending: Ending) -> Iterator[None]:
    """Spin for the block. An exception in a callback requests the end, and is raised on leaving."""
    stop = threading.Event()

    def spin() -> None:
        # Not executor.spin(): it ends only by executor.shutdown(), which takes the wait set apart
        # while the thread still waits on it.
        while not stop.is_set():
            executor.spin_once()

    def ended(done: Future[None]) -> None:
        error = done.exception()
        ending.request(f"a node failed: {error!r}" if error else "")

    with ThreadPoolExecutor(1, "executor") as pool:
        spun = pool.submit(spin)
        spun.add_done_callback(ended)
        try:
            yield
        finally:
            executor.create_task(stop.set)
    spun.result()
