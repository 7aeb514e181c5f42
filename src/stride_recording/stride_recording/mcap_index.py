"""What is where in an MCAP file, and reading a part of it."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.reader import SeekingReader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import CRCValidationError, breakup_chunk

from stride_base.strict_json import FileError

#: Beginning and end of a file.
MAGIC = b"\x89MCAP0\r\n"
#: A record begins with its opcode and the length of the rest, bytes.
HEAD = struct.Struct("<BQ")
#: What the libraries raise on bytes that are no MCAP; lz4's own error is a RuntimeError.
BROKEN = (
    McapError,
    CRCValidationError,
    OSError,
    IndexError,
    TypeError,
    struct.error,
    ValueError,
    KeyError,
    EOFError,
    OverflowError,
    MemoryError,
    RuntimeError,
    zstandard.ZstdError,
)


@dataclass(frozen=True)
class Place:
    """A part of the file that holds messages.

    Args:
        offset, length: Where, bytes.
        start, end: Times of its first and last message, ns.
        channels: Channels with messages in it; empty where that is not known.
        chunk: Whether it is a chunk record; otherwise a run of records.
    """

    offset: int
    length: int
    start: int
    end: int
    channels: frozenset[int]
    chunk: bool


@dataclass
class Index:
    """Everything of a file but its messages.

    Args:
        profile: ``ros2`` for a recording of ROS 2.
        unfinished: Whether the file has no end, and was read as far as it goes.
    """

    profile: str = ""
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    attachments: dict[str, bytes] = field(default_factory=dict)
    unfinished: bool = False


def read_place(stream: BinaryIO, place: Place, path: Path) -> list[Schema | Channel | Message]:
    """The records of one part of the file. Raises FileError: it is broken."""
    try:
        stream.seek(place.offset)
        data = stream.read(place.length)
        if place.chunk:
            chunk = Chunk.read(ReadDataStream(io.BytesIO(data[HEAD.size :])))
        else:
            chunk = Chunk("", data, place.end, place.start, 0, len(data))
        return breakup_chunk(chunk, validate_crc=True)
    except BROKEN as error:
        raise FileError(f"{path}: is damaged at byte {place.offset}: {error}") from error


def from_summary(stream: BinaryIO, size: int) -> Index | None:
    """The index at the end of the file; None where there is no end, or no index in it."""
    stream.seek(max(size - len(MAGIC), 0))
    if size < 2 * len(MAGIC) or stream.read() != MAGIC:
        return None
    try:
        stream.seek(0)
        reader = SeekingReader(stream)
        summary = reader.get_summary()
        if summary is None or summary.statistics is None or not summary.channels:
            return None
        if summary.statistics.message_count and not summary.chunk_indexes:
            return None
        index = Index(
            profile=reader.get_header().profile,
            schemas=summary.schemas,
            channels=summary.channels,
            counts=dict(summary.statistics.channel_message_counts),
        )
        for chunk in summary.chunk_indexes:
            index.places.append(
                Place(
                    chunk.chunk_start_offset,
                    chunk.chunk_length,
                    chunk.message_start_time,
                    chunk.message_end_time,
                    frozenset(chunk.message_index_offsets),
                    chunk=True,
                )
            )
        for metadata in reader.iter_metadata():
            index.metadata[metadata.name] = metadata.metadata
        for attachment in reader.iter_attachments():
            index.attachments[attachment.name] = attachment.data
    except BROKEN:
        return None
    return index
