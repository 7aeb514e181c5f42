"""What state the robot is in, and which controls may be used: decided from telemetry alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from stride_viewer.telemetry import Part, Telemetry

#: Nothing for so long means that the stack does not run, s; the slowest topic comes once a second.
SILENCE = 2.5
DRIVER = "sts3215_driver"
MOTIONS = ("gait_controller", "hexapod_motion")
#: What the driver calls its states without torque, and without a port.
FREE, LOST = "torque is off", "port lost"
READY, IN_USE = "ready", "in use"


class State(Enum):
    """The robot's state in one word, for the head of the page."""

    NOT_HEARD = "no robot"
    STOPPED = "stack stopped"
    NOT_ACTIVE = "driver not active"
    PORT_LOST = "port lost"
    TORQUE_OFF = "torque off"
    RUNNING = "running"


@dataclass(frozen=True)
class Condition:
    """State of the robot, and why it is that.

    Args:
        state: In one word.
        reason: In one sentence; empty while all is well.
        trouble: Warnings and errors of any node, as ``node: message``.
    """

    state: State
    reason: str
    trouble: tuple[str, ...] = ()

    @property
    def heard(self) -> bool:
        """Whether a stack runs."""
        return self.state not in (State.NOT_HEARD, State.STOPPED)


def condition(telemetry: Telemetry, now: float) -> Condition:
    """The robot's state now."""
    quiet = min(telemetry.age("servo_states", now), telemetry.age("/diagnostics", now))
    if quiet == float("inf"):
        return Condition(State.NOT_HEARD, "nothing was heard of a robot yet")
    if quiet > SILENCE:
        return Condition(State.STOPPED, f"nothing was heard for {quiet:.0f} s")
    trouble = tuple(
        f"{' '.join(name).strip()}: {part.message}"
        for name, part in telemetry.parts.items()
        if part.level in (1, 2) and now - part.time <= SILENCE
    )
    bus = _fresh(telemetry.part(DRIVER, "bus"), now)
    if bus is None:
        return Condition(State.NOT_ACTIVE, "no driver is heard", trouble)
    if bus.message.startswith("not active"):
        return Condition(State.NOT_ACTIVE, bus.message, trouble)
    if bus.values.get("state") == LOST:
        return Condition(State.PORT_LOST, bus.message, trouble)
    torque = {servo.torque for servo in telemetry.servos.values()}
    # A servo that was not heard just now is unknown, and neither on nor off.
    if bus.values.get("state") == FREE or (0 in torque and 1 not in torque):
        return Condition(State.TORQUE_OFF, bus.message, trouble)
    return Condition(State.RUNNING, bus.message if bus.level else "", trouble)


@dataclass(frozen=True)
class Controls:
    """What may be asked for. A reason is a sentence why not; empty: it may.

    Args:
        steering, velocity, body_pose, torque_on: Reason of the control.
        takes: Commands that the motion engine has at all.
        sequences: Reason by name; empty if the robot has none.
        gaits: Reason by name.
        sequence: The sequence that runs; empty: none.
        gait: The gait in use; empty: not known.
        motion: Node of the motion engine; empty: none is heard.
        motion_message: What it says of itself.
    """

    steering: str
    velocity: str
    body_pose: str
    torque_on: str
    takes: frozenset[str]
    sequences: Mapping[str, str]
    gaits: Mapping[str, str]
    sequence: str
    gait: str
    motion: str
    motion_message: str


def controls(telemetry: Telemetry, state: Condition, now: float) -> Controls:
    """Which controls may be used now."""
    motion = _motion(telemetry, now)
    parts = {
        name: _fresh(telemetry.part(motion, name), now)
        for name in ("", "commands", "sequences", "gaits")
    }
    commands, sequences, gaits = (_values(parts[n]) for n in ("commands", "sequences", "gaits"))
    blocked = _blocked(state, motion)
    me = _values(parts[""])
    return Controls(
        steering=blocked or _reason(commands, "steering", motion),
        velocity=blocked or _reason(commands, "cmd_vel", motion),
        body_pose=blocked or _reason(commands, "body_pose", motion),
        torque_on=_torque_on(telemetry, state),
        takes=frozenset(commands),
        sequences={name: blocked or _ready(text) for name, text in sequences.items()},
        gaits={name: blocked or _ready(text) for name, text in gaits.items()},
        sequence=me.get("sequence", ""),
        gait=next((name for name, text in gaits.items() if text == IN_USE), ""),
        motion=motion,
        motion_message="" if parts[""] is None else parts[""].message,
    )


def _motion(telemetry: Telemetry, now: float) -> str:
    for node in MOTIONS:
        if any(name == node and _fresh(part, now) for (name, _), part in telemetry.parts.items()):
            return node
    return ""


def _blocked(state: Condition, motion: str) -> str:
    """Why nothing can be moved at all."""
    if state.state is not State.RUNNING:
        if state.state is State.TORQUE_OFF or not state.reason:
            return state.state.value
        return f"{state.state.value}: {state.reason}"
    return "" if motion else "no motion engine is heard"


def _torque_on(telemetry: Telemetry, state: Condition) -> str:
    if state.state is State.TORQUE_OFF:
        return ""
    if state.state is not State.RUNNING:
        return state.reason or state.state.value
    off = [servo.name for servo in telemetry.servos.values() if servo.torque == 0]
    return "" if off else "torque is on"


def _reason(commands: Mapping[str, str], name: str, motion: str) -> str:
    if name not in commands:
        return f"{motion} takes no {name}"
    return _ready(commands[name])


def _ready(text: str) -> str:
    return "" if text == READY else text


def _values(part: Part | None) -> Mapping[str, str]:
    return {} if part is None else part.values


def _fresh(part: Part | None, now: float) -> Part | None:
    return part if part is not None and now - part.time <= SILENCE else None
