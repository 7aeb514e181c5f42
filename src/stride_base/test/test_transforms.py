"""A pose as a frame on `/tf`, with and without the messages of tf2."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry

from stride_base.transforms import TransformBroadcaster, transform_of


@dataclass
class FrameMessage:
    """Stands in for tf2_msgs/TFMessage."""

    transforms: list[TransformStamped]


@dataclass
class Topic:
    """A node and its one publisher."""

    listeners: int = 1
    name: str = ""
    sent: list[FrameMessage] = field(default_factory=list)

    def create_publisher(self, _class: Any, name: str, _qos: Any) -> Topic:
        self.name = name
        return self

    def get_subscription_count(self) -> int:
        return self.listeners

    def publish(self, message: FrameMessage) -> None:
        self.sent.append(message)


@pytest.fixture
def odometry() -> Odometry:
    message = Odometry(child_frame_id="left/base_link")
    message.header.frame_id = "left/odom"
    message.header.stamp.sec = 7
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    position.x, position.y, position.z = 1.0, 2.0, 0.085
    orientation.z, orientation.w = 0.6, 0.8
    return message


def test_a_transform_leads_from_the_frame_of_the_pose_to_the_body(odometry: Odometry) -> None:
    transform = transform_of(odometry)
    assert transform.header.frame_id == "left/odom"
    assert transform.child_frame_id == "left/base_link"
    assert transform.header.stamp.sec == 7
    moved, turned = transform.transform.translation, transform.transform.rotation
    assert (moved.x, moved.y, moved.z) == (1.0, 2.0, 0.085)
    assert (turned.x, turned.y, turned.z, turned.w) == (0.0, 0.0, 0.6, 0.8)


def test_it_is_sent_where_tf2_looks_for_it(odometry: Odometry) -> None:
    topic = Topic()
    TransformBroadcaster(topic, FrameMessage).send(odometry)
    assert topic.name == "/tf"
    assert topic.sent == [FrameMessage([transform_of(odometry)])]


def test_nothing_is_made_while_nobody_listens(odometry: Odometry) -> None:
    topic = Topic(listeners=0)
    TransformBroadcaster(topic, FrameMessage).send(odometry)
    assert topic.sent == []


def test_without_the_messages_of_tf2_there_is_no_topic(odometry: Odometry) -> None:
    topic = Topic()
    TransformBroadcaster(topic, None).send(odometry)
    assert topic.name == ""
