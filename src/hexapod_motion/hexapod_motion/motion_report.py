"""What diagnostics say of the motion."""

from __future__ import annotations

from collections.abc import Mapping

from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import State
from hexapod_motion.sequences import NONE
from stride_base.diagnostics import Level, Report

#: What the parts on requests say of that which may be asked for.
READY = "ready"


class MotionReport:
    """Makes reports of one `Motion`; missed frames are a warning for one period.

    Args:
        motion: What is reported on.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self._missed = self._frames = 0
        self._warnings = ""

    def look_at_ticks(self) -> None:
        """Once a period: what to warn of until the next time."""
        counter = self._motion.counter
        self._warnings = ""
        if counter.frames == self._frames:
            self._warnings = "; no tick since the last report"
        if counter.missed > self._missed:
            self._warnings += f"; {counter.missed - self._missed} frames were missed"
        self._missed, self._frames = counter.missed, counter.frames

    def moment(self) -> tuple[object, ...]:
        """A value that differs where the state, a sequence or what may be asked for does."""
        motion, engine = self._motion, self._motion.engine
        return (
            motion.state,
            engine.current.name,
            engine.idle,
            engine.pending,
            motion.commands.refusal(),
            motion.walker.settings,
        )

    def reports(self, margin: float) -> list[Report]:
        """The present state, and what may be asked for.

        Args:
            margin: Static stability margin, mm.
        """
        permissions = self._motion.permissions
        velocity = permissions.velocity()
        commands = {"cmd_vel": velocity, "steering": velocity, "body_pose": permissions.body_pose()}
        return [
            self._state(margin),
            _requests("sequences", self._motion.allowed()),
            _requests("gaits", self._motion.gaits.answers()),
            _requests("commands", commands),
        ]

    def _state(self, margin: float) -> Report:
        motion, engine = self._motion, self._motion.engine
        level, message = Level.OK, self._message() + self._warnings
        if motion.fault:
            level = Level.ERROR
        elif (
            self._warnings
            or motion.state is State.WAITING
            or (engine.lost and motion.state is State.SEQUENCE)
        ):
            level = Level.WARN
        counter = motion.counter
        walker, posture = motion.walker, motion.posture
        values: dict[str, object] = {
            "state": motion.state.name.lower(),
            "posture": posture.value if posture else "between",
            "sequence": engine.current.name,
            "iteration": max(engine.iteration, 0),
            "asked for": engine.pending,
            "gait": walker.settings.gait,
            "feet down": int(walker.down.sum()) if motion.state is State.WALK else "",
            "velocity (m/s)": _velocity(motion),
            "body pose in reach": walker.pose_part,
            "command timed out": motion.commands.timed_out,
            "stability margin (mm)": margin,
            "frames": counter.frames,
            "missed frames": counter.missed,
            "driver restarts": counter.restarts,
        }
        return Report("", level, message, values)

    def _message(self) -> str:
        motion, engine = self._motion, self._motion.engine
        if motion.fault:
            return str(motion.fault)
        if motion.state is State.WAITING:
            return f"waiting for the pose of {motion.measured.unknown}"
        if motion.state is State.WALK:
            if engine.pending:
                return f"putting the feet in their places for {engine.pending}"
            return "standing, ready" if motion.walker.resting else "walking"
        if motion.state is State.APPROACH:
            return motion.state.value
        if engine.lost:
            return "stopped on the way; DOWN brings the robot to the floor"
        if engine.idle:
            assert engine.posture is not None
            return f"ready, {engine.posture.value}"
        after = "" if not engine.pending else f", then {_wish(engine.pending)}"
        return f"{engine.current.name}, {engine.block.value}{after}"


def _requests(part: str, refusals: Mapping[str, str]) -> Report:
    """Name -> READY, or why not."""
    values: dict[str, object] = {name: why or READY for name, why in refusals.items()}
    return Report(part, Level.OK, "what may be asked for now", values)


def _wish(pending: str) -> str:
    return "it stops" if pending == NONE else pending


def _velocity(motion: Motion) -> str:
    if motion.state is not State.WALK:
        return ""
    twist = motion.walker.state.twist
    return (
        f"{twist.velocity.real / 1000:.3f} {twist.velocity.imag / 1000:.3f}, {twist.turn:.3f} rad/s"
    )
