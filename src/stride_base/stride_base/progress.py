"""How far long work is, told by what does it, without knowing who looks.

A core that takes long takes a `Progress` and calls it now and then:

    for number, run in enumerate(runs):
        progress("checking sequences", number, len(runs), run.name)

or lets `track` do so. Whoever wants to see it passes a `stride_base.progress_display.Display`; without
one the calls go nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Is told how far work is; returns at once and raises nothing."""

    def __call__(
        self, what: str, done: float = 0.0, total: float | None = None, doing: str = ""
    ) -> None:
        """Take note.

        Args:
            what: The step of the work; another text begins another step.
            done: How much of it is done, in units of the caller's.
            total: How much there is; None where nobody can know.
            doing: What is being done now, if it is worth a word.
        """


def silent(what: str, done: float = 0.0, total: float | None = None, doing: str = "") -> None:
    """The `Progress` of those who do not want to know."""


def track(items: Collection[Item], what: str, progress: Progress) -> Iterator[Item]:
    """`items` one by one, each told to `progress` by its name before it is worked on."""
    for number, item in enumerate(items):
        progress(what, number, len(items), str(item))
        yield item
    progress(what, len(items), len(items))


def part_of(progress: Progress, before: float, whole: float) -> Progress:
    """A `Progress` for one part of a step that has several.

    Args:
        progress: Of the whole step.
        before: What is done when the part begins, in the units of the part.
        whole: Total of the whole step.
    """

    def told(what: str, done: float = 0.0, total: float | None = None, doing: str = "") -> None:
        progress(what, before + done, whole, doing)

    return told


@dataclass(frozen=True)
class Work:
    """One step of work as it was last told; all times are of one clock, s.

    Args:
        what, doing: As told.
        begin: When the step began.
        share: Done, 0 to 1, never less than before; None where it cannot be known.
        since: When the share grew last.
        gain: By how much it grew then.
    """

    what: str
    begin: float
    share: float | None = None
    since: float = 0.0
    gain: float = 0.0
    doing: str = ""

    def told(self, what: str, done: float, total: float | None, doing: str, now: float) -> Work:
        """This step, or another one, after a call of a `Progress` at time `now`."""
        step = self if what == self.what else Work(what, now)
        share = _share(done, total)
        if share is None:
            return replace(step, share=None, doing=doing)
        before = step.share or 0.0
        if share <= before:
            return replace(step, share=before, doing=doing)
        return replace(step, share=share, since=now, gain=share - before, doing=doing)

    def elapsed(self, now: float) -> float:
        """Since the step began, s."""
        return now - self.begin

    def remaining(self, now: float) -> float | None:
        """An estimate of the time left in this step, s, at least 0; None where there is none.

        At the average pace so far. When the next growth of the share is overdue, what is known is only
        that the pace has dropped: the next piece is then taken to need as long again as it is late, so
        that the estimate grows with a stall instead of standing still.
        """
        if not self.share:
            return None
        if self.share >= 1.0:
            return 0.0
        if self.since <= self.begin:
            return None
        pace = self.share / (self.since - self.begin)
        late = now - self.since - self.gain / pace
        if late > 0.0:
            return max(0.0, 1.0 - self.share - self.gain) / pace + late
        return max(0.0, (1.0 - self.share) / pace - (now - self.since))


def _share(done: float, total: float | None) -> float | None:
    if total is None or not total > 0.0:
        return None
    # Not min and max, through which NaN may pass.
    return 1.0 if done >= total else done / total if done > 0.0 else 0.0


def duration_text(seconds: float) -> str:
    """A time as people say it: `8 s`, `3 min 20 s`, `1 h 05 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def about_text(seconds: float) -> str:
    """An estimate with no more digits than it deserves: `about 40 s`, `about 4 min`."""
    whole = max(1, round(seconds))
    if whole <= 20:
        return f"about {whole} s"
    if whole < 90:
        return f"about {5 * round(whole / 5)} s"
    if whole < 5400:
        return f"about {round(whole / 60)} min"
    return f"about {whole / 3600:.1f} h"
