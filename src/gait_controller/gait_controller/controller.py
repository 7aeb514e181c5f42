"""The gait controller without ROS: waits for the pose, approaches the gait, walks.

    waiting --pose of all joints known--> approach --goal reached--> walking
       ^                                                               |
       +---------------------- the driver restarted -------------------+

It is stepped by the numbers of `sync_step`; time is the number of ticks, whatever a clock says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gait_controller.approach import Approach
from gait_controller.control_file import ControlFile
from gait_controller.cpg import BoolArray, Cpg, Targets
from gait_controller.frame import Frame
from gait_controller.measurements import Measurements
from gait_controller.steering import Steering
from gait_controller.step_counter import MOST_MISSED, Advance, StepCounter
from stride_base.diagnostics import Level, Report

DEFAULT_STALL_TORQUE = 2.94


class State(Enum):
    """What the controller is doing."""

    WAITING = "waiting for the pose"
    APPROACH = "moving to the first pose of the gait"
    WALKING = "walking"


@dataclass(frozen=True)
class Settings:
    """How a control file is followed. The defaults are the file's own rules, with nothing added.

    Args:
        dt: Time between ticks, s; 0 for 1/control_hz of the file.
        start_measured: Wait for the pose and approach from there, instead of starting at 0 rad.
        approach_speed: Fastest joint of the approach, rad/s.
        steering_rate_limit: Fastest change of the command, 1/s; 0 for none.
        steering_timeout: Time after which a command no longer counts, s; 0 for never.
        stall_torque: Effort of a load of 1, N m.
        load_timeout: Age up to which a measurement counts, s.
    """

    dt: float = 0.0
    start_measured: bool = False
    approach_speed: float = 0.5
    steering_rate_limit: float = 0.0
    steering_timeout: float = 0.0
    stall_torque: float = DEFAULT_STALL_TORQUE
    load_timeout: float = 0.1


class Controller:
    """State machine of one robot.

    Args:
        control: The robot's control file.
        settings: How to follow it.
    """

    def __init__(self, control: ControlFile, settings: Settings) -> None:
        self.control = control
        self.dt = settings.dt if settings.dt > 0.0 else 1.0 / control.control_hz
        self.steering = Steering(settings.steering_rate_limit, settings.steering_timeout)
        self._wheels = np.array([servo.mode == "wheel" for servo in control.servos])
        oldest = int(settings.load_timeout / self.dt + 1e-9)
        self._measured = Measurements(
            control.names, self._wheels.tolist(), settings.stall_torque, oldest
        )
        self._cpg = Cpg(control, self.dt)
        self._counter = StepCounter()
        self._start_measured = settings.start_measured
        self._approach_speed = settings.approach_speed
        self._approach: Approach | None = None
        self._open_loop: BoolArray = np.zeros(len(control.servos), dtype=bool)
        self._open_loop_ticks = 0
        self._reported_missed, self._missed_text = 0, ""
        self._measurements = 0
        self._state = State.WALKING
        self._restart()

    @property
    def state(self) -> State:
        """What it is doing."""
        return self._state

    @property
    def steps(self) -> int:
        """Numbers taken so far."""
        return self._counter.steps

    @property
    def measurements(self) -> int:
        """Good messages of measurements so far."""
        return self._measurements

    @property
    def approach_speed(self) -> float:
        """Fastest joint of the approach, rad/s; may be set at any time."""
        return self._approach_speed

    @approach_speed.setter
    def approach_speed(self, speed: float) -> None:
        self._approach_speed = speed
        if self._approach is not None:
            self._approach.speed = speed

    def on_steering(self, command: float) -> None:
        """Take a command; raises RefusedError if it is not finite, and the last one stays."""
        self.steering.set(command)

    def on_joint_states(
        self,
        names: Sequence[str],
        position: Sequence[float],
        velocity: Sequence[float],
        effort: Sequence[float],
    ) -> None:
        """Take measurements; raises RefusedError and uses nothing of them if any of it is wrong."""
        self._measured.update(names, position, velocity, effort)
        self._measurements += 1

    def on_step(self, number: int) -> Frame | None:
        """The frame for `sync_step` `number`, or None while the pose is not known."""
        advance = self._counter.advance(number)
        self._measured.advance(advance.elapsed)
        self.steering.elapse(advance.elapsed * self.dt)
        if advance.restarted:
            self._restart()
        if self._state is State.WAITING:
            self._try_to_start()
        if self._state is State.APPROACH:
            frame = self._approach_frame()
            if frame is not None:
                return frame
        if self._state is State.WALKING:
            return self._walk(advance)
        return None

    def reports(self) -> list[Report]:
        """What `/diagnostics` shows; missed ticks are a warning until the next call."""
        counter = self._counter
        missed, self._reported_missed = counter.missed - self._reported_missed, counter.missed
        self._missed_text = f"; {missed} ticks were missed" if missed else ""
        return [*self.news(), *self._file_reports()]

    def news(self) -> list[Report]:
        """The state, and whether steering has an effect now: what a page should know at once."""
        waits = "" if self._state is State.WALKING else self._state_text()
        commands: dict[str, object] = {"steering": waits or "ready"}
        return [
            self._state_report(),
            Report("commands", Level.OK, "what may be asked for now", commands),
        ]

    def _restart(self) -> None:
        """Forget where the robot is, and begin the gait anew."""
        self._measured.forget()
        self._cpg.reset()
        self._approach = None
        self._state = State.WAITING if self._start_measured else State.WALKING

    def _missing_pose(self) -> list[str]:
        """Position joints whose place is not known now."""
        missing = np.isnan(self._measured.position()) & ~self._wheels
        return [self.control.names[index] for index in np.flatnonzero(missing)]

    def _try_to_start(self) -> None:
        if self._missing_pose():
            return
        # The first tick with the command in force. Load feedback moves it by less than a tick does.
        unknown = np.full(len(self._wheels), np.nan)
        goal = Cpg(self.control, self.dt).step(unknown, self.steering.value).position
        start = self._measured.position()
        self._approach = Approach(start, goal, self.dt, self._approach_speed)
        self._state = State.APPROACH

    def _approach_frame(self) -> Frame | None:
        """The next frame of the approach, one tick further also after missed ticks, so that the
        servos never have to catch up; None when it is over."""
        assert self._approach is not None
        if self._approach.done:
            self._approach = None
            self._state = State.WALKING
            return None
        return self._approach.step()

    def _walk(self, advance: Advance) -> Targets:
        # Nothing was missed before the gait's first tick.
        ticks = advance.ticks if self._cpg.started else 1
        command = self.steering.step(ticks * self.dt)
        targets = self._cpg.step(self._measured.load(), command, ticks)
        self._open_loop = targets.open_loop
        self._open_loop_ticks += bool(targets.open_loop.any())
        return targets

    def _state_text(self) -> str:
        if self._state is State.WAITING:
            return f"{self._state.value} of {', '.join(self._missing_pose()) or 'all joints'}"
        return self._state.value

    def _state_report(self) -> Report:
        counter = self._counter
        level, message = Level.OK, self._state_text()
        unknown = [self.control.names[index] for index in np.flatnonzero(self._open_loop)]
        if self._state is State.WAITING:
            level = Level.WARN
        elif self._state is State.WALKING and unknown:
            level = Level.WARN
            message += f", without load feedback at {', '.join(unknown)}"
        if self._missed_text:
            level = Level.WARN
            message += self._missed_text
        values: dict[str, object] = {
            "state": self._state.name.lower(),
            "command": self.steering.value,
            "command timed out": self.steering.timed_out,
            "steps": counter.steps,
            "measurements": self._measurements,
            "missed ticks": counter.missed,
            f"gaps of more than {MOST_MISSED} ticks": counter.gaps,
            "driver restarts": counter.restarts,
            "joints with unknown load": len(unknown),
            "ticks with unknown load": self._open_loop_ticks,
        }
        if self._approach is not None:
            values["time to the first pose (s)"] = self._approach.remaining
        return Report("", level, message, values)

    def _file_reports(self) -> list[Report]:
        warnings = self.control.warnings
        if not warnings:
            return []
        values: dict[str, object] = {f"warning {i}": text for i, text in enumerate(warnings, 1)}
        return [Report("control file", Level.WARN, f"{self.control.file} has warnings", values)]
