"""Every frame of every sequence before it may run: in reach, within limits, cycles closed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.runs import MOST_STARTS, SAME_PLACE, IterationRun, Run, all_runs
from hexapod_motion.sequences import Block, Book, Posture, load_book
from stride_base.errors import ConfigError

#: An arc that goes further round than this was hardly meant, degrees.
LONGEST_SWEEP = 180.0


def load_checked_book(path: str | Path, geometry: Geometry) -> tuple[Book, list[str]]:
    """`load_book` and `check_book`: a book that a robot may run, and warnings about it."""
    book = load_book(path)
    return book, check_book(book, geometry)


def check_book(book: Book, geometry: Geometry) -> list[str]:
    """Follow all paths at 150 Hz; returns warnings.

    Raises:
        ConfigError: a frame is out of reach or beyond a limit; a looped main does not close or
            takes no frame; poses drift; a foot hangs in the air at the end; or nothing leads to a
            sequence. Names sequence, iteration
            and limb.
    """
    kinematics, runs = Kinematics(geometry), list(all_runs(book, geometry.stand))
    for run in runs:
        for part in run.iterations:
            _check_frames(run, part, kinematics)
        _check_cycle(run, geometry)
        _check_end(run, geometry)
    for name, sequence in book.sequences.items():
        count = sum(run.sequence is sequence for run in runs)
        if not count:
            expected = "a sequence that another one lists (or that has 'follows')"
            raise ConfigError(sequence.file, f"sequence {name}", "available", "nowhere", expected)
        if count > MOST_STARTS:
            expected = "sequences before it that end in the same poses every time"
            raise ConfigError(sequence.file, f"sequence {name}", "starts", "drifting", expected)
    return list(dict.fromkeys(_sweep_warnings(runs, geometry)))


def place(run: Run, iteration: int, geometry: Geometry, limb: int) -> str:
    """Words for a limb in an iteration of a run."""
    return f"sequence {run.sequence.name}, iteration {iteration}, limb {geometry.names[limb]}"


def _check_frames(run: Run, part: IterationRun, kinematics: Kinematics) -> None:
    angles = kinematics.inverse(part.frames)
    if angles.all_possible:
        return
    frame, limb = np.argwhere(~angles.possible)[0].tolist()
    x, y, z = part.frames[frame, limb]
    after = f" after {run.before}" if run.before else " after walking"
    sweep = float(part.move.sweeps()[limb])
    around = f"; its arc sweeps {sweep:.0f} deg" if abs(sweep) > LONGEST_SWEEP else ""
    raise ConfigError(
        run.sequence.file,
        place(run, part.index, kinematics.geometry, limb),
        "points",
        run.sequence.iterations[part.index].points[limb].tolist(),
        f"a path in reach:{after}, frame {frame} of {len(part.frames)}, the foot at "
        f"({x:.1f}, {y:.1f}, {z:.1f}) mm is {angles.reason(frame, limb)}{around}",
    )


def _check_cycle(run: Run, geometry: Geometry) -> None:
    sequence = run.sequence
    if not sequence.looped:
        return
    last = sequence.finalize_begin - 1
    gaps = np.linalg.norm(run.gap, axis=1)
    if gaps.max() > SAME_PLACE:
        limb = int(np.argmax(gaps))
        raise ConfigError(
            sequence.file,
            place(run, last, geometry, limb),
            "points",
            sequence.iterations[last].points[limb].tolist(),
            f"a main block that ends where it begins (it is off by {gaps[limb]:.3g} mm)",
        )
    if not run.frames(Block.MAIN):
        expected = "a main block that moves: looped, it would never end"
        raise ConfigError(sequence.file, f"sequence {sequence.name}", "looped", True, expected)


def _check_end(run: Run, geometry: Geometry) -> None:
    """Whoever ends standing has all feet on the ground: walking may take over from there."""
    if run.sequence.ends is not Posture.STANDING:
        return
    heights = np.abs(run.end[:, 1] - geometry.stand[:, 1])
    if heights.max() > SAME_PLACE:
        limb = int(np.argmax(heights))
        raise ConfigError(
            run.sequence.file,
            place(run, len(run.sequence.iterations) - 1, geometry, limb),
            "points",
            run.end[limb].tolist(),
            f"a foot on the ground, y = {-geometry.standing_height:g} mm, for it ends standing",
        )


def _sweep_warnings(runs: Iterable[Run], geometry: Geometry) -> Iterable[str]:
    for run in runs:
        for part in run.iterations:
            sweeps = part.move.sweeps()
            for limb in np.flatnonzero(np.abs(sweeps) > LONGEST_SWEEP).tolist():
                where = place(run, part.index, geometry, limb)
                yield (
                    f"{where}: the arc sweeps {sweeps[limb]:.0f} deg, the long way round; "
                    "choose points whose rays are nearer to each other"
                )
