"""What a control file makes a robot do, as plain data: for `stride check` and for tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gait_controller import steps
from gait_controller.control_file import ControlFile, PositionServo, WheelServo
from gait_controller.speed_limit import (
    MAX_SPEED,
    amplitude_gain,
    cut_factor,
    peak_speed,
    wheel_speed_limit,
)

COMMANDS = (-1.0, 0.0, 1.0)
CYCLE_POINTS = 720


@dataclass(frozen=True)
class JointAtCommand:
    """A position joint at one steering command, after the ramp.

    Args:
        command: Steering command.
        gain: Factor on the amplitudes by steering.
        peak: Bound of the joint speed before the cut, (amp1 + 2 amp2)*omega, rad/s.
        cut: Factor k of the speed cut; 1 for none.
        cut_peak: Bound of the joint speed after the cut, rad/s.
        loaded_peak: The same with the phase at omega + |sigma|, its fastest under load, rad/s.
        lowest, highest: Ends of the motion before the limits, rad.
        clipped: Part of a cycle in which a limit holds the target, 0 to 1.
    """

    command: float
    gain: float
    peak: float
    cut: float
    cut_peak: float
    loaded_peak: float
    lowest: float
    highest: float
    clipped: float


@dataclass(frozen=True)
class WheelAtCommand:
    """A wheel at one steering command: speed before and after the limit, rad/s, joint side."""

    command: float
    wanted: float
    speed: float


@dataclass(frozen=True)
class ServoReport:
    """One servo.

    Args:
        id, name, mode: From the file.
        limits: (min, max) rad; None for a wheel.
        step_limits: Servo positions at min and max, steps; None for a wheel.
        sigma: Gain of the load feedback, rad/s; 0 for a wheel.
        load_can_stop: Whether |sigma| >= omega.
        commands: The servo at each of COMMANDS.
    """

    id: int
    name: str
    mode: str
    limits: tuple[float, float] | None
    step_limits: tuple[int, int] | None
    sigma: float
    load_can_stop: bool
    commands: tuple[JointAtCommand, ...] | tuple[WheelAtCommand, ...]


@dataclass(frozen=True)
class ControlReport:
    """A whole control file.

    Args:
        file, format, robot, control_hz, ramp_time, frequency: From the file.
        omega: rad/s.
        servos: One entry per servo, in order.
        warnings: Of the file.
    """

    file: str
    format: int
    robot: str
    control_hz: int
    ramp_time: float
    frequency: float
    omega: float
    servos: tuple[ServoReport, ...]
    warnings: tuple[str, ...]

    @property
    def fastest(self) -> float:
        """Highest speed that any joint or wheel can be asked for after the cut, rad/s."""
        return max(
            entry.loaded_peak if isinstance(entry, JointAtCommand) else abs(entry.speed)
            for servo in self.servos
            for entry in servo.commands
        )


def report(control: ControlFile) -> ControlReport:
    """Judge a valid control file."""
    return ControlReport(
        file=control.file,
        format=control.format,
        robot=control.robot,
        control_hz=control.control_hz,
        ramp_time=control.ramp_time,
        frequency=control.frequency,
        omega=control.omega,
        servos=tuple(
            _joint(servo, control.omega) if isinstance(servo, PositionServo) else _wheel(servo)
            for servo in control.servos
        ),
        warnings=control.warnings,
    )


def _wheel(servo: WheelServo) -> ServoReport:
    wanted = [servo.speed + command * servo.steer_shift for command in COMMANDS]
    entries = tuple(
        WheelAtCommand(command, speed, float(wheel_speed_limit(speed)))
        for command, speed in zip(COMMANDS, wanted, strict=True)
    )
    return ServoReport(servo.id, servo.name, servo.mode, None, None, 0.0, False, entries)


def _joint(servo: PositionServo, omega: float) -> ServoReport:
    limits = (servo.min, servo.max)
    low, high = steps.rounded(steps.steps(limits, servo.zero, servo.sign)).tolist()
    return ServoReport(
        id=servo.id,
        name=servo.name,
        mode=servo.mode,
        limits=limits,
        step_limits=(low, high),
        sigma=servo.sigma,
        load_can_stop=servo.sigma != 0.0 and abs(servo.sigma) >= omega,
        commands=tuple(_at(servo, omega, command) for command in COMMANDS),
    )


def _at(servo: PositionServo, omega: float, command: float) -> JointAtCommand:
    gain = float(amplitude_gain(command, servo.steer_gain))
    amp1, amp2 = servo.amp1 * gain, servo.amp2 * gain
    peak = float(peak_speed(amp1, amp2, omega))
    cut = float(cut_factor(peak))
    amp1, amp2 = amp1 * cut, amp2 * cut
    theta = np.linspace(0.0, 2.0 * math.pi, CYCLE_POINTS, endpoint=False)
    target = servo.offset + command * servo.steer_shift
    target = target + amp1 * np.sin(theta + servo.phase1) + amp2 * np.sin(2 * theta + servo.phase2)
    outside = (target < servo.min) | (target > servo.max)
    return JointAtCommand(
        command=command,
        gain=gain,
        peak=peak,
        cut=cut,
        cut_peak=min(peak, MAX_SPEED),
        loaded_peak=float(peak_speed(amp1, amp2, omega + abs(servo.sigma))),
        lowest=float(target.min()),
        highest=float(target.max()),
        clipped=float(outside.mean()),
    )
