"""The recorder on real DDS, in one process with those that it hears."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from mcap.reader import make_reader
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String, UInt64

from servo_interfaces.msg import ServoStates
from stride_base.errors import RefusedError
from stride_base.stride_node import LOOP_QOS
from stride_recording.disk_file import create
from stride_recording.mcap_output import McapOutput
from stride_recording.recorder_node import RecorderNode
from stride_recording.recording_writer import RecordingWriter
from stride_recording.topics import default_topics, full_name, to_record

DEADLINE = 30.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.fixture
def context(isolated: None) -> Iterator[Context]:
    context = Context()
    rclpy.init(args=[], context=context)
    yield context
    context.try_shutdown()


class Bench:
    """A robot that says what a test wants, and a recorder of it; nothing runs but in `until`."""

    def __init__(self, context: Context, path: Path, wanted: set[str] | None) -> None:
        self.path, self.context = path, context
        self.said: list[str] = []
        self.robot = Node("robot", context=context, namespace="/left")
        self.writer = RecordingWriter(McapOutput(create(path)), self.said.append)
        self.wanted = wanted
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.robot)
        self.node: Any = None

    def record(self) -> None:
        self.node = RecorderNode(
            self.writer, self.wanted, self.said.append, context=self.context, namespace="/left"
        )
        self.executor.add_node(self.node)

    def until(self, done: Callable[[], object]) -> None:
        end = time.monotonic() + DEADLINE
        while not done():
            assert time.monotonic() < end, "it never happened"
            self.executor.spin_once(timeout_sec=0.05)
            self.node.poll()
            self.writer.step()

    def until_recorded(self, count: int) -> None:
        self.until(lambda: self.writer.messages >= count)

    def until_heard(self, publisher: Any, listeners: int = 1) -> None:
        self.until(lambda: publisher.get_subscription_count() >= listeners)

    def close(self) -> list[Any]:
        """(schema, channel, message) of all that is in the file."""
        self.executor.shutdown()
        self.node.destroy_node()
        self.robot.destroy_node()
        self.writer.close()
        with self.path.open("rb") as stream:
            return list(make_reader(stream).iter_messages())


def decoded(found: list[Any], kind: type) -> list[Any]:
    """Messages of one type, as ROS reads them."""
    name = f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
    return [deserialize_message(m.data, kind) for schema, _, m in found if schema.name == name]


Make = Callable[..., Bench]


@pytest.fixture
def bench(context: Context, tmp_path: Path) -> Make:
    def make(*topics: str, every: bool = False) -> Bench:
        names = {full_name(topic, "/left") for topic in topics}
        return Bench(context, tmp_path / "run.mcap", None if every else names)

    return make


def test_the_bytes_in_the_file_are_those_that_were_published(bench: Make) -> None:
    it = bench("joint_states", "servo_states", "sync_step")
    states = it.robot.create_publisher(ServoStates, "servo_states", LOOP_QOS)
    joints = it.robot.create_publisher(JointState, "joint_states", LOOP_QOS)
    ticks = it.robot.create_publisher(UInt64, "sync_step", LOOP_QOS)
    it.record()
    # Another's bytes, not `serialize_message`: what lies between fields is not the same each time.
    heard: list[tuple[str, bytes]] = []
    for publisher in (states, joints, ticks):
        keep = partial(lambda name, data: heard.append((name, data)), publisher.topic_name)
        it.robot.create_subscription(publisher.msg_type, publisher.topic_name, keep, 200, raw=True)
    messages = [
        (
            "/left/servo_states",
            states,
            ServoStates(name=["a"], position=[float("nan")], flags=[32]),
        ),
        ("/left/joint_states", joints, JointState(name=["a", "ä"], position=[0.1, -0.2])),
        *[("/left/sync_step", ticks, UInt64(data=number)) for number in range(100)],
    ]
    for _, publisher, _ in messages[:3]:
        it.until_heard(publisher, 2)
    before = time.time_ns()
    for number, (_, publisher, message) in enumerate(messages):
        publisher.publish(message)
        it.until_recorded(number + 1)
    it.until(lambda: len(heard) == len(messages))
    found = it.close()
    assert sorted((channel.topic, message.data) for _, channel, message in found) == sorted(heard)
    assert [m.data for m in decoded(found, UInt64)] == list(range(100))
    for _, _, message in found:
        assert before <= message.publish_time <= message.log_time <= time.time_ns()
    assert (it.writer.dropped, it.node.lost, it.said) == (0, 0, [])


def test_topics_that_appear_later_are_recorded_too(bench: Make) -> None:
    it = bench("steering")
    it.record()
    it.until(lambda: it.node.missing == ["/left/steering"])
    publisher = it.robot.create_publisher(Float64, "steering", LOOP_QOS)
    it.until_heard(publisher)
    publisher.publish(Float64(data=0.25))
    it.until_recorded(1)
    assert it.node.missing == []
    ((_, channel, _),) = it.close()
    assert channel.topic == "/left/steering"


def test_a_topic_is_heard_before_anybody_publishes_when_somebody_listens(bench: Make) -> None:
    it = bench("steering")
    it.robot.create_subscription(Float64, "steering", lambda _: None, LOOP_QOS)
    it.record()
    it.until(lambda: "/left/steering" in it.node.heard)
    publisher = it.robot.create_publisher(Float64, "steering", LOOP_QOS)
    it.until_heard(publisher, 2)
    publisher.publish(Float64(data=-1.0))
    it.until_recorded(1)
    assert len(it.close()) == 1


def test_what_was_published_before_and_is_kept_is_recorded(bench: Make) -> None:
    it = bench("robot_description")
    publisher = it.robot.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data="<robot/>"))
    it.record()
    it.until_recorded(1)
    ((_, channel, message),) = it.close()
    assert deserialize_message(message.data, String).data == "<robot/>"
    (profile,) = yaml.safe_load(channel.metadata["offered_qos_profiles"])
    assert profile["durability"] == "transient_local"


def test_what_is_kept_is_recorded_once_though_the_subscription_is_made_anew(bench: Make) -> None:
    it = bench("robot_description")
    it.robot.create_subscription(String, "robot_description", lambda _: None, LOOP_QOS)
    it.record()
    it.until(lambda: "/left/robot_description" in it.node.heard)
    publisher = it.robot.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data="one"))
    it.until_recorded(1)
    publisher.publish(String(data="two"))
    it.until_recorded(2)
    assert [m.data for m in decoded(it.close(), String)] == ["one", "two"]


def test_publishers_that_promise_nothing_are_heard_beside_reliable_ones(bench: Make) -> None:
    it = bench("sync_step")
    first = it.robot.create_publisher(UInt64, "sync_step", LOOP_QOS)
    it.record()
    it.until_heard(first)
    second = it.robot.create_publisher(UInt64, "sync_step", BEST_EFFORT)
    it.until_heard(second)
    it.until_heard(first)
    second.publish(UInt64(data=2))
    it.until_recorded(1)
    first.publish(UInt64(data=1))
    it.until_recorded(2)
    assert {m.data for m in decoded(it.close(), UInt64)} == {1, 2}


def test_the_profiles_are_written_as_ros2_bag_reads_them(bench: Make) -> None:
    it = bench("sync_step")
    publisher = it.robot.create_publisher(UInt64, "sync_step", LOOP_QOS)
    it.record()
    it.until_heard(publisher)
    publisher.publish(UInt64())
    it.until_recorded(1)
    ((_, channel, _),) = it.close()
    forever = {"sec": 9223372036, "nsec": 854775807}
    (profile,) = yaml.safe_load(channel.metadata["offered_qos_profiles"])
    assert profile == {
        "history": "unknown",
        "depth": 0,
        "reliability": "reliable",
        "durability": "volatile",
        "deadline": forever,
        "lifespan": forever,
        "liveliness": "automatic",
        "liveliness_lease_duration": forever,
        "avoid_ros_namespace_conventions": False,
    }
    assert channel.metadata["topic_type_hash"].startswith("RIHS01_")


def test_other_topics_are_left_alone_unless_all_are_wanted(bench: Make) -> None:
    it = bench("sync_step")
    publishers = [
        it.robot.create_publisher(UInt64, topic, LOOP_QOS) for topic in ("sync_step", "other")
    ]
    it.record()
    it.until_heard(publishers[0])
    assert it.node.heard.keys() == {"/left/sync_step"}
    it.node.poll()
    assert it.node.heard.keys() == {"/left/sync_step"}
    it.close()


def test_all_topics_are_those_that_are_not_hidden(bench: Make) -> None:
    it = bench(every=True)
    publishers = [
        it.robot.create_publisher(UInt64, topic, LOOP_QOS)
        for topic in ("any", "walk/_action/status")
    ]
    it.record()
    it.until_heard(publishers[0])
    assert "/left/any" in it.node.heard
    assert not any("_action" in topic for topic in it.node.heard)
    it.close()


def test_a_type_that_is_not_installed_is_told_once(bench: Make) -> None:
    it = bench("sync_step")
    it.record()
    it.node.get_topic_names_and_types = lambda: [("/left/sync_step", ["no_such/msg/Type"])]
    for _ in range(3):
        it.node.poll()
    assert it.said == [
        "/left/sync_step is not recorded: message type no_such/msg/Type is not installed here"
    ]
    it.close()


def test_a_robots_topics_are_in_its_namespace_and_diagnostics_are_not() -> None:
    topics = default_topics("/left")
    assert {"/left/joint_states", "/left/steering", "/diagnostics", "/tf"} <= {*topics}
    assert to_record([("/a", ["p/msg/B", "p/msg/A"]), ("/b", ["p/msg/A"])], {"/a"}) == {
        "/a": "p/msg/A"
    }


@pytest.mark.parametrize("name", ["a b", "1x", "/", "", "a//b", "ä"])
def test_what_can_be_no_topic_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="is no name of a topic"):
        full_name(name, "")
