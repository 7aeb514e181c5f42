"""Goals on their way from a message to the bus thread: checked whole, merged, then immutable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError
from sts3215_driver.servo_table import ServoTable


@dataclass(frozen=True)
class GoalSet:
    """The newest goals of all servos.

    Args:
        number: Counts accepted messages; tells new goals from old ones.
        received: (n,) when the newest message with this joint came, s (clock of the bus); -inf before.
        position: (n,) rad; NaN where there is no goal yet, and for wheels.
        duration: (n,) s; time to be there, from when the goals are written.
        velocity: (n,) rad/s of wheels; NaN for position servos and before the first goal.
    """

    number: int
    received: NDArray[np.float64]
    position: NDArray[np.float64]
    duration: NDArray[np.float64]
    velocity: NDArray[np.float64]


class GoalMerger:
    """Turns goal messages, each for some of the joints, into the goals of all."""

    def __init__(self, servos: ServoTable) -> None:
        self._servos = servos
        self._index = {name: index for index, name in enumerate(servos.names)}
        self._known_order: tuple[str, ...] = ()
        self._where: NDArray[np.int64] = np.empty(0, np.int64)
        self._last = self._none(0)

    def forget(self) -> None:
        """Drop all goals: after a stop nothing old may move a joint."""
        self._last = self._none(self._last.number)

    def merge(
        self,
        names: Sequence[str],
        position: Sequence[float],
        duration: Sequence[float],
        velocity: Sequence[float],
        now: float,
    ) -> GoalSet:
        """Take a message whole.

        Args:
            names: Joints, any order, each once.
            position: rad, NaN for wheels.
            duration: s, greater than 0.
            velocity: rad/s for wheels, else NaN.
            now: Time of arrival, s.

        Raises:
            RefusedError: says what is wrong; the goals in force stay.
        """
        where = self._indices(names)
        n = len(where)
        for label, values in (
            ("position", position),
            ("duration", duration),
            ("velocity", velocity),
        ):
            if len(values) != n:
                raise RefusedError(f"{label} has {len(values)} values for {n} joints")
        q = np.asarray(position, np.float64)
        t = np.asarray(duration, np.float64)
        v = np.asarray(velocity, np.float64)
        wheel = self._servos.wheel[where]
        good_motion = np.where(wheel, np.isnan(q) & np.isfinite(v), np.isfinite(q) & np.isnan(v))
        good = good_motion & np.isfinite(t) & (t > 0.0)
        if not good.all():
            raise RefusedError(self._complaint(int(np.argmin(good)), names, q, t, v))
        last = self._last
        merged = GoalSet(
            last.number + 1,
            last.received.copy(),
            last.position.copy(),
            last.duration.copy(),
            last.velocity.copy(),
        )
        merged.received[where] = now
        merged.position[where] = q
        merged.duration[where] = t
        merged.velocity[where] = v
        self._last = merged
        return merged

    def _none(self, number: int) -> GoalSet:
        empty = np.full(len(self._servos), np.nan)
        return GoalSet(number, np.full(len(empty), -np.inf), empty, empty, empty)

    def _indices(self, names: Sequence[str]) -> NDArray[np.int64]:
        order = tuple(names)
        if order == self._known_order and order:
            return self._where
        if not order:
            raise RefusedError("the message names no joints")
        if len(set(order)) != len(order):
            twice = next(name for name in order if order.count(name) > 1)
            raise RefusedError(f"joint {twice!r} is named twice")
        unknown = [name for name in order if name not in self._index]
        if unknown:
            raise RefusedError(f"joint {unknown[0]!r} is not in the servo file")
        self._where = np.array([self._index[name] for name in order])
        self._known_order = order
        return self._where

    def _complaint(
        self,
        index: int,
        names: Sequence[str],
        position: NDArray[np.float64],
        duration: NDArray[np.float64],
        velocity: NDArray[np.float64],
    ) -> str:
        q, t, v = float(position[index]), float(duration[index]), float(velocity[index])
        name = names[index]
        if not (np.isfinite(t) and t > 0.0):
            return f"joint {name!r} has duration {t:g}; expected a time greater than 0 s"
        if self._servos.wheel[self._index[name]]:
            return (
                f"joint {name!r} is a wheel and has position {q:g}, velocity {v:g}; "
                "expected position NaN and a finite velocity"
            )
        return (
            f"joint {name!r} has position {q:g}, velocity {v:g}; "
            "expected a finite position and velocity NaN"
        )
