"""One recording as an MCAP file with ROS 2 schemas, as `ros2 bag` and Foxglove read it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

from stride_recording.disk_file import DiskFile

#: Name of the metadata record that holds what Stride wants to know again.
METADATA = "stride"
#: Name of the attachment that holds the robot.
URDF = "robot.urdf"
#: A chunk is closed at this size, bytes, if not earlier.
CHUNK_SIZE = 1024 * 1024


class McapOutput:
    """Writes one file; not for several threads.

    Args:
        file: Empty; is closed by `finish` and by `abandon`.
    """

    def __init__(self, file: DiskFile) -> None:
        self._file = file
        self._schemas: dict[str, int] = {}
        self._writer = Writer(file, chunk_size=CHUNK_SIZE, compression=CompressionType.ZSTD)
        self._writer.start(Profile.ROS2, f"stride; mcap {version('mcap')}")

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._file.size

    def describe(self, values: Mapping[str, str], urdf: str | None, time_ns: int) -> None:
        """Write what a replay needs beside the messages.

        Args:
            values: Of the metadata record.
            urdf: Text of the robot's URDF.
            time_ns: Now, ns since 1970.
        """
        self._writer.add_metadata(METADATA, dict(values))
        if urdf is not None:
            data = urdf.encode()
            self._writer.add_attachment(time_ns, time_ns, URDF, "application/xml", data)

    def add_topic(
        self, topic: str, type_name: str, definition: str, metadata: Mapping[str, str]
    ) -> int:
        """Make a channel; returns its number.

        Args:
            topic: Full name.
            type_name: ``package/msg/Name``.
            definition: See `stride_recording.definitions.full_definition`.
            metadata: Of the channel.
        """
        if type_name not in self._schemas:
            self._schemas[type_name] = self._writer.register_schema(
                type_name, SchemaEncoding.ROS2, definition.encode()
            )
        schema = self._schemas[type_name]
        return self._writer.register_channel(
            topic, MessageEncoding.CDR, schema, metadata=dict(metadata)
        )

    def add_message(
        self, channel: int, sequence: int, received_ns: int, published_ns: int, data: bytes
    ) -> None:
        """Add one message.

        Args:
            channel: From `add_topic`.
            sequence: Number of the message on its topic.
            received_ns, published_ns: ns since 1970.
            data: CDR with its header, as it came.
        """
        self._writer.add_message(channel, received_ns, data, published_ns, sequence)

    def flush(self) -> None:
        """Close the chunk and put it on the disk. Raises OSError: it cannot be written."""
        self._writer.flush()

    def finish(self) -> None:
        """Write the index, and close the file. Raises OSError: it cannot be written."""
        try:
            self._writer.finish()
            self._file.flush()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is: readable up to the last chunk."""
        self._file.close()
