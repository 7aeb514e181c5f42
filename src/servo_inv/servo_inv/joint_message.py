"""A wanted joint state: checked once, trusted from then on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JointCommand:
    """Wanted state of n joints, from one `joints_fixed` message. The arrays are read-only.

    Args:
        names: n different names, n > 0.
        position: (n,) rad; NaN for a wheel, else finite.
        velocity: (n,) rad/s, finite; zeros where the message has none.
        effort: (n,) N m, finite; zeros where the message has none.
        wheels: (n,) which joints are wheels: driven by velocity, without a position.
        has_velocity, has_effort: Whether the message said so, or the zeros stand for "not given".
    """

    names: tuple[str, ...]
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    wheels: BoolArray
    has_velocity: bool
    has_effort: bool


def read_joints(
    names: Sequence[str],
    position: Sequence[float],
    velocity: Sequence[float],
    effort: Sequence[float],
    known: tuple[str, ...] = (),
) -> JointCommand:
    """Check the fields of a sensor_msgs/JointState; its sequences are copied.

    Args:
        names, position, velocity, effort: As in the message; velocity and effort may be empty.
        known: Names of an earlier command; where they are the same they are not checked again.

    Raises:
        RefusedError: no joints, empty or repeated names, wrong lengths, an infinity, or a NaN that
            is not the position of a wheel (which has a finite velocity).
    """
    given = tuple(names)
    if given and given == known:
        given = known
    else:
        _check_names(given)
    count = len(given)
    has_velocity, has_effort = len(velocity) > 0, len(effort) > 0
    positions = _vector("position", position, count)
    velocities = _vector("velocity", velocity if has_velocity else [0.0] * count, count)
    efforts = _vector("effort", effort if has_effort else [0.0] * count, count)
    wheels = np.isnan(positions) if has_velocity else np.zeros(count, dtype=np.bool_)
    _refuse_unless("position", given, positions, np.isfinite(positions) | wheels)
    _refuse_unless("velocity", given, velocities, np.isfinite(velocities))
    _refuse_unless("effort", given, efforts, np.isfinite(efforts))
    return JointCommand(given, positions, velocities, efforts, wheels, has_velocity, has_effort)


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise RefusedError("it names no joints")
    if "" in names:
        raise RefusedError(f"joint {names.index('')} has an empty name")
    if len(set(names)) != len(names):
        twice, _count = Counter(names).most_common(1)[0]
        raise RefusedError(f"joint '{twice}' is named twice")


def _vector(field: str, values: Sequence[float], count: int) -> FloatArray:
    if len(values) != count:
        raise RefusedError(f"{field} has {len(values)} values for {count} joints")
    vector = np.array(values, dtype=np.float64)
    vector.flags.writeable = False
    return vector


def _refuse_unless(field: str, names: tuple[str, ...], values: FloatArray, good: BoolArray) -> None:
    if not good.all():
        index = int(np.argmin(good))
        raise RefusedError(f"{field} of joint '{names[index]}' is {values[index]}")
