"""Node `stride_record`: hears a robot's topics as bytes and hands them to the writer.

Messages are not waited for one by one: an executor of rclpy takes longer to wake up than to take one.
They wait in the middleware, which notes when they came, and are taken together every TAKE_PERIOD.
"""

from __future__ import annotations

import importlib
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile

from stride_base.errors import RefusedError
from stride_recording.definitions import full_definition
from stride_recording.qos import DEPTH, profiles_yaml, request
from stride_recording.recording_writer import RecordingWriter, Taken, Topic
from stride_recording.sequence_gaps import SequenceGaps
from stride_recording.topics import to_record

#: The graph is looked at this often, s.
POLL_PERIOD = 0.5
#: Messages are taken this often, s.
TAKE_PERIOD = 0.02


class _NeverCalled(CallbackGroup):
    """Of subscriptions that no executor waits for."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        """Nothing was begun."""


class RecorderNode(Node):
    """Subscribes to what is there, and to what appears later.

    Args:
        writer: Where messages go.
        wanted: Full names of topics; None for all.
        say: Called with sentences for the user.
    """

    def __init__(
        self,
        writer: RecordingWriter,
        wanted: Collection[str] | None,
        say: Callable[[str], object],
        **node_arguments: Any,
    ) -> None:
        super().__init__("stride_record", **node_arguments)
        self._writer, self._wanted, self._say = writer, wanted, say
        self.heard: dict[str, _Heard] = {}
        self._refused: set[str] = set()
        self._unwaited = _NeverCalled()
        self.create_timer(POLL_PERIOD, self.poll)
        self.create_timer(TAKE_PERIOD, self.take)
        self.poll()

    @property
    def lost(self) -> int:
        """Messages that the middleware lost on their way here."""
        return sum(topic.gaps.lost for topic in list(self.heard.values()))

    @property
    def missing(self) -> list[str]:
        """Wanted topics that are not there yet."""
        return sorted(set(self._wanted or ()) - self.heard.keys() - self._refused)

    def poll(self) -> None:
        """Look at the graph once."""
        present = self.get_topic_names_and_types()
        for name, type_name in to_record(present, self._wanted).items():
            if name in self._refused:
                continue
            if name not in self.heard:
                try:
                    self.heard[name] = _Heard(self, self._unwaited, name, type_name)
                except RefusedError as error:
                    self._refused.add(name)
                    self._say(f"{name} is not recorded: {error}")
                    continue
            self.heard[name].adapt()

    def take(self) -> None:
        """Hand on what came since the last time, in the order in which it came."""
        came = [message for topic in self.heard.values() for message in topic.take()]
        for message in sorted(came, key=lambda message: message.received_ns):
            self._writer.put(message)

    def close(self) -> None:
        """Take what is left; the writer is closed by whoever made it."""
        self.take()


class _Heard:
    """One topic and the subscription to it."""

    def __init__(self, node: Node, group: CallbackGroup, name: str, type_name: str) -> None:
        self._node, self._group = node, group
        self._name, self._type_name = name, type_name
        self._class = _message_class(type_name)
        self._definition = full_definition(type_name)
        self._topic: Topic | None = None
        # The newest last; the one before it stays until the newest is surely known to all.
        self._subscriptions: list[Any] = []
        self._profile: QoSProfile | None = None
        self._publishers = 0
        # When the newest messages were published: two subscriptions hear the same.
        self._order: deque[int] = deque()
        self._known: set[int] = set()
        self._left: list[Taken] = []
        self.gaps = SequenceGaps()

    def adapt(self) -> None:
        """Subscribe; anew where those who publish now could not be heard otherwise."""
        if len(self._subscriptions) > 1:
            old = self._subscriptions.pop(0)
            self._left += self._taken(old)
            self._node.destroy_subscription(old)
        offers = _profiles(self._node.get_publishers_info_by_topic(self._name))
        self._publishers = len(offers) or self._publishers
        if self._subscriptions and not offers:
            return
        listeners = []
        if not offers:
            listeners = _profiles(self._node.get_subscriptions_info_by_topic(self._name))
        profile = request(offers, listeners)
        if profile == self._profile:
            return
        self._profile = profile
        # Without rclpy's default events: each costs time in every turn of the executor.
        subscription = self._node.create_subscription(
            self._class,
            self._name,
            _called,
            profile,
            callback_group=self._group,
            raw=True,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
        )
        self._subscriptions.append(subscription)

    def take(self) -> list[Taken]:
        """What came since the last time."""
        found, self._left = self._left, []
        for subscription in self._subscriptions:
            found += self._taken(subscription)
        return found

    def _taken(self, subscription: Any) -> list[Taken]:
        found = []
        handle = subscription.handle
        with handle:
            while (taken := handle.take_message(self._class, True)) is not None:
                message = self._message(*taken)
                if message is not None:
                    found.append(message)
        return found

    def _message(self, data: bytes, info: Mapping[str, int | None]) -> Taken | None:
        received = info["received_timestamp"] or time.time_ns()
        published = info["source_timestamp"] or received
        if published in self._known:
            return None
        self._known.add(published)
        self._order.append(published)
        if len(self._order) > DEPTH:
            self._known.discard(self._order.popleft())
        self.gaps.add(info["publication_sequence_number"] or 0, self._publishers)
        if self._topic is None:
            self._topic = self._described()
        return Taken(self._topic, received, published, data)

    def _described(self) -> Topic:
        publishers = self._node.get_publishers_info_by_topic(self._name)
        metadata = {"offered_qos_profiles": profiles_yaml(_profiles(publishers))}
        if publishers:
            metadata["topic_type_hash"] = str(publishers[0].topic_type_hash)
        return Topic(self._name, self._type_name, self._definition, metadata)


def _called(_data: bytes) -> None:
    """A subscription must have a callback."""


def _profiles(endpoints: Collection[Any]) -> list[QoSProfile]:
    return [endpoint.qos_profile for endpoint in endpoints]


def _message_class(type_name: str) -> Any:
    package, _, name = type_name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise RefusedError(f"message type {type_name} is not installed here") from error
