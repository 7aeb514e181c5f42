"""When and why everything ends: a signal, the wanted duration, or a part that failed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ending:
    """One request to end. The first counts; later ones, also later signals, change nothing.

    `request` may be called from any thread and from a signal handler: a SimpleQueue is the one waiting
    primitive whose `put` may interrupt a `get` of the same thread.
    """

    def __init__(self) -> None:
        self._requests: SimpleQueue[str] = SimpleQueue()
        self._reason: str | None = None

    def request(self, reason: str = "") -> None:
        """End now.

        Args:
            reason: What went wrong; empty where the end was wanted.
        """
        self._requests.put(reason)

    def wait(self, timeout: float | None = None) -> bool:
        """Whether the end was requested, at the latest after `timeout` s. For one thread."""
        if self._reason is None:
            try:
                # Python 3.10 takes a timeout that rounds to 0 us for none at all.
                block = timeout is None or timeout >= 0.001
                self._reason = self._requests.get(block, timeout if block else None)
            except Empty:
                return False
        return True

    @property
    def requested(self) -> bool:
        """Whether the end was requested, without waiting; for any thread."""
        return self._reason is not None or not self._requests.empty()

    @property
    def reason(self) -> str:
        """What went wrong; empty while nothing did."""
        return self._reason or ""

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """In the block, SIGINT, SIGTERM and SIGHUP request the end instead of killing.

        A SIGHUP that is ignored, as under `nohup`, stays ignored.
        """

        def handle(_number: int, _frame: FrameType | None) -> None:
            self.request()

        before = {}
        for number in SIGNALS:
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


#: How the program ends whose nodes are being constructed; None where nobody can end it.
CURRENT: ContextVar[Ending | None] = ContextVar("ending", default=None)
