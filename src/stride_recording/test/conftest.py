"""Recordings of messages that a test makes up, and a domain of the tests' own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from rclpy.serialization import serialize_message

from stride_recording.definitions import full_definition
from stride_recording.disk_file import DiskFile, create
from stride_recording.mcap_output import McapOutput

#: When recordings of tests begin, s since 1970.
BEGIN = 1_700_000_000.0
Said = tuple[str, float, Any]
#: How many messages make a chunk.
CHUNK = 10


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(1 + (os.getpid() + 70) % 100))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def type_of(message: Any) -> str:
    """``package/msg/Name`` of a ROS message."""
    package = type(message).__module__.split(".")[0]
    return f"{package}/msg/{type(message).__name__}"


def fill(output: McapOutput, said: Iterable[Said]) -> None:
    """Write messages, a chunk of CHUNK at a time."""
    channels: dict[str, int] = {}
    for number, (topic, time, message) in enumerate(said):
        if topic not in channels:
            kind = type_of(message)
            channels[topic] = output.add_topic(topic, kind, full_definition(kind), {})
        stamp = round((BEGIN + time) * 1e9)
        output.add_message(channels[topic], number, stamp, stamp, serialize_message(message))
        if number % CHUNK == CHUNK - 1:
            output.flush()


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """Writes messages (topic, time in s, message) into a file, and gives its path."""

    def make(
        said: Iterable[Said],
        namespace: str | None = "",
        urdf: str | None = None,
        name: str = "run.mcap",
        finish: bool = True,
    ) -> Path:
        path = tmp_path / name
        file: DiskFile = create(path)
        output = McapOutput(file)
        if namespace is not None:
            about = {"namespace": namespace, "robot": "biped"}
            output.describe(about, urdf, round(BEGIN * 1e9))
        fill(output, said)
        if finish:
            output.finish()
        else:
            output.flush()
            output.abandon()
        return path

    return make
