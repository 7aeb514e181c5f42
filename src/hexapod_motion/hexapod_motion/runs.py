"""Sequences run on paper: every frame of every sequence from every pose that it can start in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import FloatArray
from hexapod_motion.sequences import HOME, NONE, Block, Book, Iteration, Posture, Sequence
from hexapod_motion.trajectories import Move, frame_count

#: Points nearer to each other than this are the same place, mm.
SAME_PLACE = 1e-6
#: More start poses of one sequence than this mean that the pose drifts from run to run.
MOST_STARTS = 32


@dataclass(frozen=True, eq=False)
class IterationRun:
    """One iteration of a run.

    Args:
        index: Number of the iteration.
        block: Its block.
        move: Its paths.
        frames: (n + 1, 6, 3) all frames, mm.
    """

    index: int
    block: Block
    move: Move
    frames: FloatArray


@dataclass(frozen=True, eq=False)
class Run:
    """A sequence from a pose: prepare, main once, finalize.

    Args:
        before: Sequence that left the robot in that pose; empty after walking.
        sequence: The sequence.
        start: (6, 3) the pose, mm.
        iterations: Those that take frames.
        end: (6, 3) where it leaves the robot, mm.
        gap: (6, 3) end of main minus its begin, mm.
    """

    before: str
    sequence: Sequence
    start: FloatArray
    iterations: tuple[IterationRun, ...]
    end: FloatArray
    gap: FloatArray

    def frames(self, block: Block) -> int:
        """How many frames a block takes."""
        return sum(len(part.frames) for part in self.iterations if part.block is block)


def is_same_place(one: FloatArray, other: FloatArray) -> bool:
    """Whether all limbs are where they should be."""
    return bool(np.abs(one - other).max() <= SAME_PLACE)


def start_move(iteration: Iteration, present: FloatArray) -> Move | None:
    """The paths of an iteration; None if its six destinations are the present places."""
    if is_same_place(iteration.points, present):
        return None
    return Move(present, iteration.points, iteration.paths)


def run_sequence(
    sequence: Sequence,
    start: FloatArray,
    before: str = "",
    rate: float = 150.0,
    speed: float = 1.0,
) -> Run:
    """Follow `sequence` from `start`, (6, 3) mm."""
    present, parts, main_begin, gap = start, [], start, np.zeros_like(start)
    for index, iteration in enumerate(sequence.iterations):
        if index == sequence.main_begin:
            main_begin = present
        move = start_move(iteration, present)
        if move is not None:
            frames = move.frames(frame_count(iteration.n, rate, speed))
            parts.append(IterationRun(index, sequence.block(index), move, frames))
            present = frames[-1]
        if index == sequence.finalize_begin - 1:
            gap = present - main_begin
    return Run(before, sequence, start, tuple(parts), present, gap)


def all_runs(
    book: Book, stand: FloatArray, rate: float = 150.0, speed: float = 1.0
) -> Iterator[Run]:
    """Walk the whole graph: each sequence once from each pose it can start in.

    Begins with HOME from its own pose, as after the start; `stand` is where walking leaves the feet.
    Stops a sequence that starts in more than MOST_STARTS poses.
    """
    seen: dict[str, list[FloatArray]] = {name: [] for name in book.sequences}
    open_ends: list[tuple[str, str, FloatArray]] = [(HOME, HOME, book.home_points)]
    while open_ends:
        before, name, start = open_ends.pop(0)
        starts = seen[name]
        if len(starts) > MOST_STARTS or any(is_same_place(start, other) for other in starts):
            continue
        starts.append(start)
        run = run_sequence(book.sequences[name], start, before, rate, speed)
        yield run
        followers = [other for other in run.sequence.available if other != NONE]
        open_ends += [(name, other, run.end) for other in followers]
        if run.sequence.ends is Posture.STANDING:
            open_ends += [("", other, stand) for other in followers]
