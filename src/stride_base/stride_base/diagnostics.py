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


def text_of(value: object) -> str:
    """A value for a diagnostic_msgs/KeyValue; floats with four significant digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
