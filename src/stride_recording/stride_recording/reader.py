"""Reads recordings: those of `stride record`, and those of `ros2 bag record` in MCAP. Needs no ROS."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mcap.records import Channel, Schema
from mcap_ros2.decoder import DecoderFactory

from stride_base.errors import RefusedError
from stride_base.strict_json import FileError
from stride_recording.mcap_index import BROKEN
from stride_recording.mcap_input import McapInput
from stride_recording.mcap_output import METADATA, URDF

SUFFIX = ".mcap"
NANOSECONDS = 1e-9
#: Error of seconds since 1970 in a double, ns, and more.
MARGIN = 1000


class Record(NamedTuple):
    """One message.

    Args:
        topic: Full name.
        time: When it was heard, s since 1970.
        message: With the fields of its type; arrays are lists, ``uint8[]`` is bytes.
    """

    topic: str
    time: float
    message: Any


@dataclass(frozen=True)
class _Source:
    """One channel of one file."""

    topic: str
    decode: Callable[[bytes], Any] | None


class Recording:
    """A recording that was opened; see `open`."""

    def __init__(self, path: Path, files: Sequence[McapInput]) -> None:
        self.path = path
        self._files = files
        self._sources: list[dict[int, _Source]] = []
        #: Type of each topic.
        self.topics: dict[str, str] = {}
        #: Number of messages by topic.
        self.counts: dict[str, int] = {}
        #: Topics that cannot be decoded, and why.
        self.unreadable: dict[str, str] = {}
        for file in files:
            self._sources.append(self._channels(file))

    @classmethod
    def open(cls, path: str | Path) -> Recording:
        """Open a file, or a folder of `ros2 bag` with its files.

        Raises:
            FileError: it cannot be read, or is no recording.
        """
        path = Path(path)
        try:
            files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror}") from error
        if not files:
            raise FileError(f"{path}: holds no {SUFFIX} file")
        return cls(path, [McapInput(file) for file in files])

    @property
    def start_time(self) -> float:
        """Time of the first message, s since 1970; NaN without any."""
        starts = [place.start for file in self._files for place in file.index.places]
        return min(starts) * NANOSECONDS if starts else float("nan")

    @property
    def end_time(self) -> float:
        """Time of the last message, s since 1970; NaN without any."""
        ends = [place.end for file in self._files for place in file.index.places]
        return max(ends) * NANOSECONDS if ends else float("nan")

    @property
    def unfinished(self) -> bool:
        """Whether the recording was cut off; it is read as far as it goes."""
        return any(file.index.unfinished for file in self._files)

    @property
    def urdf(self) -> str | None:
        """The robot, if it is in the file."""
        for file in self._files:
            data = file.index.attachments.get(URDF)
            if data is not None:
                return data.decode("utf-8", "replace")
        return None

    @property
    def metadata(self) -> Mapping[str, str]:
        """What `stride record` noted: ``namespace``, ``robot``, ``start_time``; empty otherwise."""
        for file in self._files:
            if METADATA in file.index.metadata:
                return file.index.metadata[METADATA]
        return {}

    def rates(self) -> dict[str, float]:
        """Messages a second by topic, while there were any; NaN for less than two.

        Raises:
            FileError: the file is damaged.
        """
        spans: dict[str, tuple[int, int]] = {}
        for file, sources in zip(self._files, self._sources, strict=True):
            for channel, (start, end) in file.spans().items():
                topic = sources[channel].topic
                low, high = spans.get(topic, (start, end))
                spans[topic] = (min(low, start), max(high, end))
        rates = dict.fromkeys(self.topics, float("nan"))
        for topic, (start, end) in spans.items():
            if end > start:
                rates[topic] = (self.counts[topic] - 1) / ((end - start) * NANOSECONDS)
        return rates

    def messages(
        self,
        topics: Collection[str] | None = None,
        start: float | None = None,
        end: float | None = None,
    ) -> Iterator[Record]:
        """Messages by time. What lies before `start` is not read where the file has an index.

        Args:
            topics: Full names; those that the recording lacks are passed over. None for all that can
                be decoded.
            start: First time, s since 1970.
            end: Time before which they end, s since 1970.

        Raises:
            RefusedError: a topic that is named cannot be decoded.
            FileError: the file is damaged in the middle.
        """
        if topics is None:
            wanted = {*self.topics} - {*self.unreadable}
        else:
            wanted = {topics} if isinstance(topics, str) else {*topics}
        # An empty recording has no first time to begin at.
        start = None if start is None or math.isnan(start) else start
        end = None if end is None or math.isnan(end) else end
        for topic in wanted:
            if topic in self.unreadable:
                raise RefusedError(f"{self.path}: {topic}: {self.unreadable[topic]}")
        streams = [self._of_file(number, wanted, start, end) for number in range(len(self._files))]
        return heapq.merge(*streams, key=lambda record: record.time)

    def _of_file(
        self, number: int, topics: Collection[str], start: float | None, end: float | None
    ) -> Iterator[Record]:
        file, sources = self._files[number], self._sources[number]
        channels = [channel for channel, source in sources.items() if source.topic in topics]
        # A little more than asked for: seconds are not exact to the nanosecond, and a message at
        # `start` must not be lost by that.
        low = None if start is None else round(start * 1e9) - MARGIN
        high = None if end is None else round(end * 1e9) + MARGIN
        for raw in file.messages(channels, low, high):
            source, seconds = sources[raw.channel], raw.time * NANOSECONDS
            if (start is not None and seconds < start) or (end is not None and seconds >= end):
                continue
            assert source.decode is not None, "unreadable topics were refused"
            try:
                message = source.decode(raw.data)
            except BROKEN as error:
                raise FileError(
                    f"{file.path}: a message of {source.topic} is not of its type: {error}"
                ) from error
            yield Record(source.topic, seconds, message)

    def _channels(self, file: McapInput) -> dict[int, _Source]:
        decoders = DecoderFactory()
        sources = {}
        for channel in file.index.channels.values():
            schema = file.index.schemas.get(channel.schema_id)
            name = channel.topic
            self.topics[name] = schema.name if schema else ""
            self.counts[name] = self.counts.get(name, 0) + file.index.counts.get(channel.id, 0)
            decode, problem = _decoder(decoders, channel, schema)
            if problem:
                self.unreadable[name] = problem
            sources[channel.id] = _Source(name, decode)
        return sources


def _decoder(
    decoders: DecoderFactory, channel: Channel, schema: Schema | None
) -> tuple[Callable[[bytes], Any] | None, str]:
    try:
        decode = decoders.decoder_for(channel.message_encoding, schema)
    except Exception as error:  # the parser of message definitions raises a family of its own
        return None, f"its message definition cannot be read: {error}"
    if decode is None:
        encoding = schema.encoding if schema else "none"
        return (
            None,
            f"messages in {channel.message_encoding!r} with schema {encoding!r} are unknown",
        )
    return decode, ""
