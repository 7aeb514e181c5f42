"""An index for a file that has none: a recording that was killed, or written without chunks."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Header, Message, Metadata, Schema

from stride_base.strict_json import FileError
from stride_recording.mcap_index import BROKEN, HEAD, MAGIC, Index, Place, from_summary, read_place

#: Messages outside of chunks are read in runs of about this size, bytes.
RUN_SIZE = 1024 * 1024


def read_index(stream: BinaryIO, path: Path) -> Index:
    """The index at the end of the file; else one made by walking through it.

    Args:
        stream: The open file.
        path: For messages.

    Raises:
        FileError: it is no MCAP file, or broken at its beginning.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    if size == 0:
        raise FileError(f"{path}: is empty")
    if stream.read(len(MAGIC)) != MAGIC:
        raise FileError(f"{path}: is no MCAP recording")
    index = from_summary(stream, size)
    return index if index is not None else _Walk(stream, size, path).index


class _Walk:
    """From record to record, as far as they are whole."""

    def __init__(self, stream: BinaryIO, size: int, path: Path) -> None:
        self.index = Index(unfinished=True)
        self._stream, self._path = stream, path
        self._run: Place | None = None
        take: dict[int, Callable[[int, int, Any], None]] = {
            Opcode.HEADER: self._header,
            Opcode.SCHEMA: self._schema,
            Opcode.CHANNEL: self._channel,
            Opcode.MESSAGE: self._message,
            Opcode.CHUNK: self._chunk,
            Opcode.METADATA: self._metadata,
            Opcode.ATTACHMENT: self._attachment,
        }
        position, opcode = len(MAGIC), 0
        while position + HEAD.size <= size and opcode != Opcode.DATA_END:
            stream.seek(position)
            opcode, length = HEAD.unpack(stream.read(HEAD.size))
            whole = HEAD.size + length
            if position + whole > size:
                break
            try:
                if opcode in take:
                    body = io.BytesIO(stream.read(length))
                    take[opcode](position, whole, ReadDataStream(body))
            except (FileError, *BROKEN):
                # What the disk never got.
                break
            position += whole
        self.index.unfinished = opcode != Opcode.DATA_END
        self._end_run()
        if position == len(MAGIC):
            raise FileError(f"{path}: is cut off at its beginning and holds nothing")

    def _header(self, _offset: int, _length: int, body: ReadDataStream) -> None:
        self.index.profile = Header.read(body).profile

    def _schema(self, _offset: int, _length: int, body: ReadDataStream) -> None:
        self._note(Schema.read(body))

    def _channel(self, _offset: int, _length: int, body: ReadDataStream) -> None:
        self._note(Channel.read(body))

    def _metadata(self, _offset: int, _length: int, body: ReadDataStream) -> None:
        metadata = Metadata.read(body)
        self.index.metadata[metadata.name] = metadata.metadata

    def _attachment(self, _offset: int, _length: int, body: ReadDataStream) -> None:
        attachment = Attachment.read(body)
        self.index.attachments[attachment.name] = attachment.data

    def _message(self, offset: int, length: int, body: ReadDataStream) -> None:
        message = Message.read(body, length - HEAD.size)
        self._note(message)
        run, time = self._run, message.log_time
        if run is None:
            self._run = Place(offset, length, time, time, frozenset(), chunk=False)
            return
        start, end = min(run.start, time), max(run.end, time)
        length = offset + length - run.offset
        self._run = Place(run.offset, length, start, end, frozenset(), chunk=False)
        if length > RUN_SIZE:
            self._end_run()

    def _chunk(self, offset: int, length: int, _body: ReadDataStream) -> None:
        self._end_run()
        place = Place(offset, length, 0, 0, frozenset(), chunk=True)
        records = read_place(self._stream, place, self._path)
        times = [record.log_time for record in records if isinstance(record, Message)]
        channels = {record.channel_id for record in records if isinstance(record, Message)}
        for record in records:
            self._note(record)
        if times:
            whole = Place(offset, length, min(times), max(times), frozenset(channels), chunk=True)
            self.index.places.append(whole)

    def _end_run(self) -> None:
        if self._run is not None:
            self.index.places.append(self._run)
            self._run = None

    def _note(self, record: Schema | Channel | Message) -> None:
        index = self.index
        if isinstance(record, Schema):
            index.schemas[record.id] = record
        elif isinstance(record, Channel):
            index.channels[record.id] = record
        else:
            index.counts[record.channel_id] = index.counts.get(record.channel_id, 0) + 1
