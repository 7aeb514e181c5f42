"""Central pattern generator: two harmonics per joint, load feedback, steering; all servos at once.

Source: rules of the control file (format 3), with the feedback of Owaki et al. 2013 (Tegotae).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gait_controller import speed_limit
from gait_controller.control_file import ControlFile, PositionServo, WheelServo
from gait_controller.frame import FloatArray, Frame
from stride_base.errors import RefusedError

BoolArray = NDArray[np.bool_]
T = TypeVar("T")

SUBSTEPS = 5
# As arrays, since numpy converts a Python number anew in each call.
ONE, MINUS_ONE, TURN = np.array(1.0), np.array(-1.0), np.array(2.0 * math.pi)


@dataclass(frozen=True)
class Targets(Frame):
    """A frame of the oscillator.

    Args:
        theta: (n,) phase in rad, 0 to 2 pi; NaN for wheels.
        open_loop: (n,) joints that have feedback and ran without it, since their load is unknown.
    """

    theta: FloatArray
    open_loop: BoolArray


class Cpg:
    """The oscillator of one robot; `step` computes one tick.

    Args:
        control: The robot's control file.
        dt: Time between ticks, s; default 1/control_hz.
    """

    def __init__(self, control: ControlFile, dt: float | None = None) -> None:
        joints = [s if isinstance(s, PositionServo) else None for s in control.servos]
        wheels = [s if isinstance(s, WheelServo) else None for s in control.servos]
        self.dt = 1.0 / control.control_hz if dt is None else dt
        self._omega = control.omega
        self._ramp_time = control.ramp_time
        # A row of a wheel holds NaN, which passes through all of the joints' arithmetic.
        self._amp1, self._amp2 = _column(joints, "amp1"), _column(joints, "amp2")
        self._offset = _column(joints, "offset")
        self._steer_gain = _column(joints, "steer_gain")
        self._steer_shift = _column(joints, "steer_shift")
        phase1, phase2 = _column(joints, "phase1"), _column(joints, "phase2")
        self._sin1, self._cos1 = np.sin(phase1), np.cos(phase1)
        self._sin2, self._cos2 = np.sin(phase2), np.cos(phase2)
        self._low, self._high = _column(joints, "min"), _column(joints, "max")
        self._wheels = np.flatnonzero([servo is not None for servo in wheels])
        self._speed = _column(wheels, "speed")[self._wheels]
        self._speed_shift = _column(wheels, "steer_shift")[self._wheels]

        count = len(control.servos)
        sigma = np.nan_to_num(_column(joints, "sigma"))
        substep = self.dt / SUBSTEPS
        self._has_feedback = sigma != 0.0
        self._any_feedback = bool(self._has_feedback.any())
        self._full_scale = np.full(count, control.load_full_scale)
        self._sigma_substep = sigma * substep
        self._omega_substep = np.full(count, self._omega * substep)
        self._omega_tick = np.full(count, self._omega * self.dt)
        self._per_substep = np.array(1.0 / substep)
        self._never = np.zeros(count, dtype=bool)
        self._never.flags.writeable = False

        self._drive, self._change = np.zeros(count), np.zeros(count)
        self._basis = np.ones((5, count))
        self._weights = np.zeros((2, 5, count))
        self._wheel_speed: FloatArray = np.zeros(len(self._wheels))
        self.reset()
        self._command = math.nan
        self._prepare(0.0)

    @property
    def started(self) -> bool:
        """Whether the first tick was computed."""
        return self._tick > 0

    def reset(self) -> None:
        """Back to the start: the next tick is the first one, t = 0."""
        self._tick = 0
        self._theta = np.where(np.isnan(self._amp1), np.nan, 0.0)
        self._basis[1:] = 0.0
        self._basis[2] = np.cos(self._theta)

    def step(self, load: FloatArray, command: float, ticks: int = 1) -> Targets:
        """Compute the next tick.

        Args:
            load: (n,) load of each servo as a fraction of its stall torque, joint side; NaN where
                it is unknown, and that joint runs without feedback. Not used for wheels.
            command: Steering, clipped to [-1, 1]; it acts in this tick.
            ticks: Ticks to integrate: 1, and one more for each that was missed.

        Raises:
            RefusedError: `command` is not finite; nothing has changed.
        """
        if command != self._command:
            self._prepare(command)
        open_loop = self._integrate(load, ticks)
        self._tick += ticks
        time = (self._tick - 1) * self.dt

        _, sin, cos, sin_cos, sin_sin = self._basis
        np.multiply(sin, cos, sin_cos)
        np.multiply(sin, sin, sin_sin)
        wanted, slope = np.einsum("kjn,jn->kn", self._weights, self._basis)
        # Rate of the phase at its present value, rad/s.
        rate = self._change
        np.multiply(self._drive, cos, rate)
        np.subtract(self._omega_substep, rate, rate)
        np.multiply(rate, self._per_substep, rate)
        np.multiply(slope, rate, slope)
        ramp = 1.0
        if time < self._ramp_time:
            ramp = time / self._ramp_time
            # Frames are dt apart, so no ramp is steeper than one of length dt.
            slope = ramp * slope + wanted / max(self._ramp_time, self.dt)
            wanted = ramp * wanted
        position = np.maximum(wanted, self._low)
        np.minimum(position, self._high, position)
        velocity = np.where(position == wanted, slope, 0.0)
        if self._wheels.size:
            velocity[self._wheels] = ramp * self._wheel_speed
        return Targets(position, velocity, self._theta.copy(), open_loop)

    def _integrate(self, load: FloatArray, ticks: int) -> BoolArray:
        """Advance the phases; leaves sin and cos of them in the basis."""
        theta, change, drive = self._theta, self._change, self._drive
        sin, cos = self._basis[1], self._basis[2]
        open_loop = self._never
        if self._any_feedback:
            np.divide(load, self._full_scale, drive)
            unknown = np.isnan(drive)
            np.maximum(drive, MINUS_ONE, drive)
            np.minimum(drive, ONE, drive)
            np.multiply(drive, self._sigma_substep, drive)
            if unknown.any():
                drive[unknown] = 0.0
                open_loop = unknown & self._has_feedback
        for _ in range(ticks):
            if self._any_feedback:
                for substep in range(SUBSTEPS):
                    if substep:
                        np.cos(theta, cos)
                    np.multiply(drive, cos, change)
                    np.subtract(self._omega_substep, change, change)
                    np.add(theta, change, theta)
            else:
                np.add(theta, self._omega_tick, theta)
            # theta mod 2 pi, in a third of the time that np.remainder takes.
            np.divide(theta, TURN, change)
            np.floor(change, change)
            np.multiply(change, TURN, change)
            np.subtract(theta, change, theta)
            np.cos(theta, cos)
        np.sin(theta, sin)
        return open_loop

    def _prepare(self, command: float) -> None:
        """Constants that depend on the command only.

        With s = sin(theta) and c = cos(theta) a target is
        offset + A s + B c + C sin(2 theta) + D cos(2 theta), where sin(2 theta) = 2 s c and
        cos(2 theta) = 1 - 2 s s. The weights are those of 1, s, c, s c and s s in the target
        (row 0) and in its derivative by theta (row 1).
        """
        if not math.isfinite(command):
            raise RefusedError(f"steering command {command} is not a finite number")
        self._command = command
        command = min(1.0, max(-1.0, command))
        gain = speed_limit.amplitude_gain(command, self._steer_gain)
        amp1, amp2 = self._amp1 * gain, self._amp2 * gain
        cut = speed_limit.cut_factor(speed_limit.peak_speed(amp1, amp2, self._omega))
        amp1, amp2 = amp1 * cut, amp2 * cut
        a, b = amp1 * self._cos1, amp1 * self._sin1
        c, d = amp2 * self._cos2, amp2 * self._sin2
        offset = self._offset + command * self._steer_shift
        target, derivative = self._weights
        target[0], target[1], target[2], target[3], target[4] = offset + d, a, b, 2 * c, -2 * d
        derivative[0], derivative[1], derivative[2] = 2 * c, -b, a
        derivative[3], derivative[4] = -4 * d, -4 * c
        self._wheel_speed = speed_limit.wheel_speed_limit(self._speed + command * self._speed_shift)


def _column(servos: list[T | None], field: str) -> FloatArray:
    """(n,) field of the servos, NaN where there is none."""
    return np.array([math.nan if s is None else float(getattr(s, field)) for s in servos])
