"""Where the joints are, from `joint_states`; a joint that was never measured has no place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hexapod_motion.arrays import FloatArray
from stride_base.errors import RefusedError


class MeasuredPose:
    """Last measured position of each joint.

    Args:
        names: Joint names.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._index = {name: index for index, name in enumerate(names)}
        self._position = np.full(len(self._names), np.nan)

    @property
    def missing(self) -> list[str]:
        """Joints that were never measured."""
        return [self._names[index] for index in np.flatnonzero(np.isnan(self._position))]

    @property
    def unknown(self) -> str:
        """Those joints in words."""
        missing = self.missing
        return "all joints" if len(missing) == len(self._names) else ", ".join(missing)

    @property
    def position(self) -> FloatArray | None:
        """(n,) rad; None while a joint is missing."""
        return None if np.isnan(self._position).any() else self._position.copy()

    def update(self, names: Sequence[str], position: Sequence[float]) -> None:
        """Take a message; joints of other parts of the robot are left out.

        Raises:
            RefusedError: wrong lengths, or a position of ours that is not finite; nothing is used.
        """
        if len(names) != len(position):
            raise RefusedError(f"position has {len(position)} values for {len(names)} joints")
        found: dict[int, float] = {}
        for name, value in zip(names, position, strict=True):
            index = self._index.get(name)
            if index is not None:
                if not np.isfinite(value):
                    raise RefusedError(f"position of joint '{name}' is {value}")
                found[index] = value
        for index, value in found.items():
            self._position[index] = value

    def forget(self) -> None:
        """The joints may be anywhere."""
        self._position[:] = np.nan
