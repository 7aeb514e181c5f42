"""The bus thread: the clock of the whole robot.

It runs one cycle per period on an absolute grid, and owns the bus alone. Goals come in and snapshots go
out as whole immutable values; nothing in the loop logs, locks or waits for anybody but the bus.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError, StrideError
from sts3215_driver.bus import Bus
from sts3215_driver.cycle import Written
from sts3215_driver.cycle_plan import SyncPhase
from sts3215_driver.errors import BusError, PortError
from sts3215_driver.feedback import Feedback
from sts3215_driver.goals import GoalSet
from sts3215_driver.lateness import LatenessLog
from sts3215_driver.session import TORQUE_ON, Session

#: Pause between two attempts to find a lost port, s.
RECONNECT_PERIOD = 0.3
#: Share of a period after which nobody is waited for any more.
READ_SHARE = 0.95
#: How long others wait for the bus thread to carry out a request, s.
REQUEST_TIMEOUT = 5.0


Measured = TypeVar("Measured")


class State(Enum):
    """What the driver is doing."""

    RUNNING = "running"
    FREE = "torque is off"
    LOST = "port lost"


@dataclass(frozen=True)
class Snapshot:
    """One cycle as the rest of the program sees it.

    Args:
        cycle: Number of the cycle.
        stamp_ns: Wall clock at the end of reading, ns since the epoch.
        state: Of the driver.
        feedback: Readings.
        written: Goals that are in the servos.
        torque: (n,) 0 off, 1 on, 255 unknown.
        read_at: When it was read, s (the bus's clock, which does not jump).
    """

    cycle: int
    stamp_ns: int
    state: State
    feedback: Feedback
    written: Written
    torque: NDArray[np.uint8]
    read_at: float


@dataclass
class ThreadCounts:
    """Totals of the bus thread."""

    missed_cycles: int = 0
    reconnects: int = 0


class _Request:
    """Something to be done on the bus thread between two cycles."""

    def __init__(self, action: Callable[[], tuple[bool, str]]) -> None:
        self.action = action
        self.withdrawn = False
        self.done = threading.Event()
        self.success, self.message = False, "the driver was closed"


class BusThread:
    """Runs a started Session.

    Args:
        session: Connected; the thread owns it from `start` on.
        notify: Called on the bus thread after each cycle and tick; must return at once.
    """

    def __init__(self, session: Session, notify: Callable[[], object]) -> None:
        self._session = session
        self._clock = session.clock
        self._notify = notify
        self.goals: GoalSet | None = None
        self.ticks: deque[int] = deque(maxlen=64)
        self.snapshots: deque[Snapshot] = deque(maxlen=16)
        self.lateness = LatenessLog()
        self.counts = ThreadCounts()
        self.state = State.RUNNING if (session.torque == TORQUE_ON).all() else State.FREE
        self.trouble = ""
        self.cycle = 0
        self._requests: deque[_Request] = deque()
        #: A stop was asked for and is not carried out yet: it outlives a lost port.
        self._stopping = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bus", daemon=True)

    def start(self) -> None:
        """Begin with the cycles."""
        self._thread.start()

    def stop(self) -> tuple[bool, str]:
        """Emergency stop: no more goals, torque off to all, and who still holds."""
        self._stopping = True
        return self._ask(self._stop_now, however_late=True)

    def set_torque(self, on: bool) -> tuple[bool, str]:
        """Torque on (goal := present position first) or off."""
        return self._ask(self._torque_on_now) if on else self.stop()

    def now(self) -> float:
        """The bus's clock, s; goals are stamped with it."""
        return self._clock.now()

    @property
    def alive(self) -> bool:
        """Whether the cycles go on."""
        return self._thread.is_alive()

    def measure(self, measurement: Callable[[Bus], Measured]) -> Measured:
        """Do something with the bus between two cycles, while torque is off.

        Raises:
            RefusedError: torque is on, or the thread did not come to it in time.
            StrideError: from `measurement`.
        """
        results: list[Measured] = []
        errors: list[StrideError] = []

        def action() -> tuple[bool, str]:
            if self.state is not State.FREE:
                return False, "torque is on; switch it off first"
            try:
                results.append(measurement(self._session.bus))
            except PortError:
                raise
            except StrideError as error:
                errors.append(error)
            return True, ""

        success, message = self._ask(action)
        if errors:
            raise errors[0]
        if not success:
            raise RefusedError(message)
        return results[0]

    def close(self, timeout: float = 1.5) -> bool:
        """End the thread with torque off; True if it ended in time."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _ask(
        self, action: Callable[[], tuple[bool, str]], however_late: bool = False
    ) -> tuple[bool, str]:
        request = _Request(action)
        self._requests.append(request)
        if not request.done.wait(REQUEST_TIMEOUT):
            # Whoever was told so does not expect it any more.
            request.withdrawn = not however_late
            return False, f"the bus thread did not answer within {REQUEST_TIMEOUT:g} s"
        return request.success, request.message

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                try:
                    self._run_cycles()
                except PortError as error:
                    self.trouble = str(error)
                    self._reconnect()
        finally:
            self._end()

    def _run_cycles(self) -> None:
        session = self._session
        clock, period = session.clock, session.cycle.plan.period
        after_write = session.cycle.plan.phase is SyncPhase.AFTER_WRITE
        deadline = clock.now() + period
        while not self._ending.is_set():
            clock.sleep_until(deadline)
            late = clock.now() - deadline
            if late >= period:
                skipped = int(late / period)
                self._skip(skipped)
                deadline += skipped * period
            self.cycle += 1
            self._answer_requests()
            running = self.state is State.RUNNING
            if running:
                now = clock.now()
                self.lateness.add(now - deadline)
                session.cycle.write(self.goals, now)
                if after_write:
                    self.ticks.append(self.cycle)
                    self._notify()
            feedback = session.cycle.read(deadline + READ_SHARE * period)
            self.snapshots.append(
                Snapshot(
                    self.cycle,
                    time.time_ns(),
                    self.state,
                    feedback,
                    session.cycle.written,
                    session.torque_now(),
                    clock.now(),
                )
            )
            if running and not after_write:
                self.ticks.append(self.cycle)
            self._notify()
            deadline += period

    def _skip(self, cycles: int) -> None:
        self.cycle += cycles
        self.counts.missed_cycles += cycles

    def _answer_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            if request.withdrawn:
                continue
            try:
                request.success, request.message = request.action()
            except BusError as error:
                request.success, request.message = False, str(error)
                if isinstance(error, PortError):
                    raise
            finally:
                request.done.set()

    def _stop_now(self) -> tuple[bool, str]:
        self._stopping = True
        self.goals = None
        self.state = State.FREE
        holding = self._session.torque_off()
        self._stopping = False
        return self._session.stopped(holding)

    def _torque_on_now(self) -> tuple[bool, str]:
        if self.state is State.RUNNING:
            return self._recover_now()
        self.goals = None
        self._session.torque_on()
        self._begin_anew()
        return True, "torque is on; every goal was set to the present position first"

    def _begin_anew(self) -> None:
        """Goals are the present pose now. The cycle count starts again, so that the motion engine
        starts from that pose as well instead of going on where it was."""
        self.cycle = 0
        self.state = State.RUNNING

    def _recover_now(self) -> tuple[bool, str]:
        """Torque is on already: try those again that an alarm has released."""
        session = self._session
        waiting = session.cycle.watch.recover(session.clock.now())
        if not waiting:
            return True, "torque is on"
        names = ", ".join(session.servos.label(index) for index in waiting)
        return False, f"{names}: the last recovery was less than 2 s ago, wait"

    def _reconnect(self) -> None:
        """Look for the port until it is back, then verify everything before driving again."""
        was_running = self.state is State.RUNNING
        self.state = State.LOST
        self.goals = None
        self._session.disconnect()
        self._notify()
        while not self._ending.is_set():
            self._refuse_requests()
            self._session.disconnect()
            try:
                self._session.connect()
                # Not behind the back of somebody who wants an end or a stop meanwhile.
                was_running &= not (self._stopping or self._ending.is_set())
                if was_running:
                    self._session.torque_on()
                elif self._stopping:
                    self._stop_now()
            except BusError as error:
                self.trouble = str(error)
                self._ending.wait(RECONNECT_PERIOD)
                continue
            self.counts.reconnects += 1
            self.trouble = ""
            self.goals = None
            self.state = State.FREE
            if was_running:
                self._begin_anew()
            return

    def _refuse_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            request.message = f"the bus is out of reach: {self.trouble}"
            if self._stopping:
                request.message += "; torque goes off as soon as it is back"
            request.done.set()

    def _end(self) -> None:
        self._refuse_requests()
        try:
            if self.state is State.LOST:
                # It may be back by now, and the servos have held since.
                holding = self._session.free_unseen()
                self.trouble = "; ".join(holding)
            else:
                freed, message = self._stop_now()
                self.trouble = "" if freed else message
        except PortError as error:
            self.trouble = str(error)
        finally:
            self._session.disconnect()
