"""Quality of service: what a subscription asks for to hear everybody, and what a file says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

#: Messages that may wait for the recorder in the middleware: ten seconds of a topic at 100 Hz.
DEPTH = 1000
#: rmw's "for ever", as rosbag2 writes it.
_FOREVER_NS = 9223372036854775807


def request(offers: Sequence[Any], listeners: Sequence[Any] = ()) -> QoSProfile:
    """A profile that is compatible with every offer, and loses as little as that allows.

    Args:
        offers: Profiles of the publishers.
        listeners: Profiles of the other subscriptions, which tell what to expect as long as nobody
            publishes.
    """
    known = offers or listeners
    reliable = all(p.reliability == ReliabilityPolicy.RELIABLE for p in known)
    latched = bool(known) and all(p.durability == DurabilityPolicy.TRANSIENT_LOCAL for p in known)
    return QoSProfile(
        depth=DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def profiles_yaml(offers: Iterable[Any]) -> str:
    """Profiles as rosbag2 writes them into `offered_qos_profiles` (its metadata version 9)."""
    return "".join(_profile_yaml(profile) for profile in offers)


def _profile_yaml(profile: Any) -> str:
    lines = [
        f"history: {profile.history.name.lower()}",
        f"depth: {profile.depth}",
        f"reliability: {profile.reliability.name.lower()}",
        f"durability: {profile.durability.name.lower()}",
        *_duration_yaml("deadline", profile.deadline),
        *_duration_yaml("lifespan", profile.lifespan),
        f"liveliness: {profile.liveliness.name.lower()}",
        *_duration_yaml("liveliness_lease_duration", profile.liveliness_lease_duration),
        f"avoid_ros_namespace_conventions: {str(profile.avoid_ros_namespace_conventions).lower()}",
    ]
    return "- " + "\n  ".join(lines) + "\n"


def _duration_yaml(name: str, duration: Any) -> list[str]:
    # Zero is rmw's "unspecified", which means for ever.
    seconds, nanoseconds = divmod(duration.nanoseconds or _FOREVER_NS, 10**9)
    return [f"{name}:", f"  sec: {seconds}", f"  nsec: {nanoseconds}"]
