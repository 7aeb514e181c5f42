"""What `joint_states` last said of each joint, and whether that still counts.

Age is counted in ticks of the driver's clock. A value that is missing or too old is NaN, not zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gait_controller.frame import FloatArray
from stride_base.errors import RefusedError

NEVER = -(2**60)


class Measurements:
    """Newest pose and load of all joints.

    Args:
        names: Joints in the order of the control file.
        wheels: Which of them are wheels; their position may be NaN.
        stall_torque: Effort of a load of 1, N m.
        oldest: Age up to which a value counts, ticks.
    """

    def __init__(
        self, names: Sequence[str], wheels: Sequence[bool], stall_torque: float, oldest: int
    ) -> None:
        self._index = {name: index for index, name in enumerate(names)}
        self._wheels = np.array(wheels, dtype=bool)
        self._stall_torque, self._oldest = stall_torque, oldest
        self._tick = 0
        self._names: list[str] = []
        self._rows: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._position, self._load = np.full(len(names), np.nan), np.full(len(names), np.nan)
        self.forget()

    def forget(self) -> None:
        """Nothing is known any more."""
        self._position_tick = np.full(len(self._index), NEVER)
        self._load_tick = np.full(len(self._index), NEVER)

    def advance(self, ticks: int) -> None:
        """Time passes; a longer time than anything stays valid is as good as any."""
        self._tick += min(ticks, self._oldest + 2)

    def position(self) -> FloatArray:
        """(n,) rad, joint side; NaN where it is not known now."""
        return np.where(self._position_tick >= self._tick - self._oldest, self._position, np.nan)

    def load(self) -> FloatArray:
        """(n,) fraction of the stall torque, joint side; NaN where it is not known now."""
        return np.where(self._load_tick >= self._tick - self._oldest, self._load, np.nan)

    def update(
        self,
        names: Sequence[str],
        position: Sequence[float],
        velocity: Sequence[float],
        effort: Sequence[float],
    ) -> None:
        """Take one message. Joints that it does not name were not measured; an empty array says
        nothing of its quantity.

        Args:
            names: Joints in any order.
            position: rad, joint side.
            velocity: rad/s; checked, and not used.
            effort: N m, joint side: load times stall torque.

        Raises:
            RefusedError: unknown or repeated joint, wrong length, NaN or infinity; nothing of the
                message is used.
        """
        if names != self._names:
            self._rows = self._find(names)
            self._names = list(names)
        rows = self._rows
        values = {}
        for field, numbers in (("position", position), ("velocity", velocity), ("effort", effort)):
            array = values[field] = np.asarray(numbers, dtype=float)
            if len(array) not in (0, len(rows)):
                raise RefusedError(f"{len(array)} values of {field} for {len(rows)} names")
            fine = np.isfinite(array)
            if not fine.all():
                if field != "effort":
                    # A wheel has no position that could be told from a turn further on.
                    fine |= np.isnan(array) & self._wheels[rows]
                if not fine.all():
                    first = int(np.argmin(fine))
                    raise RefusedError(f"{field} of {names[first]} is {array[first]}")
        # The tick that this measurement is for is still to come.
        now = self._tick + 1
        if len(values["position"]):
            self._position[rows] = values["position"]
            self._position_tick[rows] = now
        if len(values["effort"]):
            self._load[rows] = values["effort"] / self._stall_torque
            self._load_tick[rows] = now

    def _find(self, names: Sequence[str]) -> NDArray[np.intp]:
        unknown = [name for name in names if name not in self._index]
        if unknown:
            raise RefusedError(f"unknown joint {unknown[0]}")
        if len(set(names)) != len(names):
            raise RefusedError("a joint is named twice")
        return np.array([self._index[name] for name in names], dtype=np.intp)
