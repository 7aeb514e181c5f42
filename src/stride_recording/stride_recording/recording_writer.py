"""Messages from the subscriptions to the disk, on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stride_recording.mcap_output import McapOutput

#: Messages that may wait for the disk. At a robot's 350 messages a second, most of a minute.
CAPACITY = 20_000
#: The thread looks for messages this often, s.
STEP_PERIOD = 0.1
#: What is on the disk is at most about this much older than what was heard, s.
CHUNK_PERIOD = 1.0


@dataclass(frozen=True)
class Topic:
    """A topic that is recorded.

    Args:
        name: Full name.
        type_name: ``package/msg/Name``.
        definition: Its complete message definition.
        metadata: Of its channel.
    """

    name: str
    type_name: str
    definition: str
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class Taken:
    """One message that waits for the disk; times in ns since 1970."""

    topic: Topic
    received_ns: int
    published_ns: int
    data: bytes


class RecordingWriter:
    """Queue, thread and counts. `put` never waits; what finds the queue full is dropped and counted.

    Args:
        output: The file.
        on_failure: Called once, on the writer's thread, with what went wrong with the disk.
        now: Clock, s.
        capacity: Messages that may wait.
    """

    def __init__(
        self,
        output: McapOutput,
        on_failure: Callable[[str], object],
        now: Callable[[], float] = time.monotonic,
        capacity: int = CAPACITY,
    ) -> None:
        self._output, self._on_failure, self._now = output, on_failure, now
        self._capacity = capacity
        self._queue: deque[Taken] = deque()
        self._channels: dict[str, int] = {}
        self._chunk_began: float | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recording")
        #: Messages put into the file, by topic.
        self.counts: dict[str, int] = {}
        #: Messages that found the queue full.
        self.dropped = 0
        #: What went wrong with the disk; empty while nothing did.
        self.failure = ""

    @property
    def messages(self) -> int:
        """Messages put into the file."""
        return sum(list(self.counts.values()))

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._output.size

    def put(self, message: Taken) -> None:
        """Take a message; for one thread."""
        if len(self._queue) < self._capacity:
            self._queue.append(message)
        elif not self.failure:
            self.dropped += 1

    def start(self) -> None:
        """Begin the thread, which steps until `close`."""
        self._thread.start()

    def step(self) -> None:
        """Empty the queue into the file; close the chunk if it is old enough."""
        if self.failure:
            self._queue.clear()
            return
        try:
            while self._queue:
                self._write(self._queue.popleft())
            began = self._chunk_began
            if began is not None and self._now() - began >= CHUNK_PERIOD:
                self._chunk_began = None
                self._output.flush()
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Write what waits, end the thread and finish the file."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self.step()
        if self.failure:
            self._output.abandon()
            return
        try:
            self._output.finish()
        except OSError as error:
            self._fail(error)

    def _run(self) -> None:
        while not self._stop.wait(STEP_PERIOD):
            self.step()

    def _write(self, message: Taken) -> None:
        topic = message.topic
        if topic.name not in self._channels:
            self._channels[topic.name] = self._output.add_topic(
                topic.name, topic.type_name, topic.definition, topic.metadata
            )
            self.counts[topic.name] = 0
        if self._chunk_began is None:
            self._chunk_began = self._now()
        number = self.counts[topic.name]
        self._output.add_message(
            self._channels[topic.name],
            number,
            message.received_ns,
            message.published_ns,
            message.data,
        )
        self.counts[topic.name] = number + 1

    def _fail(self, error: OSError) -> None:
        self.failure = error.strerror or str(error)
        self._on_failure(self.failure)
