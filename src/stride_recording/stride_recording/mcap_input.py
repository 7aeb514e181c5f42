"""One MCAP file: its index, and its messages in the order of time."""

from __future__ import annotations

import heapq
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mcap.records import Message

from stride_base.strict_json import FileError
from stride_recording.mcap_index import Index, read_place
from stride_recording.mcap_walk import read_index


class Raw(NamedTuple):
    """One message as it lies in the file: its channel's number, ns since 1970, bytes."""

    time: int
    channel: int
    data: bytes


class McapInput:
    """Opens a file whenever it is read, and keeps it closed otherwise.

    Args:
        path: The file.

    Raises:
        FileError: it cannot be read, or is no recording.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as stream:
            self.index: Index = read_index(stream, path)

    def messages(
        self, channels: Collection[int], start: int | None = None, end: int | None = None
    ) -> Iterator[Raw]:
        """Messages of these channels with start <= time < end, by time, in the file's order at
        equal times.

        Only those parts of the file are read that hold some.

        Raises:
            FileError: a part of the file is damaged.
        """
        wanted = {*channels}
        places = [
            place
            for place in self.index.places
            if (not place.channels or place.channels & wanted)
            and (start is None or place.end >= start)
            and (end is None or place.start < end)
        ]
        places.sort(key=lambda place: (place.start, place.offset))
        waiting: list[tuple[int, int, int, Message]] = []
        with self._open() as stream:
            for number, place in enumerate(places):
                # What is earlier than all that is still to be read is in order now.
                while waiting and waiting[0][0] < place.start:
                    yield _raw(heapq.heappop(waiting)[3])
                for order, record in enumerate(read_place(stream, place, self.path)):
                    if (
                        isinstance(record, Message)
                        and record.channel_id in wanted
                        and (start is None or record.log_time >= start)
                        and (end is None or record.log_time < end)
                    ):
                        heapq.heappush(waiting, (record.log_time, number, order, record))
            while waiting:
                yield _raw(heapq.heappop(waiting)[3])

    def spans(self) -> dict[int, tuple[int, int]]:
        """Times of the first and the last message by channel, ns; reads as little as tells that.

        Raises:
            FileError: a part of the file is damaged.
        """
        places = self.index.places
        read = {place for place in places if not place.channels}
        for channel in self.index.channels:
            holding = [place for place in places if channel in place.channels]
            if holding:
                read.add(min(holding, key=lambda place: place.start))
                read.add(max(holding, key=lambda place: place.end))
        found: dict[int, tuple[int, int]] = {}
        with self._open() as stream:
            for place in read:
                for record in read_place(stream, place, self.path):
                    if isinstance(record, Message) and record.channel_id in self.index.channels:
                        time = record.log_time
                        low, high = found.get(record.channel_id, (time, time))
                        found[record.channel_id] = (min(low, time), max(high, time))
        return found

    def _open(self) -> BinaryIO:
        try:
            return io.BufferedReader(io.FileIO(self.path))
        except OSError as error:
            raise FileError(f"{self.path}: cannot be read: {error.strerror}") from error


def _raw(message: Message) -> Raw:
    return Raw(message.log_time, message.channel_id, message.data)
