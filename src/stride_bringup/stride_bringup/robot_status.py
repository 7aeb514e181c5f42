"""What is known of a running robot, collected from its messages; and in words for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stride_base.diagnostics import node_and_part
from stride_base.servo_words import FLAG_WORDS, STATUS_WORDS, TORQUE_WORDS
from stride_bringup.node_kinds import DRIVER, INVERSES, MOTIONS


@dataclass(frozen=True)
class Part:
    """One diagnostic status.

    Args:
        level: 0 ok, 1 warning, 2 error, 3 stale.
        message: One sentence.
        values: Values by name, as text.
    """

    level: int
    message: str
    values: Mapping[str, str]

    def value(self, name: str) -> str:
        """A value as text; ``-`` where it is not known."""
        text = self.values.get(name, "-")
        return "-" if text == "nan" else text


UNKNOWN = Part(3, "not heard of yet", {})


@dataclass
class RobotStatus:
    """Newest diagnostics of the nodes in one namespace.

    Args:
        namespace: Canonical namespace, empty for none.
    """

    namespace: str
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)

    def take(self, name: str, level: int, message: str, values: Mapping[str, str]) -> None:
        """Take one diagnostic status; those of other robots are ignored.

        Args:
            name: ``/namespace/node`` or ``/namespace/node: part``.
        """
        found = node_and_part(name, self.namespace)
        if found is not None:
            self.parts[found] = Part(level, message, values)

    def bus(self) -> Part:
        """The driver's report of the bus."""
        return self.parts.get((DRIVER, "bus"), UNKNOWN)

    @property
    def has_bus(self) -> bool:
        """Whether the driver has reported."""
        return (DRIVER, "bus") in self.parts

    def motion(self) -> Part:
        """The motion engine's report of itself."""
        for name in MOTIONS:
            if (name, "") in self.parts:
                return self.parts[name, ""]
        return UNKNOWN

    def line(self) -> str:
        """Everything that matters in one line."""
        bus, motion = self.bus(), self.motion()
        words = [
            f"cycle {bus.value('cycle')}",
            f"{bus.value('achieved rate (Hz)')} of {bus.value('wanted rate (Hz)')} Hz",
            f"missed {bus.value('missed cycles')}",
            f"steering {motion.value('command')}",
            motion.message if motion is not UNKNOWN else "starting",
        ]
        if bus.level > 0 and bus is not UNKNOWN:
            words.append(f"bus: {bus.message}")
        return " | ".join(words)


def missing_nodes(running: Iterable[str]) -> list[str]:
    """What of a stack does not run, in words.

    Args:
        running: Names of the nodes in the robot's namespace.
    """
    names = set(running)
    wanted: Sequence[tuple[str, Iterable[str]]] = (
        ("motion engine", MOTIONS),
        ("inverse servo model", INVERSES),
        ("driver", (DRIVER,)),
    )
    return [f"no {what} ({' or '.join(known)})" for what, known in wanted if not names & set(known)]


JOINT_COLUMNS = (
    "joint",
    "id",
    "goal (rad)",
    "position (rad)",
    "load",
    "voltage (V)",
    "temp (°C)",
    "torque",
    "flags",
    "status",
    "age (s)",
)


@dataclass(frozen=True)
class JointStatus:
    """One servo, as in servo_interfaces/ServoStates; NaN for what was not measured."""

    name: str
    id: int
    goal: float
    goal_velocity: float
    position: float
    load: float
    voltage: float
    temperature: float
    torque: int
    flags: int
    status: int
    age: float

    def cells(self) -> tuple[str, ...]:
        """Texts for JOINT_COLUMNS."""
        wheel = math.isnan(self.goal) and not math.isnan(self.goal_velocity)
        goal = f"{number(self.goal_velocity, 2)} rad/s" if wheel else number(self.goal, 3)
        flags = [word for bit, word in FLAG_WORDS.items() if self.flags & bit]
        return (
            self.name,
            str(self.id),
            goal,
            number(self.position, 3),
            number(self.load, 2),
            number(self.voltage, 1),
            number(self.temperature, 0),
            TORQUE_WORDS.get(self.torque, "?"),
            ", ".join(flags) or "-",
            STATUS_WORDS.get(self.status, f"status {self.status}"),
            number(self.age, 2),
        )

    @property
    def troubled(self) -> bool:
        """Whether the row deserves attention."""
        return self.flags != 0 or self.status != 0


def number(value: float, digits: int) -> str:
    """`value` with `digits` decimals; ``-`` for NaN, ``never`` for infinity."""
    if math.isnan(value):
        return "-"
    return "never" if math.isinf(value) else f"{value:.{digits}f}"
