"""The four paths from a point to a point (seed, section "Lintasan"), for all limbs at once.

A table's point p1 is data of the path, not always the place where the limb ends: see `end_points`.
t runs from 0 to 180 degrees; here it is given as three numbers, so that the ends are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from hexapod_motion.arrays import FloatArray


class Path(IntEnum):
    """How a limb gets from p0 to p1."""

    XYZ_LINEAR = 0
    XZ_ARC_Y_LINEAR = 1
    XZ_ARC_Y_SINUS = 2
    XZ_ELLIPTICAL_Y_SINUS = 3


#: Names in tables. LINEAR and the two slips of the article mean what they must.
PATH_NAMES = {path.name: path for path in Path} | {
    "LINEAR": Path.XYZ_LINEAR,
    "XYZ_LINAR": Path.XYZ_LINEAR,
    "YZ_ARC_Y_LINEAR": Path.XZ_ARC_Y_LINEAR,
}


@dataclass(frozen=True)
class Progress:
    """A place on a path, t from 0 to 180 degrees.

    Args:
        part: t / 180.
        sine, cosine: Of t; exact at 0, 90 and 180 degrees.
    """

    part: float
    sine: float
    cosine: float

    @staticmethod
    def at(t: float) -> Progress:
        """`t` in degrees."""
        if t % 90.0 == 0.0:
            return Progress(t / 180.0, float(t == 90.0), 1.0 - t / 90.0)
        return Progress(t / 180.0, math.sin(math.radians(t)), math.cos(math.radians(t)))

    @staticmethod
    def of_frame(k: int, n: int) -> Progress:
        """Frame `k` of 0 to `n`."""
        return Progress.at(k * 180.0 / n)


class Move:
    """The paths of n limbs from where they are to the points of a table.

    Args:
        start: (n, 3) where each limb is, mm.
        table: (n, 3) the table's points, mm.
        paths: n paths.
    """

    def __init__(self, start: FloatArray, table: FloatArray, paths: Sequence[Path]) -> None:
        self.start, self.table, self.paths = start, table, tuple(paths)
        kinds = np.array(self.paths)
        # Each coordinate goes from start to table with a weight: t/180, sin t, or (1 - cos t)/2.
        self._sine = np.zeros(start.shape)
        self._wave = np.zeros(start.shape)
        self._sine[kinds == Path.XZ_ELLIPTICAL_Y_SINUS, :2] = 1.0
        self._sine[kinds == Path.XZ_ARC_Y_SINUS, 1] = 1.0
        self._wave[kinds == Path.XZ_ELLIPTICAL_Y_SINUS, 2] = 1.0
        self._linear = 1.0 - self._sine - self._wave
        self._arcs = np.flatnonzero(
            (kinds == Path.XZ_ARC_Y_LINEAR) | (kinds == Path.XZ_ARC_Y_SINUS)
        )
        if self._arcs.size:
            x0, z0 = start[self._arcs, 0], start[self._arcs, 2]
            x1, z1 = table[self._arcs, 0], table[self._arcs, 2]
            self._radius = np.hypot(x0, z0)
            self._from, self._to = np.arctan2(x0, z0), np.arctan2(x1, z1)

    def at(self, t: Progress) -> FloatArray:
        """(n, 3) points at `t`, mm."""
        weight = self._linear * t.part + self._sine * t.sine
        weight += self._wave * (0.5 * (1.0 - t.cosine))
        # This form of the mean is exact at both ends.
        points: FloatArray = self.start * (1.0 - weight) + self.table * weight
        if self._arcs.size:
            angle = self._from * (1.0 - t.part) + self._to * t.part
            points[self._arcs, 0] = self._radius * np.sin(angle)
            points[self._arcs, 2] = self._radius * np.cos(angle)
        return points

    def frames(self, n: int) -> FloatArray:
        """(n + 1, limbs, 3) all frames of the path with `n` steps."""
        return np.stack([self.at(Progress.of_frame(k, n)) for k in range(n + 1)])

    def end_points(self) -> FloatArray:
        """(n, 3) where the limbs really end."""
        return self.at(Progress.at(180.0))

    def sweeps(self) -> FloatArray:
        """(n,) how far each limb swings round its coxa axis on an arc, degrees; 0 on other paths.

        Taken literally from ray to ray: one of more than 180 degrees goes the long way round.
        """
        sweeps = np.zeros(len(self.start))
        if self._arcs.size:
            sweeps[self._arcs] = np.degrees(self._to - self._from)
        return sweeps


def frame_count(n: int, rate: float = 150.0, speed: float = 1.0) -> int:
    """Steps of a path at `rate` Hz whose table says `n`, which counts frames at 150 Hz.

    `speed` > 1 makes it faster. At least one; a path of N steps has N + 1 frames.
    """
    return max(1, round(n * rate / (150.0 * speed)))
