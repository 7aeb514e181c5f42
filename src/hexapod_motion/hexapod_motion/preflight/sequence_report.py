"""Sequences on paper: every frame from every pose that a sequence can start in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hexapod_motion.arrays import JOINTS, FloatArray
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry
from hexapod_motion.kinematics import Angles, Kinematics
from hexapod_motion.preflight.findings import Finding, Kind, Thresholds
from hexapod_motion.preflight.standing import Standing, standing
from hexapod_motion.runs import SAME_PLACE, IterationRun, Run, all_runs
from hexapod_motion.sequences import Block, Book
from stride_base.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class CheckedIteration:
    """One iteration of a run, with what became of it.

    Args:
        part: The iteration.
        angles: Joint angles of its frames.
        speed: (n - 1, 6, 3) joint speeds, degrees/s.
        ground: What stands where.
    """

    part: IterationRun
    angles: Angles
    speed: FloatArray
    ground: Standing


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """A sequence from a pose, checked.

    Args:
        run: The run.
        iterations: Its iterations.
        rate: Frames per second, Hz.
        findings: What is wrong.
    """

    run: Run
    iterations: tuple[CheckedIteration, ...]
    rate: float
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        return self.run.sequence.name

    @property
    def frames(self) -> int:
        """All frames, main once."""
        return sum(len(checked.part.frames) for checked in self.iterations)

    @property
    def joint_speed(self) -> float:
        """Fastest joint, degrees/s."""
        return max((float(checked.speed.max()) for checked in self.iterations), default=0.0)

    @property
    def slip(self) -> float:
        """Longest way that a standing foot is dragged in one iteration, mm."""
        slips = (checked.ground.slip.sum(axis=0).max() for checked in self.iterations)
        return max(map(float, slips), default=0.0)

    @property
    def margin(self) -> float:
        """Least static stability margin, mm; infinite if the body lies all the time."""
        margins = (float(checked.ground.margin.min()) for checked in self.iterations)
        return min(margins, default=np.inf)

    def cycle(self) -> tuple[complex, float]:
        """How main moves the body: shift, x forward + i y left, mm, and turn, rad."""
        place, heading = 0j, 0.0
        for checked in self.iterations:
            if checked.part.block is Block.MAIN:
                ground = checked.ground
                for shift, turn in zip(ground.shift, ground.turn, strict=True):
                    place += complex(shift) * np.exp(1j * heading)
                    heading += float(turn)
        return complex(place), heading


def check_sequences(
    book: Book,
    geometry: Geometry,
    rate: float = 150.0,
    speed: float = 1.0,
    thresholds: Thresholds | None = None,
    names: Collection[str] = (),
    progress: Progress = silent,
) -> list[CheckedRun]:
    """Follow all sequences, or those of `names`, from every pose they can start in.

    Args:
        book: Sequences; their paths may be wrong.
        geometry: The robot.
        rate: Frames per second, Hz.
        speed: How much faster than their tables they run.
        thresholds: From when on something is found.
        names: Which; empty for all.
        progress: Is told of each run; how many there will be is known only at the end.
    """
    checker = _Checker(geometry, rate, thresholds or Thresholds())
    checked: list[CheckedRun] = []
    for run in all_runs(book, geometry.stand, rate, speed):
        progress("checking sequences", len(checked), None, run.sequence.name)
        if not names or run.sequence.name in names:
            checked.append(checker.check(run))
    return checked


class _Checker:
    def __init__(self, geometry: Geometry, rate: float, thresholds: Thresholds) -> None:
        self._geometry, self._rate, self._thresholds = geometry, rate, thresholds
        self._kinematics, self._body = Kinematics(geometry), BodyFrame(geometry)

    def check(self, run: Run) -> CheckedRun:
        iterations = tuple(self._followed(part) for part in run.iterations)
        findings = [*self._cycle(run)]
        for checked in iterations:
            findings += self._reach(run, checked)
            findings += self._speed(run, checked)
            findings += self._slip(run, checked)
            findings += self._margin(run, checked)
            findings += self._tilt(run, checked)
            findings += self._sweep(run, checked)
        return CheckedRun(run, iterations, self._rate, tuple(findings))

    def _followed(self, part: IterationRun) -> CheckedIteration:
        angles = self._kinematics.inverse(part.frames)
        speed = np.abs(np.diff(angles.values, axis=0)) * self._rate
        return CheckedIteration(
            part, angles, speed, standing(part.frames, self._geometry, self._body)
        )

    def _found(
        self,
        run: Run,
        kind: Kind,
        iteration: int,
        part: str,
        text: str,
        value: float | None = None,
    ) -> Finding:
        accepted = False
        bound = run.sequence.accepts.get(kind.value)
        if bound is not None and value is not None:
            accepted = value >= bound if kind is Kind.MARGIN else value <= bound
        after = f" (after {run.before or 'walking'})" if run.before != run.sequence.name else ""
        return Finding(kind, run.sequence.name, iteration, part, text + after, value, accepted)

    def _cycle(self, run: Run) -> Iterator[Finding]:
        if not run.sequence.looped:
            return
        last = run.sequence.finalize_begin - 1
        for limb, gap in enumerate(np.linalg.norm(run.gap, axis=1)):
            if gap > SAME_PLACE:
                text = f"main ends {gap:.2f} mm from where it begins"
                yield self._found(run, Kind.CYCLE, last, self._limb(limb), text)

    def _reach(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        angles = checked.angles
        for limb in np.flatnonzero(~angles.possible.all(axis=0)).tolist():
            bad = np.flatnonzero(~angles.possible[:, limb]).tolist()
            first = bad[0]
            x, y, z = checked.part.frames[first, limb]
            text = (
                f"{_frames(bad, len(angles.values))}: at ({x:.1f}, {y:.1f}, {z:.1f}) mm it is "
                f"{angles.reason(first, limb)}"
            )
            kind = Kind.LIMITS if angles.reachable[first, limb] else Kind.REACH
            yield self._found(run, kind, checked.part.index, self._limb(limb), text)

    def _speed(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        limit = self._geometry.joint_speed
        top = checked.speed.max(axis=0)
        count = int((top > limit * (1.0 + 1e-9)).sum())
        if count:
            limb, joint = divmod(int(np.argmax(top)), len(JOINTS))
            value = float(top[limb, joint])
            text = (
                f"{value:.0f} deg/s{_more(count)}, the servo's most is {limit:.0f} deg/s; "
                f"a sequence speed of {limit / value:.2f} fits"
            )
            name = f"{self._geometry.names[limb]}_{JOINTS[joint]}"
            yield self._found(run, Kind.JOINT_SPEED, checked.part.index, name, text, value)

    def _slip(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        slips = checked.ground.slip.sum(axis=0)
        count = int((slips > self._thresholds.slip).sum())
        if count:
            limb = int(np.argmax(slips))
            slip, part = float(slips[limb]), self._limb(limb)
            text = f"the standing foot is dragged {slip:.1f} mm over the ground{_more(count)}"
            yield self._found(run, Kind.SLIP, checked.part.index, part, text, slip)

    def _margin(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        least = float(checked.ground.margin.min())
        if least < self._thresholds.margin:
            frame = int(np.argmin(checked.ground.margin))
            text = (
                f"frame {frame}: the centre of gravity is {least:.0f} mm inside the standing feet"
            )
            if least < 0.0:
                text = f"frame {frame}: the robot tips over"
            yield self._found(run, Kind.MARGIN, checked.part.index, "", text, least)

    def _tilt(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        tilt = float(np.degrees(checked.ground.tilt.max()))
        if tilt > self._thresholds.tilt:
            frame = int(np.argmax(checked.ground.tilt))
            text = f"frame {frame}: the body leans {tilt:.1f} deg against the ground under its feet"
            yield self._found(run, Kind.TILT, checked.part.index, "", text, tilt)

    def _sweep(self, run: Run, checked: CheckedIteration) -> Iterator[Finding]:
        for limb, sweep in enumerate(checked.part.move.sweeps()):
            if abs(sweep) > self._thresholds.sweep:
                text = f"the arc sweeps {sweep:.0f} deg, the long way round"
                part, value = self._limb(limb), abs(float(sweep))
                yield self._found(run, Kind.SWEEP, checked.part.index, part, text, value)

    def _limb(self, limb: int) -> str:
        return f"limb {self._geometry.names[limb]}"


def _more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""


def _frames(bad: Sequence[int], count: int) -> str:
    if len(bad) == 1:
        return f"frame {bad[0]} of {count}"
    return f"{len(bad)} of {count} frames from {bad[0]} on"


def findings_of(runs: Iterable[CheckedRun]) -> list[Finding]:
    """All findings, each place once."""
    seen: dict[tuple[Kind, str], Finding] = {}
    for run in runs:
        for finding in run.findings:
            seen.setdefault((finding.kind, finding.place), finding)
    return list(seen.values())
