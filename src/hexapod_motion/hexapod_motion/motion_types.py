"""What goes into a `Motion` and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hexapod_motion.arrays import FloatArray
from hexapod_motion.commands import CommandSettings
from hexapod_motion.walk_rules import WalkSettings


class State(Enum):
    """What the robot does."""

    WAITING = "waiting for the pose of the joints"
    APPROACH = "moving to the floor pose"
    SEQUENCE = "following sequences"
    WALK = "walking by velocity"
    FAULT = "holding after a fault"


@dataclass(frozen=True)
class MotionSettings:
    """How the robot is moved.

    Args:
        rate: Frames per second, Hz.
        start_measured: Wait for the measured pose and move from there; else assume the floor pose.
        approach_speed: Fastest joint on the way to the floor pose, rad/s.
        sequence_speed: How much faster than their tables sequences run.
        walk: How to walk.
        commands: How commands are taken.
        levelling: Whether an IMU keeps the body level.
    """

    rate: float = 150.0
    start_measured: bool = True
    approach_speed: float = 0.5
    sequence_speed: float = 1.0
    walk: WalkSettings = field(default_factory=WalkSettings)
    commands: CommandSettings = field(default_factory=CommandSettings)
    levelling: bool = False


@dataclass(frozen=True, eq=False)
class Frame:
    """What the joints shall do.

    Args:
        position: (18,) rad.
        velocity: (18,) rad/s, mean since the frame before.
    """

    position: FloatArray
    velocity: FloatArray
