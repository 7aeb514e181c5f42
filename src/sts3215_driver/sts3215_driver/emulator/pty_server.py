"""Serves an emulated bus in real time on a pseudo-terminal, for any program to open."""

from __future__ import annotations

import math
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.control import ControlChannel
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.pseudo_terminal import Link, PseudoTerminal

#: Longest time that motion lags behind when nobody asks, s.
_TICK = 0.008
#: Replies that follow each other this closely are delivered together, as USB adapters do: every
#: delivery wakes two processes. No reply is early, and none later than this, s.
_TOGETHER = 0.25e-3
#: What motion may lag behind before the time in between is left out, s.
_LONGEST_LAG = 0.25
#: Motion is only brought up to date when no reply is due within this time, s.
_SPARE = 0.001
#: A host that says nothing for this time has ended, s.
_SILENCE = 0.2


class PtyServer:
    """A serial port with servos on it.

    Args:
        bus: The servos.
        link: Symbolic link under which the port is found.
        control: UNIX socket for `ControlClient`; none if left out.
        any_baud: Let the servos understand the host at whatever rate it set.
        more: Further commands of the control socket, see `Commands`.

    Raises:
        RefusedError: the link or the socket cannot be made.
    """

    def __init__(
        self,
        bus: EmulatedBus,
        link: str | Path,
        control: str | Path | None = None,
        any_baud: bool = False,
        more: Mapping[str, Callable[[list[str]], Any]] | None = None,
    ) -> None:
        self.bus = bus
        self._any_baud = any_baud
        self._end = math.inf
        self._heard = -math.inf
        self._link = Link(Path(link))
        self._terminal: PseudoTerminal | None = None
        self._control: ControlChannel | None = None
        self._wake, self._waker = socket.socketpair()
        actions: dict[str, Callable[[], object]] = {
            "unplug": self.unplug,
            "replug": self.replug,
            "stop": self.stop,
        }
        self.commands = Commands(bus, actions, more)
        try:
            if control is not None:
                self._control = ControlChannel(Path(control), self._execute)
            self.replug(self._control is not None and self._control.found_dead)
        except BaseException:
            self.close()
            raise

    @property
    def link(self) -> Path:
        """Where the port is found."""
        return self._link.path

    def serve(self) -> None:
        """Serve until `stop`; then take link and socket away."""
        try:
            while not self._over():
                self._turn()
        finally:
            self.close()

    def stop(self, linger: float = 0.0) -> None:
        """Make `serve` return soon; callable from signal handlers and other threads.

        Args:
            linger: Serve on until the host is silent, at most so long, s. A driver that ends at the same
                signal then still finds its servos, to switch off their torque.
        """
        self._end = min(self._end, time.monotonic() + linger)
        with suppress(OSError):  # it ended already
            self._waker.send(b"x")

    def unplug(self) -> None:
        """Pull the port: hosts get errors, the link is gone."""
        self._link.remove()
        if self._terminal is not None:
            self._terminal.close()
            self._terminal = None

    def replug(self, abandoned: bool = False) -> None:
        """Plug in a new port under the same link, if none is there; see `Link.point_to`."""
        if self._terminal is None:
            terminal = PseudoTerminal(self.bus.baud)
            try:
                self._link.point_to(terminal.path, abandoned)
            except BaseException:
                terminal.close()
                raise
            self._terminal = terminal

    def close(self) -> None:
        """Take away everything that shows outside; a second time is fine."""
        self.unplug()
        if self._control is not None:
            self._control.close()
            self._control = None
        self._wake.close()
        self._waker.close()

    def _over(self) -> bool:
        if self._end == math.inf:
            return False
        now = time.monotonic()
        return now >= self._end or now - self._heard >= _SILENCE

    def _turn(self) -> None:
        now = time.monotonic()
        # Where the computer cannot keep up (or was stopped), the servos' time stands still instead.
        self.bus.bank.skip(now, _LONGEST_LAG)
        due = self.bus.next_arrival(_TOGETHER)
        if due is not None and due <= now:
            self._deliver(now)
            due = self.bus.next_arrival(_TOGETHER)
        if due is None or due - now > _SPARE:
            self.bus.advance(now)
        wait = _TICK if due is None else min(_TICK, max(0.0, due - time.monotonic()))
        terminal, control = self._terminal, self._control
        watched: list[Any] = [self._wake]
        if terminal is not None:
            watched.append(terminal)
        if control is not None:
            watched += control.filenos()
        if due is not None and wait < _SPARE:
            # Sleeping is cheaper than waiting for input, and little can come in between.
            time.sleep(wait)
            wait = 0.0
        for ready in select.select(watched, [], [], wait)[0]:
            if terminal is not None and ready is terminal:
                self._hear(terminal)
            elif control is not None and ready is not self._wake:
                control.serve(ready)

    def _hear(self, terminal: PseudoTerminal) -> None:
        data = terminal.read()
        if data:
            self._heard = time.monotonic()
            if not self._any_baud:
                self.bus.baud = terminal.baud() or self.bus.baud
            self.bus.receive(data, time.monotonic())

    def _deliver(self, now: float) -> None:
        data = bytearray()
        while (arrival := self.bus.transmit(now)) is not None:
            data += arrival[1]
        if self._terminal is not None:
            self._terminal.write(bytes(data))

    def _execute(self, line: str) -> dict[str, Any]:
        return self.commands.execute(line, time.monotonic())


@contextmanager
def running(server: PtyServer) -> Iterator[PtyServer]:
    """Serve in a thread of this process while the context lasts."""
    with ThreadPoolExecutor(1, "emulator") as pool:
        ended = pool.submit(server.serve)
        try:
            yield server
        finally:
            server.stop()
            ended.result()
