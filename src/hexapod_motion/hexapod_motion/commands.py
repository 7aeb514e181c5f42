"""Velocity commands: the last one counts, and not for long."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hexapod_motion.planar import STILL, Twist
from stride_base.errors import RefusedError

#: Commands slower than this mean to stand, mm/s with the turn counted at LEVER.
STANDING = 0.5


@dataclass(frozen=True)
class CommandSettings:
    """How commands are taken.

    Args:
        timeout: Time after which a command no longer counts, s.
        steering_speed: Forward velocity of a steering command, mm/s.
        steering_turn: Turn of steering 1, to the left, rad/s.
    """

    timeout: float = 0.5
    steering_speed: float = 100.0
    steering_turn: float = 0.25


class Commands:
    """Keeps the newest command, from `cmd_vel` or `steering`.

    Attributes:
        settings: How commands are taken; may change at any time.
    """

    def __init__(self, settings: CommandSettings) -> None:
        self.settings = settings
        self._twist, self._age = STILL, math.inf
        self._blocked = False

    @property
    def twist(self) -> Twist:
        """The command in force; STILL when it is too old."""
        return STILL if self.timed_out else self._twist

    @property
    def timed_out(self) -> bool:
        """Whether the last command is too old to count."""
        return self._age > self.settings.timeout

    @property
    def age(self) -> float:
        """Time since the last command, s."""
        return self._age

    def elapse(self, time: float) -> None:
        """Let `time` s pass. A command that times out counts as let go."""
        self._age += time
        if self.timed_out:
            self._twist, self._blocked = STILL, False

    def velocity(self, forward: float, left: float, turn: float) -> Twist:
        """Read a velocity in m/s and rad/s.

        Raises:
            RefusedError: it is not finite.
        """
        if not all(map(math.isfinite, (forward, left, turn))):
            raise RefusedError(f"it is not finite: ({forward}, {left}) m/s, {turn} rad/s")
        twist = Twist(1000.0 * complex(forward, left), turn)
        return twist if twist.size >= STANDING else STILL

    def steering(self, value: float) -> Twist:
        """Read a steering command, clipped to -1 to 1; positive turns left.

        Raises:
            RefusedError: it is not finite.
        """
        if not math.isfinite(value):
            raise RefusedError(f"it is {value}")
        turn = max(-1.0, min(1.0, value)) * self.settings.steering_turn
        return Twist(complex(self.settings.steering_speed), turn)

    def refusal(self) -> str:
        """Why `take` would refuse a command other than STILL now; empty: it would take it."""
        if self._blocked:
            return "walking was stopped by NONE; let go first (a zero command, or none)"
        return ""

    def take(self, twist: Twist) -> None:
        """Make `twist` the command.

        Raises:
            RefusedError: walking was stopped, and the command has not been let go since.
        """
        if twist and self.refusal():
            self._age = 0.0
            raise RefusedError(self.refusal())
        self._twist, self._age = twist, 0.0
        if not twist:
            self._blocked = False

    def block(self) -> None:
        """Stop, and take no more until the command was let go."""
        self._blocked = bool(self.twist) or self._blocked
        self._twist = STILL

    def drop(self) -> None:
        """Forget the command."""
        self._twist, self._age, self._blocked = STILL, math.inf, False
