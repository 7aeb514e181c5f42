"""What a node says about itself, without ROS types: a core can build it, a node publishes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Level(IntEnum):
    """Levels of diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True)
class Report:
    """One part of a node.

    Args:
        part: What it is about, e.g. ``bus`` or ``servo s8_pitch``; empty for the node itself.
        level: How bad it is.
        message: One sentence.
        values: Measured values by name; shown as text.
    """

    part: str
    level: Level
    message: str
    values: dict[str, object] = field(default_factory=dict)


def status_name(node: str, part: str) -> str:
    """Name of the diagnostic status of a node's part; `node` with its namespace."""
    return f"{node}: {part}" if part else node


def node_and_part(name: str, namespace: str) -> tuple[str, str] | None:
    """Node, without its namespace, and part of a diagnostic status; None: of another robot.

    Args:
        name: As from `status_name`.
        namespace: Canonical namespace of the robot, empty for none.
    """
    node, _, part = name.partition(": ")
    prefix = f"{namespace}/"
    own = node.removeprefix(prefix)
    return None if not node.startswith(prefix) or "/" in own else (own, part)


def text_of(value: object) -> str:
    """A value for a diagnostic_msgs/KeyValue; floats with four significant digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
