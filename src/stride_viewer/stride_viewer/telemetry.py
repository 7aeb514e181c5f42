"""What is known of the robot: the newest of every topic with its time, and a minute of history.

Fed with messages, from ROS or from a recording alike; only their fields are read. Time is that of the
source, s, and always given.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stride_base.diagnostics import node_and_part

NAN = math.nan
#: History is kept for so long, s, and sampled with this period, s.
HISTORY, SAMPLE_PERIOD = 60.0, 0.1
VIEWER = "stride_viewer"
#: Poses of the body, the best first.
POSE_TOPICS = ("ground_truth", "odom")
#: What a servo said, and what was wanted of a joint, is a gap in the history when older than this, s.
MEASURED_AGE = 0.5
#: A pose older than this does not count any more, s.
POSE_AGE = 1.0


@dataclass(frozen=True)
class Servo:
    """One servo, as in servo_interfaces/ServoStates; NaN for what was not measured."""

    name: str
    id: int
    status: int
    age: float
    goal: float
    goal_velocity: float
    position: float
    load: float
    voltage: float
    temperature: float
    current: float
    flags: int
    torque: int


@dataclass(frozen=True)
class Part:
    """One diagnostic status: level (0 ok, 1 warning, 2 error, 3 stale), message, values as text."""

    level: int
    message: str
    values: Mapping[str, str]
    time: float

    def number(self, name: str) -> float:
        """A value as a number; NaN where there is none."""
        try:
            return float(self.values.get(name, "nan"))
        except ValueError:
            return NAN


@dataclass(frozen=True)
class BodyPose:
    """Where the body is: position m, orientation x y z w, and which topic said so."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    topic: str
    time: float


@dataclass(frozen=True)
class Sample:
    """A row of the history: time s, and a value per joint in the order of `Telemetry.names`."""

    time: float
    wanted: tuple[float, ...]
    measured: tuple[float, ...]
    load: tuple[float, ...]
    voltage: tuple[float, ...]
    temperature: tuple[float, ...]


@dataclass(frozen=True)
class BusSample:
    """A row of the bus's history: time s, lateness us, cycles missed so far."""

    time: float
    late_p50: float
    late_p99: float
    late_max: float
    missed: float


@dataclass
class Telemetry:
    """Newest values and history of one robot.

    Args:
        namespace: Canonical namespace, empty for none; diagnostics of other robots are ignored.
    """

    namespace: str = ""
    wanted: dict[str, float] = field(default_factory=dict)
    #: Last known position of every joint; a message may leave out joints that did not answer.
    measured: dict[str, float] = field(default_factory=dict)
    measured_times: dict[str, float] = field(default_factory=dict)
    servos: dict[str, Servo] = field(default_factory=dict)
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    body_poses: dict[str, BodyPose] = field(default_factory=dict)
    battery: float = NAN
    steering: float = NAN
    urdf: str = ""
    #: Time of the newest message by topic.
    heard: dict[str, float] = field(default_factory=dict)
    #: Joints in the order of the history.
    names: tuple[str, ...] = ()
    history: deque[Sample] = field(default_factory=deque)
    bus_history: deque[BusSample] = field(default_factory=deque)

    def take(self, topic: str, message: Any, now: float) -> None:
        """Take a message of `topic`, relative to the namespace; of other topics nothing is known."""
        taker = _TAKERS.get(topic)
        if taker is not None and taker(self, message, now) is not False:
            self.heard[topic] = now

    def age(self, topic: str, now: float) -> float:
        """How old the newest message of `topic` is, s; infinite if there was none."""
        return now - self.heard.get(topic, -math.inf)

    def pose(self, now: float) -> BodyPose | None:
        """The best pose that is not old."""
        for topic in POSE_TOPICS:
            pose = self.body_poses.get(topic)
            if pose is not None and now - pose.time <= POSE_AGE:
                return pose
        return None

    def part(self, node: str, part: str = "") -> Part | None:
        """Newest diagnostics of a node's part."""
        return self.parts.get((node, part))

    def sample(self, now: float) -> Sample | None:
        """Add a row to the history if one is due, and return it."""
        if self.history and now - self.history[-1].time < SAMPLE_PERIOD:
            # A recording that starts again, or a clock that was set back.
            if now >= self.history[-1].time:
                return None
            self.history.clear()
            self.bus_history.clear()
        names = self._joint_names()
        if names != self.names:
            self.names = names
            self.history.clear()
        if not names:
            return None
        servos = [self.servo_now(name, now) for name in names]
        wanted = self.wanted if self.age("joints_fixed", now) <= MEASURED_AGE else {}
        row = Sample(
            now,
            tuple(wanted.get(name, NAN) for name in names),
            tuple(self._measured_now(name, now) for name in names),
            tuple(NAN if servo is None else servo.load for servo in servos),
            tuple(NAN if servo is None else servo.voltage for servo in servos),
            tuple(NAN if servo is None else servo.temperature for servo in servos),
        )
        self.history.append(row)
        _forget(self.history, now)
        return row

    def servo_now(self, name: str, now: float) -> Servo | None:
        """A servo, if its readings are not old."""
        servo = self.servos.get(name)
        silence = self.age("servo_states", now)
        return servo if servo is not None and servo.age + silence <= MEASURED_AGE else None

    def _measured_now(self, name: str, now: float) -> float:
        """Position of a joint; NaN if it was not measured lately."""
        age = now - self.measured_times.get(name, -math.inf)
        return self.measured[name] if age <= MEASURED_AGE else NAN

    def _joint_names(self) -> tuple[str, ...]:
        known = self.servos or self.measured or self.wanted
        return tuple(known)

    def _take_wanted(self, message: Any, now: float) -> None:
        self.wanted = dict(zip(message.name, map(float, message.position), strict=False))

    def _take_measured(self, message: Any, now: float) -> None:
        for name, position in zip(message.name, map(float, message.position), strict=False):
            if math.isfinite(position):
                self.measured[name] = position
                self.measured_times[name] = now

    def _take_servos(self, m: Any, now: float) -> None:
        columns: Sequence[Iterable[Any]] = (
            m.name,
            m.id,
            m.status,
            m.age,
            m.goal_position,
            m.goal_velocity,
            m.position,
            m.load,
            m.voltage,
            m.temperature,
            m.current,
            m.flags,
            m.torque,
        )
        rows = zip(*columns, strict=False)
        self.servos = {row[0]: Servo(*row) for row in rows}

    def _take_battery(self, message: Any, now: float) -> None:
        self.battery = float(message.voltage)

    def _take_steering(self, message: Any, now: float) -> None:
        self.steering = float(message.data)

    def _take_urdf(self, message: Any, now: float) -> None:
        self.urdf = str(message.data)

    def _take_pose(self, topic: str, message: Any, now: float) -> None:
        position, orientation = message.pose.pose.position, message.pose.pose.orientation
        turn = (orientation.x, orientation.y, orientation.z, orientation.w)
        if not all(map(math.isfinite, (position.x, position.y, position.z, *turn))) or not any(
            turn
        ):
            # No pose: a body without one is drawn by its feet, and not at zero.
            return
        self.body_poses[topic] = BodyPose(
            (position.x, position.y, position.z),
            turn,
            topic,
            now,
        )

    def _take_ground_truth(self, message: Any, now: float) -> None:
        self._take_pose("ground_truth", message, now)

    def _take_odom(self, message: Any, now: float) -> None:
        self._take_pose("odom", message, now)

    def _take_diagnostics(self, message: Any, now: float) -> bool:
        """Whether any of it was of this robot; pages tell nothing of a robot."""
        heard = False
        for status in message.status:
            found = node_and_part(status.name, self.namespace)
            if found is None or found[0] == VIEWER:
                continue
            heard = True
            values = {entry.key: entry.value for entry in status.values}
            level = status.level
            number = level[0] if isinstance(level, bytes) else int(level)
            self.parts[found] = Part(number, status.message, values, now)
            if found[1] == "bus":
                self._add_bus(self.parts[found])
        return heard

    def _add_bus(self, bus: Part) -> None:
        row = BusSample(
            bus.time,
            bus.number("lateness p50 (us)"),
            bus.number("lateness p99 (us)"),
            bus.number("lateness max (us)"),
            bus.number("missed cycles"),
        )
        self.bus_history.append(row)
        _forget(self.bus_history, bus.time)


def _forget(rows: deque[Any], now: float) -> None:
    while rows and now - rows[0].time > HISTORY:
        rows.popleft()


_TAKERS = {
    "joints_fixed": Telemetry._take_wanted,
    "joint_states": Telemetry._take_measured,
    "servo_states": Telemetry._take_servos,
    "battery_state": Telemetry._take_battery,
    "steering": Telemetry._take_steering,
    "robot_description": Telemetry._take_urdf,
    "ground_truth": Telemetry._take_ground_truth,
    "odom": Telemetry._take_odom,
    "/diagnostics": Telemetry._take_diagnostics,
}
#: What is known of a robot comes by these topics, of these types.
TOPICS = {
    "joints_fixed": "sensor_msgs/msg/JointState",
    "joint_states": "sensor_msgs/msg/JointState",
    "servo_states": "servo_interfaces/msg/ServoStates",
    "battery_state": "sensor_msgs/msg/BatteryState",
    "steering": "std_msgs/msg/Float64",
    "robot_description": "std_msgs/msg/String",
    "ground_truth": "nav_msgs/msg/Odometry",
    "odom": "nav_msgs/msg/Odometry",
    "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray",
}
