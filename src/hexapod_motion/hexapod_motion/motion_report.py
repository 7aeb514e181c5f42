"""What diagnostics say of the motion."""

from __future__ import annotations

from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import State
from hexapod_motion.sequences import NONE
from stride_base.diagnostics import Level, Report


class MotionReport:
    """Makes reports of one `Motion`; missed frames are a warning once.

    Args:
        motion: What is reported on.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self._missed = self._frames = 0

    def report(self, margin: float) -> Report:
        """The present state; `margin` is the static stability margin, mm."""
        motion, engine = self._motion, self._motion.engine
        level, message = Level.OK, self._message()
        if motion.fault:
            level = Level.ERROR
        elif motion.state is State.WAITING or (engine.lost and motion.state is State.SEQUENCE):
            level = Level.WARN
        counter = motion.counter
        if counter.frames == self._frames:
            level, message = max(level, Level.WARN), f"{message}; no tick since the last report"
        if counter.missed > self._missed:
            missed = counter.missed - self._missed
            level, message = max(level, Level.WARN), f"{message}; {missed} frames were missed"
        self._missed, self._frames = counter.missed, counter.frames
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
            missing = motion.measured.missing
            count = len(motion.geometry.joint_names)
            return (
                f"waiting for the pose of {'all' if len(missing) == count else ', '.join(missing)}"
            )
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


def _wish(pending: str) -> str:
    return "it stops" if pending == NONE else pending


def _velocity(motion: Motion) -> str:
    if motion.state is not State.WALK:
        return ""
    twist = motion.walker.state.twist
    return (
        f"{twist.velocity.real / 1000:.3f} {twist.velocity.imag / 1000:.3f}, {twist.turn:.3f} rad/s"
    )
