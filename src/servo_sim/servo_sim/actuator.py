"""A position actuator under gravity: its force, its sag, and when a physics step can integrate it.

Plain functions of numpy values, SI units. Source: the lesson on joints and actuators, whose tables
`seed_tables` computes again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Number = Any
Accel = Callable[[Number, Number], Number]


class Step(Protocol):
    """One step of an integrator: position and velocity in, both after `h` out."""

    def __call__(
        self, q: Number, v: Number, accel: Accel, h: float, *, c_implicit: float = 0.0
    ) -> tuple[Number, Number]: ...


def actuator_force(
    ctrl: Number,
    length: Number,
    velocity: Number,
    gainprm: Sequence[float],
    biasprm: Sequence[float],
    forcerange: tuple[float, float] | None = None,
) -> Number:
    """Force of MuJoCo's affine actuator: gain * ctrl + b0 + b1 * length + b2 * velocity, clamped.

    Args:
        ctrl: Control; for a position servo the wanted angle, rad.
        length, velocity: Of the actuator: joint angle times gear (rad), and its rate.
        gainprm, biasprm: Their first 1 and 3 values are used.
        forcerange: Lowest and highest force; None: any.
    """
    force = gainprm[0] * ctrl + biasprm[0] + biasprm[1] * length + biasprm[2] * velocity
    return force if forcerange is None else np.clip(force, *forcerange)


def kv_from_dampratio(kp: Number, dampratio: Number, inertia: Number) -> Number:
    """Velocity gain that gives a servo this damping ratio on this inertia: 2 zeta sqrt(kp I)."""
    return 2.0 * dampratio * np.sqrt(kp * inertia)


def servo_sag(kp: Number, tau_g: Number) -> Number:
    """Steady error e of a position servo that holds a level link: kp e = tau_g cos e, rad."""
    e = tau_g / kp
    for _ in range(50):
        e = e - (kp * e - tau_g * np.cos(e)) / (kp + tau_g * np.sin(e))
    return e


def semi_implicit_euler(
    q: Number, v: Number, accel: Accel, h: float, *, c_implicit: float = 0.0
) -> tuple[Number, Number]:
    """A step of `h`: velocity first, then position with the new velocity.

    With c_implicit (damping over inertia, 1/s, which `accel` contains too) that part of the damping
    acts at the new velocity: v' = v + h a(q, v) / (1 + h c). With all of the damping it is one step of
    MuJoCo's `implicitfast`; with that of the joint alone, one of its `Euler`.
    """
    v = v + h * accel(q, v) / (1.0 + h * c_implicit)
    return q + h * v, v


def step_growth(step: Step, h: float, w2: float, c: float, **options: float) -> float:
    """Growth per step of a = -w2 q - c v: the spectral radius of the step; above 1 it diverges.

    Args:
        step: Integrator, linear in q and v for this acceleration.
        h: s.
        w2: Stiffness over inertia, 1/s^2.
        c: Damping over inertia, 1/s.
        options: Passed on to `step`, e.g. c_implicit.
    """

    def accel(q: Number, v: Number) -> Number:
        return -w2 * q - c * v

    columns = [step(q, v, accel, h, **options) for q, v in ((1.0, 0.0), (0.0, 1.0))]
    matrix: NDArray[np.float64] = np.array(columns, dtype=np.float64).T
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def capsule_inertia(mass: float, length: float, radius: float) -> float:
    """Moment of a capsule across its axis, about the centre of one of its end spheres, kg m^2."""
    cylinder, ends = np.pi * radius**2 * length, 4.0 / 3.0 * np.pi * radius**3
    m_c, m_e = mass * cylinder / (cylinder + ends), mass * ends / (cylinder + ends)
    middle = m_c * (radius**2 / 4.0 + length**2 / 12.0)
    middle += m_e * (0.4 * radius**2 + length**2 / 4.0 + 3.0 / 8.0 * length * radius)
    return float(middle + mass * length**2 / 4.0)


def rise_time(time: NDArray[np.float64], q: NDArray[np.float64], final: float) -> float:
    """Time from 10 % to 90 % of the way from q[0] to `final`, interpolated between samples, s."""
    share = (q - q[0]) / (final - q[0])

    def crossing(level: float) -> float:
        after = int(np.argmax(share >= level))
        part = (level - share[after - 1]) / (share[after] - share[after - 1])
        return float(time[after - 1] + part * (time[after] - time[after - 1]))

    return crossing(0.9) - crossing(0.1)
