"""What a recording tells of one robot, as arrays over time. What was not measured is NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError
from stride_recording.reader import Record, Recording

FloatArray = NDArray[np.float64]
#: A message's own stamp is its time, unless it differs by more than this from when it was heard, s.
STAMP_TRUST = 1.0
#: Of `servo_states`, by field, beside its status.
STATE_FIELDS = ("load", "voltage", "temperature", "status", "flags", "torque")
#: Values of the driver's report of the bus, by name in /diagnostics.
BUS_VALUES = {
    "missed": "missed cycles",
    "lateness p50": "lateness p50 (us)",
    "lateness p99": "lateness p99 (us)",
    "lateness max": "lateness max (us)",
    "without new goals": "cycles without new goals",
}
DRIVER = "sts3215_driver"
MOTION_ENGINES = ("gait_controller", "hexapod_motion")


@dataclass(frozen=True)
class Series:
    """Values over time.

    Args:
        time: (n,) s since the recording's first message, ascending.
        values: (n, len(columns)).
        columns: What each column is.
    """

    time: FloatArray
    values: FloatArray
    columns: tuple[str, ...]

    def column(self, name: str) -> FloatArray:
        """One column; NaN where there is none of that name."""
        if name in self.columns:
            return self.values[:, self.columns.index(name)]
        return np.full(len(self.time), math.nan)

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class RobotSeries:
    """One robot's recording, or a part of it.

    Args:
        joints: Names, in the order in which they were first seen.
        wanted, wanted_velocity: `joints_fixed`, rad and rad/s.
        measured, measured_velocity: `joint_states`.
        states: `servo_states` by field of STATE_FIELDS.
        ticks: Numbers of `sync_step`.
        steering, cmd_vel, battery: Commands and supply (V).
        bus: BUS_VALUES, lateness in us.
        motion: `command` that the motion engine says it follows.
    """

    joints: tuple[str, ...]
    wanted: Series
    wanted_velocity: Series
    measured: Series
    measured_velocity: Series
    states: dict[str, Series]
    ticks: Series
    steering: Series
    cmd_vel: Series
    battery: Series
    bus: Series
    motion: Series


class _Rows:
    """Rows with named values, which need not be the same in each."""

    def __init__(self, columns: Iterable[str] = ()) -> None:
        self._columns = {name: number for number, name in enumerate(columns)}
        self._times: list[float] = []
        self._rows: list[tuple[Sequence[str], Sequence[float]]] = []

    def add(self, time: float, names: Sequence[str], values: Sequence[float]) -> None:
        """Values beyond the names, or names without values, are not taken."""
        for name in names:
            self._columns.setdefault(name, len(self._columns))
        self._times.append(time)
        self._rows.append((names, values))

    def series(self) -> Series:
        time = np.array(self._times, np.float64)
        values = np.full((len(time), len(self._columns)), math.nan)
        for row, (names, numbers) in enumerate(self._rows):
            count = min(len(names), len(numbers))
            where = [self._columns[name] for name in names[:count]]
            values[row, where] = numbers[:count]
        order = np.argsort(time, kind="stable")
        return Series(time[order], values[order], tuple(self._columns))


def collect(
    recording: Recording,
    namespace: str,
    start: float | None = None,
    end: float | None = None,
    on_record: Callable[[Record], object] | None = None,
) -> RobotSeries:
    """Read what a robot's plots need.

    Args:
        recording: Where from.
        namespace: Of the robot, canonical.
        start, end: Part of it, s since its first message.
        on_record: Called with each message, for a display of progress.
    """
    collector = _Collector(namespace, recording.start_time)
    low = None if start is None else recording.start_time + start
    high = None if end is None else recording.start_time + end
    topics = {
        topic
        for topic, (kind, _) in collector.takers.items()
        if recording.topics.get(topic) == kind and topic not in recording.unreadable
    }
    for record in recording.messages(topics, low, high):
        collector.takers[record.topic][1](record)
        if on_record is not None:
            on_record(record)
    return collector.result()


class _Collector:
    """Takes messages of one robot."""

    def __init__(self, namespace: str, zero: float) -> None:
        self._zero, self._namespace = zero, namespace
        self._wanted, self._wanted_velocity = _Rows(), _Rows()
        self._measured, self._measured_velocity = _Rows(), _Rows()
        self._states = {field: _Rows() for field in STATE_FIELDS}
        self._ticks, self._steering = _Rows(("tick",)), _Rows(("steering",))
        self._cmd_vel = _Rows(("forward", "left", "turn"))
        self._battery, self._motion = _Rows(("battery",)), _Rows(("command",))
        self._bus = _Rows(BUS_VALUES)
        joint_state, states = "sensor_msgs/msg/JointState", "servo_interfaces/msg/ServoStates"
        diagnostics = "diagnostic_msgs/msg/DiagnosticArray"
        #: By topic, its type and what takes its messages.
        self.takers: dict[str, tuple[str, Callable[[Record], None]]] = {
            f"{namespace}/joints_fixed": (joint_state, self._take_wanted),
            f"{namespace}/joint_states": (joint_state, self._take_measured),
            f"{namespace}/servo_states": (states, self._take_states),
            f"{namespace}/sync_step": ("std_msgs/msg/UInt64", self._take_tick),
            f"{namespace}/steering": ("std_msgs/msg/Float64", self._take_steering),
            f"{namespace}/cmd_vel": ("geometry_msgs/msg/Twist", self._take_cmd_vel),
            f"{namespace}/battery_state": ("sensor_msgs/msg/BatteryState", self._take_battery),
            "/diagnostics": (diagnostics, self._take_diagnostics),
        }

    def result(self) -> RobotSeries:
        wanted, measured = self._wanted.series(), self._measured.series()
        states = {field: rows.series() for field, rows in self._states.items()}
        seen = (*measured.columns, *wanted.columns, *states["load"].columns)
        return RobotSeries(
            joints=tuple(dict.fromkeys(seen)),
            wanted=wanted,
            wanted_velocity=self._wanted_velocity.series(),
            measured=measured,
            measured_velocity=self._measured_velocity.series(),
            states=states,
            ticks=self._ticks.series(),
            steering=self._steering.series(),
            cmd_vel=self._cmd_vel.series(),
            battery=self._battery.series(),
            bus=self._bus.series(),
            motion=self._motion.series(),
        )

    def _time(self, record: Record) -> float:
        """Since the recording's first message, s."""
        stamp = record.message.header.stamp
        own = stamp.sec + stamp.nanosec * 1e-9
        trusted = own > 0.0 and abs(own - record.time) <= STAMP_TRUST
        return (own if trusted else record.time) - self._zero

    def _take_wanted(self, record: Record) -> None:
        time, message = self._time(record), record.message
        self._wanted.add(time, message.name, message.position)
        self._wanted_velocity.add(time, message.name, message.velocity)

    def _take_measured(self, record: Record) -> None:
        time, message = self._time(record), record.message
        self._measured.add(time, message.name, message.position)
        self._measured_velocity.add(time, message.name, message.velocity)

    def _take_states(self, record: Record) -> None:
        time, message = self._time(record), record.message
        for field, rows in self._states.items():
            rows.add(time, message.name, [float(v) for v in getattr(message, field)])

    def _take_tick(self, record: Record) -> None:
        self._ticks.add(record.time - self._zero, ("tick",), (float(record.message.data),))

    def _take_steering(self, record: Record) -> None:
        self._steering.add(record.time - self._zero, ("steering",), (record.message.data,))

    def _take_cmd_vel(self, record: Record) -> None:
        linear, turn = record.message.linear, record.message.angular.z
        names = ("forward", "left", "turn")
        self._cmd_vel.add(record.time - self._zero, names, (linear.x, linear.y, turn))

    def _take_battery(self, record: Record) -> None:
        self._battery.add(self._time(record), ("battery",), (record.message.voltage,))

    def _take_diagnostics(self, record: Record) -> None:
        time = self._time(record)
        bus = f"{self._namespace}/{DRIVER}: bus"
        motions = {f"{self._namespace}/{name}" for name in MOTION_ENGINES}
        for status in record.message.status:
            if status.name == bus:
                values = {entry.key: entry.value for entry in status.values}
                numbers = [_number(values.get(key)) for key in BUS_VALUES.values()]
                self._bus.add(time, tuple(BUS_VALUES), numbers)
            elif status.name in motions:
                values = {entry.key: entry.value for entry in status.values}
                if "command" in values:
                    self._motion.add(time, ("command",), (_number(values["command"]),))


def namespace_of(recording: Recording, given: str | None = None) -> str:
    """The namespace of the robot to look at.

    Args:
        recording: Where it is in.
        given: What the user says, canonical; None for what the recording says or tells.

    Raises:
        RefusedError: the recording holds nothing of that robot, of none, or of several.
    """
    known = sorted(
        {
            topic.removesuffix(f"/{end}")
            for topic in recording.topics
            for end in ("joint_states", "joints_fixed", "servo_states")
            if topic.endswith(f"/{end}")
        }
    )
    if given is None:
        given = recording.metadata.get("namespace")
    if given is None and len(known) == 1:
        return known[0]
    names = ", ".join(name or "/" for name in known)
    if not known:
        raise RefusedError(
            f"{recording.path} holds nothing of a robot: no joint_states, joints_fixed, servo_states"
        )
    if given is None:
        raise RefusedError(f"{recording.path} holds several robots; name one: --namespace {names}")
    if given not in known:
        raise RefusedError(
            f"{recording.path} holds nothing of a robot in namespace {given or '/'}; it has {names}"
        )
    return given


def _number(text: str | None) -> float:
    try:
        return float(text) if text is not None else math.nan
    except ValueError:
        return math.nan
