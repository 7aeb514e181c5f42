"""A recording as the source of a page: played, paused, faster, from any moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from stride_base.errors import RefusedError, StrideError
from stride_viewer.telemetry import TOPICS, Telemetry

#: After a jump the time before it is taken too, so that slow topics are known, s.
LEAD_IN = 2.0


class Playback:
    """Plays a recording on its own time scale.

    Args:
        recording: What to play; see `stride_recording.reader.Recording`.
        clock: Steady time, s.
        namespace: Of the robot that is shown, canonical.

    Raises:
        RefusedError: nothing was recorded that can be shown.
    """

    def __init__(self, recording: Any, clock: Callable[[], float], namespace: str = "") -> None:
        self._recording, self._clock = recording, clock
        self.namespace = namespace
        #: Why it cannot be read on from here; empty while it can.
        self.trouble = ""
        self.start, self.end = recording.start_time, recording.end_time
        if math.isnan(self.start):
            raise RefusedError(f"{recording.path} holds no messages")
        if not self._topics():
            why = "; ".join(f"{topic}: {text}" for topic, text in recording.unreadable.items())
            raise RefusedError(
                f"{recording.path} holds nothing that can be shown. {why}".rstrip(". ")
            )
        self.telemetry = Telemetry(self.namespace)
        self._playing, self._speed = True, 1.0
        self._time, self._asked = self.start, clock()
        self._records: Iterator[Any] = iter(())
        self._next: Any = None
        self.jump(0.0)

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def speed(self) -> float:
        """How many recorded seconds pass in a second."""
        return self._speed

    @property
    def elapsed(self) -> float:
        """Time since the beginning of the recording, s."""
        return self.time() - self.start

    @property
    def duration(self) -> float:
        """Of the recording, s."""
        return self.end - self.start

    def time(self) -> float:
        """Present time in the recording, s; goes on by the clock while it plays."""
        now = self._clock()
        if self._playing:
            self._time = min(self._time + (now - self._asked) * self._speed, self.end)
            if self._time >= self.end:
                self._playing = False
        self._asked = now
        return self._time

    def play(self) -> None:
        """Go on; from the beginning if it is at the end."""
        if self.time() >= self.end:
            self.jump(0.0)
        self._playing = True

    def pause(self) -> None:
        """Hold the present moment."""
        self.time()
        self._playing = False

    def set_speed(self, speed: float) -> None:
        """Play faster or slower from now on."""
        self.time()
        self._speed = speed

    def jump(self, elapsed: float) -> None:
        """Go to a moment, s after the beginning."""
        self.time()
        self._time = min(max(self.start + elapsed, self.start), self.end)
        self.telemetry = Telemetry(self.namespace)
        begin = max(self._time - LEAD_IN, self.start)
        self._records = iter(self._recording.messages(self._topics(), start=begin))
        self.trouble = ""
        self._next = self._read()

    def poll(self, now: float) -> None:
        """Take all messages up to `now`."""
        while self._next is not None and self._next.time <= now:
            record = self._next
            self.telemetry.take(self._relative(record.topic), record.message, record.time)
            self._next = self._read()

    def _read(self) -> Any:
        """The next message; None at the end, and where the file is damaged."""
        try:
            return next(self._records, None)
        except StrideError as error:
            self.trouble = str(error)
            return None

    def _topics(self) -> list[str]:
        """Those that can be shown: of the types that the robot's nodes give them, and readable."""
        recording = self._recording
        return [
            topic
            for topic, kind in recording.topics.items()
            if TOPICS.get(self._relative(topic)) == kind and topic not in recording.unreadable
        ]

    def _relative(self, topic: str) -> str:
        """`topic` as a node in the recorded namespace would call it."""
        return topic if topic == "/diagnostics" else topic.removeprefix(f"{self.namespace}/")
