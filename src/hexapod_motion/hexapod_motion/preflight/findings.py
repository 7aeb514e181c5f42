"""What a pre-flight check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What is wrong."""

    REACH = "reach"
    LIMITS = "limits"
    CYCLE = "cycle"
    JOINT_SPEED = "joint_speed"
    SLIP = "slip"
    MARGIN = "margin"
    TILT = "tilt"
    SWEEP = "sweep"


@dataclass(frozen=True)
class Thresholds:
    """From when on something is found.

    Args:
        slip: A standing foot's way over the ground in one iteration, mm.
        margin: Static stability margin, mm.
        tilt: How far the body leans against the ground, degrees.
        sweep: An arc's way round the coxa axis, degrees.
    """

    slip: float = 2.0
    margin: float = 10.0
    tilt: float = 2.0
    sweep: float = 180.0


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Args:
        kind: What.
        sequence: Name of the sequence or gait.
        iteration: Number of the iteration; -1 where it is none's.
        part: Name of the limb or joint; empty where it is none's.
        text: The finding in one sentence, without the place.
        value: What was measured, in the unit of its threshold; None where that is no number.
        accepted: Whether the table says that it is meant to be so.
    """

    kind: Kind
    sequence: str
    iteration: int
    part: str
    text: str
    value: float | None = None
    accepted: bool = False

    @property
    def place(self) -> str:
        """Where it is."""
        words = [self.sequence]
        if self.iteration >= 0:
            words.append(f"iteration {self.iteration}")
        return ", ".join([*words, self.part] if self.part else words)

    def __str__(self) -> str:
        return f"{self.place}: {self.kind.value}: {self.text}"
