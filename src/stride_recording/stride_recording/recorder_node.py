"""Node `stride_record`: hears a robot's topics as bytes and hands them to the writer."""

from __future__ import annotations

import importlib
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from stride_base.errors import RefusedError
from stride_recording.definitions import full_definition
from stride_recording.qos import DEPTH, profiles_yaml, request
from stride_recording.recording_writer import RecordingWriter, Taken, Topic
from stride_recording.sequence_gaps import SequenceGaps
from stride_recording.topics import to_record

#: The graph is looked at this often, s.
POLL_PERIOD = 0.5


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
        self.create_timer(POLL_PERIOD, self.poll)
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
                    self.heard[name] = _Heard(self, self._writer, name, type_name)
                except RefusedError as error:
                    self._refused.add(name)
                    self._say(f"{name} is not recorded: {error}")
                    continue
            self.heard[name].adapt()

    def close(self) -> None:
        """The writer is closed by whoever made it."""


class _Heard:
    """One topic and the subscription to it."""

    def __init__(self, node: Node, writer: RecordingWriter, name: str, type_name: str) -> None:
        self._node, self._writer = node, writer
        self._name, self._type_name = name, type_name
        self._class = _message_class(type_name)
        self._definition = full_definition(type_name)
        self._topic: Topic | None = None
        self._subscription: Any = None
        self._profile: QoSProfile | None = None
        self._publishers = 0
        # When the newest messages were published, and those that may come again.
        self._newest: deque[int] = deque(maxlen=DEPTH)
        self._again: set[int] = set()
        self.gaps = SequenceGaps()

    def adapt(self) -> None:
        """Subscribe; anew where those who publish now could not be heard otherwise."""
        own = self._subscription
        offers = _profiles(self._node.get_publishers_info_by_topic(self._name))
        self._publishers = len(offers) or self._publishers
        if own is not None and not offers:
            return
        listeners = []
        if not offers:
            listeners = _profiles(self._node.get_subscriptions_info_by_topic(self._name))
        profile = request(offers, listeners)
        if own is not None and profile == self._profile:
            return
        if profile.durability == DurabilityPolicy.TRANSIENT_LOCAL:
            # What the publishers keep for late listeners is delivered again.
            self._again = set(self._newest)
        self._profile = profile
        # Without rclpy's default events: each costs time in every turn of the executor.
        events = SubscriptionEventCallbacks(use_default_callbacks=False)
        self._subscription = self._node.create_subscription(
            self._class, self._name, self._on_message, profile, raw=True, event_callbacks=events
        )
        if own is not None:
            self._node.destroy_subscription(own)

    def _on_message(self, data: bytes, info: Mapping[str, int | None]) -> None:
        received = info["received_timestamp"] or time.time_ns()
        published = info["source_timestamp"] or received
        if published in self._again:
            return
        self._newest.append(published)
        self.gaps.add(info["publication_sequence_number"] or 0, self._publishers)
        if self._topic is None:
            self._topic = self._described()
        self._writer.put(Taken(self._topic, received, published, data))

    def _described(self) -> Topic:
        publishers = self._node.get_publishers_info_by_topic(self._name)
        metadata = {"offered_qos_profiles": profiles_yaml(_profiles(publishers))}
        if publishers:
            metadata["topic_type_hash"] = str(publishers[0].topic_type_hash)
        return Topic(self._name, self._type_name, self._definition, metadata)


def _profiles(endpoints: Collection[Any]) -> list[QoSProfile]:
    return [endpoint.qos_profile for endpoint in endpoints]


def _message_class(type_name: str) -> Any:
    package, _, name = type_name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise RefusedError(f"message type {type_name} is not installed here") from error
