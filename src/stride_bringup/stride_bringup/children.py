"""Programs that run beside this one, and how they are ended without leaving anything behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from stride_base.ending import Ending
from stride_base.errors import RefusedError, StrideError
from stride_bringup.stack import NodeSpec, Program, Stack

#: What a child gets to end by itself after each signal, s. Not SIGINT: a Python that is still
#: importing would end with a traceback.
GRACE = {signal.SIGTERM: 2.5, signal.SIGKILL: 1.0}
READY_TIMEOUT = 10.0
#: Of programs that others do not wait for: the bus thread comes first.
NICE = 5


class ChildError(StrideError):
    """A program that belongs to the stack did not start or did not go on."""


class Children:
    """Child processes; a context manager that ends them together.

    Args:
        ending: Is told when a child ends before that; its request ends the waiting for a child.
    """

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self._children: list[tuple[str, subprocess.Popen[str]]] = []
        self._closing = False

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def start(self, name: str, command: Sequence[str], ready: bool = False) -> None:
        """Start `command`.

        Args:
            name: What messages call it.
            command: Program and arguments.
            ready: Wait for its first line on standard output.

        Raises:
            ChildError: it ended, or said nothing, before it was ready.
        """
        process = self._spawn(name, command, subprocess.PIPE if ready else None)
        if process.stdout is not None:
            self._wait_until_ready(name, process.stdout)
        self._watch(name, process, self._ending.request)

    def start_beside(
        self,
        name: str,
        command: Sequence[str],
        on_line: Callable[[str], None],
        on_end: Callable[[str], None],
    ) -> None:
        """Start `command`, which the others do not need, at lower priority and without waiting.

        Args:
            name: What messages call it.
            command: Program and arguments.
            on_line: Gets each line that it says on standard output; called on another thread.
            on_end: Is told, in place of `ending`, that it ended before the others; likewise.
        """
        process = self._spawn(name, ["nice", "-n", str(NICE), *command], subprocess.PIPE)
        assert process.stdout is not None
        threading.Thread(target=_pass_on, args=(process.stdout, on_line), daemon=True).start()
        self._watch(name, process, on_end)

    def close(self, grace: dict[signal.Signals, float] = GRACE) -> None:
        """SIGTERM to all, then SIGKILL to those that do not end in time.

        A process that is killed leaves files of the middleware in /dev/shm, hence the patience.
        """
        self._closing = True
        for number, seconds in grace.items():
            running = [(n, p) for n, p in self._children if p.poll() is None]
            for name, process in running:
                if number is not signal.SIGTERM:
                    print(f"stride: {name} does not end, {number.name}", file=sys.stderr)
                process.send_signal(number)
            end = time.monotonic() + seconds
            for _, process in running:
                try:
                    process.wait(max(0.0, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    break
        self._children.clear()

    def _spawn(
        self, name: str, command: Sequence[str], output: int | None
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            _bound_to_us(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            text=True,
            # A Ctrl-C in the terminal is for us alone: torque goes off before the bus goes away.
            start_new_session=True,
        )
        self._children.append((name, process))
        return process

    def _wait_until_ready(self, name: str, output: IO[str]) -> None:
        lines: list[str] = []
        said = threading.Event()

        def read() -> None:
            lines.append(output.readline().strip())
            said.set()
            # The pipe must not fill up.
            for line in output:
                print(line, end="", file=sys.stderr)

        threading.Thread(target=read, daemon=True).start()
        end = time.monotonic() + READY_TIMEOUT
        while not said.wait(0.05):
            if self._ending.wait(0.0):
                return
            if time.monotonic() >= end:
                raise ChildError(f"{name} is not ready after {READY_TIMEOUT:g} s")
        if not lines[0]:
            raise ChildError(f"{name} ended before it was ready")

    def _watch(
        self, name: str, process: subprocess.Popen[str], on_end: Callable[[str], None]
    ) -> None:
        def watch() -> None:
            code = process.wait()
            if not self._closing:
                how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
                on_end(f"{name} has ended ({how})")

        threading.Thread(target=watch, daemon=True).start()


def _pass_on(lines: IO[str], to: Callable[[str], None]) -> None:
    for line in lines:
        to(line.rstrip("\n"))


def program_command(program: Program) -> list[str]:
    """Command line of a program of a ROS package.

    Raises:
        RefusedError: it is not installed.
    """
    return [executable(program.package, program.executable), *program.arguments]


def node_command(node: NodeSpec, stack: Stack) -> list[str]:
    """Command line of a node in a process of its own.

    Raises:
        RefusedError: it is not installed.
    """
    command = [executable(node.package, node.executable), "--ros-args"]
    if stack.options.namespace:
        command += ["-r", f"__ns:={stack.options.namespace}"]
    command += node.remapping_rules()
    for name, value in node.parameters.items():
        command += ["-p", f"{name}:={_yaml(value)}"]
    return command


def executable(package: str, name: str) -> str:
    """Path of an executable of a ROS package.

    Raises:
        RefusedError: it is not installed.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        path = Path(get_package_prefix(package)) / "lib" / package / name
    except PackageNotFoundError as error:
        raise RefusedError(f"package {package} is not installed") from error
    if not os.access(path, os.X_OK):
        raise RefusedError(f"package {package} has no executable {name}")
    return str(path)


def _yaml(value: bool | int | float | str) -> str:
    """A value as a ROS argument; JSON is YAML, and text stays text."""
    return json.dumps(value)


def _bound_to_us(command: Sequence[str]) -> list[str]:
    """`command`, so that it gets SIGTERM when this process dies, even by SIGKILL. Not SIGINT, which a
    shell has its background jobs ignore."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else list(command)
