"""Recordings of messages that a test makes up, and a domain of the tests' own."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Twist, Vector3
from rclpy.serialization import serialize_message
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Float64, Header, UInt64

from servo_interfaces.msg import ServoStates
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


def stamped(time: float) -> Header:
    """A header with the time of a message."""
    seconds, nanoseconds = divmod(round((BEGIN + time) * 1e9), 10**9)
    return Header(stamp=Time(sec=seconds, nanosec=nanoseconds))


def diagnostics(name: str, time: float, **values: object) -> DiagnosticArray:
    """One status with values; ``_`` in their names stands for a space."""
    entries = [KeyValue(key=k.replace("_", " "), value=str(v)) for k, v in values.items()]
    status = DiagnosticStatus(level=b"\0", name=name, values=entries)
    return DiagnosticArray(header=stamped(time), status=[status])


@dataclass
class Walk:
    """A robot of two joints for a second at 50 Hz: `a` is 0.1 rad behind, `b` exact and once silent.

    Args:
        space: Its namespace.
        silent: Numbers of the cycles in which `b` was not read.
    """

    space: str = ""
    silent: tuple[int, ...] = (20, 21)
    count: int = 50
    time: list[float] = field(default_factory=list)
    wanted: list[tuple[float, float]] = field(default_factory=list)
    measured: list[tuple[float, float]] = field(default_factory=list)

    def said(self) -> list[Said]:
        """All its messages; fills `time`, `wanted`, `measured`."""
        space, found = self.space, []
        for number in range(self.count):
            time = number * 0.02
            a, b = math.sin(time), math.cos(time)
            silent = number in self.silent
            self.time.append(time)
            self.wanted.append((a, b))
            self.measured.append((a - 0.1, math.nan if silent else b))
            names = ["a"] if silent else ["a", "b"]
            joints = JointState(
                header=stamped(time), name=names, position=[a - 0.1, b][: len(names)]
            )
            states = ServoStates(
                header=stamped(time),
                name=["a", "b"],
                load=[0.25, math.nan if silent else -0.5],
                voltage=[7.5, math.nan],
                temperature=[30.0 + number, 31.0],
                status=[0, 1 if silent else 0],
                flags=[0, 36 if number == 30 else 0],
                torque=[1, 0 if number >= 45 else 1],
            )
            wanted = JointState(header=stamped(time), name=["b", "a"], position=[b, a])
            found += [
                (f"{space}/joints_fixed", time, wanted),
                (f"{space}/joint_states", time + 0.001, joints),
                (f"{space}/servo_states", time + 0.002, states),
                (f"{space}/sync_step", time + 0.003, UInt64(data=100 + number + (number > 40))),
            ]
        late = {"lateness_p50_(us)": 80, "lateness_p99_(us)": 400, "lateness_max_(us)": 2500}
        for time, missed in ((0.2, 3), (0.8, 5)):
            bus = diagnostics(f"{space}/sts3215_driver: bus", time, missed_cycles=missed, **late)
            found.append(("/diagnostics", time, bus))
        gait = diagnostics(f"{space}/gait_controller", 0.9, command=0.5)
        found += [
            ("/diagnostics", 0.9, gait),
            (f"{space}/steering", 0.1, Float64(data=0.5)),
            (f"{space}/cmd_vel", 0.3, Twist(linear=Vector3(x=0.1))),
            (f"{space}/battery_state", 0.4, BatteryState(header=stamped(0.4), voltage=7.25)),
        ]
        return sorted(found, key=lambda entry: entry[1])


@pytest.fixture
def walk() -> Walk:
    return Walk()


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
