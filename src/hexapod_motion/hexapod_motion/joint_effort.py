"""Adds the holding torque to wanted joints, whatever their order and whichever engine wants them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.geometry import load_geometry
from hexapod_motion.masses import BODY, load_masses
from hexapod_motion.robot_files import GEOMETRY
from hexapod_motion.statics import Statics
from stride_base.errors import RefusedError


class JointEffort:
    """Efforts by joint name.

    Args:
        statics: Of the robot.
    """

    def __init__(self, statics: Statics) -> None:
        self._statics = statics
        self._names: tuple[str, ...] = ()
        self._order: list[int] = []

    def of(self, names: Sequence[str], position: Sequence[float] | FloatArray) -> FloatArray:
        """(n,) N m for wanted positions, rad; 0 for joints that are not the legs'.

        Raises:
            RefusedError: a joint of the legs is missing, or has no finite position.
        """
        given = tuple(names)
        if given != self._names:
            missing = [name for name in self._statics.names if name not in given]
            if missing:
                raise RefusedError(f"no effort without joint {', '.join(missing)}")
            self._order = [given.index(name) for name in self._statics.names]
            self._names = given
        values = np.asarray(position, dtype=np.float64)
        if len(values) != len(given):
            raise RefusedError(f"position has {len(values)} values for {len(given)} joints")
        legs = values[self._order]
        if not np.isfinite(legs).all():
            index = self._order[int(np.argmin(np.isfinite(legs)))]
            raise RefusedError(f"position of joint '{given[index]}' is {values[index]}")
        effort = np.zeros(len(given))
        effort[self._order] = self._statics.effort(legs)
        return effort


def load_joint_effort(folder: str | Path) -> JointEffort:
    """Efforts of the hexapod in `folder`.

    Raises:
        FileError, ConfigError: its geometry.yaml or body.yaml cannot be read, or is wrong.
    """
    geometry = load_geometry(Path(folder) / GEOMETRY)
    return JointEffort(Statics(geometry, load_masses(Path(folder) / BODY, geometry)))
