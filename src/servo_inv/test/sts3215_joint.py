"""One STS3215 with a point load on an arm: a scalar plant, written apart from the model it tests.

Physical profile of the servo (spec `actuator`): P controller on the duty, DC motor, Coulomb, Stribeck
and viscous friction, a target that moves at the goal speed. The driver's part, from a goal and
a duration to registers, is here too, and the cycle in which goals come one period late. Time is stepped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

STEP = 2.0 * math.pi / 4096
GRAVITY = 9.81
PHYSICS_PERIOD = 0.0005


@dataclass(frozen=True)
class Servo:
    """Numbers of the servo; torque in N m, speed in rad/s."""

    kt: float = 1.1690
    resistance: float = 2.4814
    armature: float = 0.02574
    coulomb: float = 0.03821
    stribeck: float = 0.02619
    stribeck_velocity: float = 0.1433
    stribeck_exponent: float = 10.0
    viscous: float = 0.06674
    error_gain: float = 0.166
    p_gain: float = 32.0
    duty_limit: float = 0.97
    slew: float = 5.3


@dataclass
class Joint:
    """The servo moves `mass` at the end of `arm`, horizontal at 0 rad. `q` and `v` are the truth."""

    voltage: float = 7.4
    mass: float = 0.3
    arm: float = 0.2
    servo: Servo = field(default_factory=Servo)
    q: float = 0.0
    v: float = 0.0
    target: float = 0.0
    goal: float = 0.0
    speed: float = 0.0

    @property
    def position(self) -> float:
        """What the encoder reads, rad."""
        return STEP * round(self.q / STEP)

    def effort(self, q: float, a: float) -> float:
        """Torque that holds and accelerates the load, N m."""
        return self.mass * self.arm * (GRAVITY * math.cos(q) + self.arm * a)

    def write(self, goal: float, duration: float) -> None:
        """Goal registers: whole steps, and the speed that makes the target be there in time."""
        self.goal = STEP * round(goal / STEP)
        counts = math.ceil(abs(self.goal - self.target) / duration / STEP - 1e-9)
        self.speed = min(max(counts, 1) * STEP, self.servo.slew)

    def advance(self, time: float) -> None:
        """Let `time` pass."""
        for _ in range(round(time / PHYSICS_PERIOD)):
            self._step(PHYSICS_PERIOD)

    def _step(self, h: float) -> None:
        servo = self.servo
        duty = servo.error_gain * servo.p_gain * (self.target - self.q)
        duty = max(-servo.duty_limit, min(servo.duty_limit, duty))
        torque = servo.kt * self.voltage * duty / servo.resistance
        torque -= self.mass * self.arm * GRAVITY * math.cos(self.q)
        inertia = servo.armature + self.mass * self.arm**2
        damping = servo.kt**2 / servo.resistance + servo.viscous
        share = math.exp(-(abs(self.v / servo.stribeck_velocity) ** servo.stribeck_exponent))
        friction = servo.coulomb + servo.stribeck * share
        # Dry friction takes speed away but never turns it round: that is how the joint sticks.
        free = (self.v * inertia + h * torque) / (inertia + h * damping)
        lost = h * friction / (inertia + h * damping)
        self.v = math.copysign(max(abs(free) - lost, 0.0), free)
        self.q += self.v * h
        way = self.goal - self.target
        self.target += max(-self.speed * h, min(self.speed * h, way))


@dataclass(frozen=True)
class Course:
    """What happened in each control cycle: (m,) lists.

    Args:
        time: s.
        goal: Goal in the servo at that time, rad.
        position: What the encoder read then, rad.
    """

    time: list[float]
    goal: list[float]
    position: list[float]


def follow(joint: Joint, goals: Sequence[float], period: float, duration: float) -> Course:
    """Run (m,) goals, each computed in one cycle and written at the beginning of the next.

    The joint stands at the first goal before.
    """
    joint.q = joint.target = joint.goal = STEP * round(goals[0] / STEP)
    joint.v = 0.0
    course = Course([], [], [])
    for cycle in range(len(goals)):
        joint.write(goals[max(cycle - 1, 0)], duration)
        course.time.append(cycle * period)
        course.goal.append(joint.goal)
        course.position.append(joint.position)
        joint.advance(period)
    return course
