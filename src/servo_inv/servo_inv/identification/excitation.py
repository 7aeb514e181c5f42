"""Motions that show friction, inertia and load apart, within the limits of a joint.

One sine cannot do that: acceleration and gravity torque both go with its angle. So the motion is a
sum of sines of unrelated frequencies, one half of it slow (the range of the Stribeck curve), the other
as fast as the limits allow. Of several drawn at random the one that separates them best is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.identification.fit import LINEAR
from servo_inv.identification.load import PointLoad
from servo_inv.identification.separability import separability
from servo_inv.identification.signals import first_derivative, second_derivative
from servo_inv.joint_message import FloatArray
from stride_base.errors import ConfigError

SINES = 6
#: Frequencies and greatest speed of the slow half; frequencies of the fast half. Hz and rad/s.
SLOW_BAND, SLOW_SPEED = (0.03, 0.5), 0.4
FAST_BAND = (0.1, 1.2)
#: Motion keeps this share of the limits, because the joint may overshoot a little.
MARGIN = 0.95
SHORTEST = 8.0
#: A typical Stribeck curve, to judge a motion by before anything is known.
TYPICAL_STRIBECK_VELOCITY = 0.2


@dataclass(frozen=True)
class JointLimits:
    """Where and how fast a joint may be moved.

    Args:
        lower, upper: rad.
        speed: rad/s, > 0.
        acceleration: rad/s^2, > 0.

    Raises:
        ConfigError: no room between the limits.
    """

    lower: float = -0.6
    upper: float = 0.6
    speed: float = 2.5
    acceleration: float = 12.0

    def __post_init__(self) -> None:
        for field in ("lower", "upper", "speed", "acceleration"):
            if not np.isfinite(getattr(self, field)):
                raise ConfigError("limits", "", field, getattr(self, field), "a finite number")
        if not self.lower < self.upper:
            raise ConfigError(
                "limits", "", "upper", self.upper, f"more than lower {self.lower:g} rad"
            )
        for field in ("speed", "acceleration"):
            if getattr(self, field) <= 0.0:
                raise ConfigError("limits", "", field, getattr(self, field), "a number above 0")

    @property
    def centre(self) -> float:
        return 0.5 * (self.lower + self.upper)


@dataclass(frozen=True, eq=False)
class Motion:
    """A wanted motion, one sample each control cycle; begins and ends at rest.

    Args:
        period: s.
        position, velocity, acceleration: (m,) rad, rad/s, rad/s^2.
    """

    period: float
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    @classmethod
    def through(cls, position: FloatArray, period: float) -> Motion:
        """The motion that goes through (m,) positions, rad."""
        velocity = first_derivative(position, period)
        return cls(period, position, velocity, second_derivative(position, period))

    def condition(self, load: PointLoad | None = None) -> float:
        """How well the five linear parameters can be told apart: 1 is perfect, 30 is bad."""
        moving = np.abs(self.velocity) > 0.03
        velocity = self.velocity[moving]
        sign = np.sign(velocity)
        share = np.exp(-((velocity / TYPICAL_STRIBECK_VELOCITY) ** 2))
        columns = [velocity, self.acceleration[moving], sign, sign * share]
        if load is not None:
            columns.append(load.effort(self.position, self.acceleration)[moving])
        return separability(np.column_stack(columns), LINEAR[: len(columns)]).condition


def design_excitation(
    limits: JointLimits,
    period: float,
    duration: float = 40.0,
    load: PointLoad | None = None,
    seed: int = 0,
    candidates: int = 20,
) -> Motion:
    """The best of some random motions around the middle of the limits.

    Args:
        limits: Never exceeded.
        period: Control period, s.
        duration: Of the whole motion, s.
        load: On the joint; None: not known.
        seed: Of the random numbers: the same seed gives the same motion.
        candidates: How many motions are tried.

    Raises:
        ConfigError: the motion would be too short.
    """
    if not SHORTEST <= duration < np.inf:
        raise ConfigError("excitation", "", "duration", duration, f"at least {SHORTEST:g} s")
    random = np.random.default_rng(seed)
    count = round(0.5 * duration / period)
    slow_limits = JointLimits(
        limits.lower, limits.upper, min(SLOW_SPEED, limits.speed), limits.acceleration
    )
    motions = [
        Motion.through(
            np.concatenate(
                [
                    _sines(random, count, period, SLOW_BAND, slow_limits),
                    _sines(random, count, period, FAST_BAND, limits),
                ]
            ),
            period,
        )
        for _ in range(candidates)
    ]
    return min(motions, key=lambda motion: motion.condition(load))


def take_excitation(position: FloatArray, period: float, limits: JointLimits) -> Motion:
    """A motion of the user's own.

    Args:
        position: (m,) rad, one for each control cycle.
        period: Control period, s.
        limits: It must stay within.

    Raises:
        ConfigError: too short, not finite, or beyond a limit; names the limit.
    """
    if len(position) * period < SHORTEST or not np.isfinite(position).all():
        expected = f"finite positions for {SHORTEST:g} s at least"
        raise ConfigError("motion", "", "position", f"{len(position)} values", expected)
    motion = Motion.through(position, period)
    for name, value, limit in (
        ("lower", -float(position.min()), -limits.lower),
        ("upper", float(position.max()), limits.upper),
        ("speed", float(np.abs(motion.velocity).max()), limits.speed),
        ("acceleration", float(np.abs(motion.acceleration).max()), limits.acceleration),
    ):
        if value > limit:
            sign = -1.0 if name == "lower" else 1.0
            raise ConfigError("motion", "", name, sign * value, f"nothing beyond {sign * limit:g}")
    return motion


def move_to(start: float, end: float, period: float, speed: float = 0.5) -> FloatArray:
    """(m,) rad: a smooth way from `start` to `end`, at most at `speed`, rad/s; ends at `end`."""
    # The smoothest cubic is 1.5 times as fast in the middle as on average.
    steps = max(int(np.ceil(1.5 * abs(end - start) / (speed * period))), 1)
    part = np.arange(1, steps + 1) / steps
    return start + (end - start) * part**2 * (3.0 - 2.0 * part)


def _sines(
    random: np.random.Generator,
    count: int,
    period: float,
    band: tuple[float, float],
    limits: JointLimits,
) -> FloatArray:
    """(count,) rad around the centre, with the largest amplitude that stays inside the limits."""
    time = np.arange(count) * period
    edges = np.geomspace(*band, SINES + 1)
    rate = 2.0 * np.pi * random.uniform(edges[:-1], edges[1:])
    phase = random.uniform(0.0, 2.0 * np.pi, SINES)
    # Equal speed in each sine.
    shape = (np.sin(np.outer(time, rate) + phase) / rate).sum(axis=1)
    fade = np.clip(np.minimum(time, time[-1] - time) / 1.0, 0.0, 1.0)
    shape *= fade**3 * (10.0 - 15.0 * fade + 6.0 * fade**2)
    motion = Motion.through(shape, period)
    room = [
        0.5 * (limits.upper - limits.lower) / np.abs(shape).max(),
        limits.speed / np.abs(motion.velocity).max(),
        limits.acceleration / np.abs(motion.acceleration).max(),
    ]
    return limits.centre + MARGIN * min(room) * shape
