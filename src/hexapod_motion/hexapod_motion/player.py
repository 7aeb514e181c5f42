"""Follows the engine frame by frame: one step is one frame of all six paths."""

from __future__ import annotations

from hexapod_motion.arrays import FloatArray
from hexapod_motion.engine import Engine
from hexapod_motion.trajectories import Move, Progress, frame_count


class Player:
    """The path that is being followed.

    Args:
        engine: Gives the iterations.
        rate: Frames per second, Hz.

    Attributes:
        points: (6, 3) where the limbs are, mm; may be set while no path is followed.
        speed: How much faster than their tables sequences run; the next iteration uses it.
    """

    def __init__(self, engine: Engine, points: FloatArray, rate: float = 150.0) -> None:
        self.engine, self.points, self.speed = engine, points, 1.0
        self._rate = rate
        self._move: Move | None = None
        self._frame = self._steps = 0

    def step(self) -> FloatArray:
        """(6, 3) the next frame, mm; the present one while there is nothing to do."""
        if self._move is None:
            iteration = self.engine.next_iteration(self.points)
            if iteration is None:
                return self.points
            self._move = Move(self.points, iteration.points, iteration.paths)
            self._frame, self._steps = 0, frame_count(iteration.n, self._rate, self.speed)
        self.points = self._move.at(Progress.of_frame(self._frame, self._steps))
        self._frame += 1
        if self._frame > self._steps:
            self._move = None
        return self.points

    @property
    def moving(self) -> bool:
        """Whether a path is being followed."""
        return self._move is not None

    def drop(self, points: FloatArray) -> None:
        """Leave the path; the limbs are at `points`, (6, 3) mm."""
        self._move, self.points = None, points
