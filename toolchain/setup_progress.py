"""How far the set-up is, on standard error: one line drawn over and over on a terminal, and elsewhere a
line for each step and one every 10 s. Standard library only.

What is left is estimated from what each step took the last time, in this folder on this machine. Without
such a record there is no estimate: nobody can know how fast the network is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

#: Between two lines about one step where there is no terminal, s.
LINE_PERIOD = 10.0
CLEAR = "\r\x1b[2K"


class Steps:
    """The steps of a set-up in the order in which they come; a context manager.

    Args:
        names: What will be done.
        record: File with the duration of each step, which is kept up to date; need not exist.
        quiet: Show nothing.
        stream: Where to show it.
        clock: Time, s.
    """

    def __init__(
        self,
        names: Sequence[str],
        record: Path | None = None,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names, self._record, self._clock = list(names), record, clock
        self._stream = stream or sys.stderr
        self._known = _read(record)
        self._quiet = quiet
        dumb = os.environ.get("TERM", "dumb") == "dumb"
        self._terminal = self._stream.isatty() and not dumb
        self._name = ""
        self._begin = self._step_begin = clock()
        self._count = self._doing = ""
        self._due = 0.0

    def __enter__(self) -> Steps:
        self._begin = self._clock()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is None and self._name:
            self._end_step()
            self.say(f"ready after {in_words(self._clock() - self._begin)}")
        self._clear()

    def begin(self, name: str) -> None:
        """The step before is done, and `name` begins."""
        self._end_step()
        self._name, self._step_begin = name, self._clock()
        self._count = self._doing = ""
        if not self._terminal:
            self.say(f"{self._place()}{name} ...")
        self._due = self._clock() + LINE_PERIOD
        self.tick()

    def count(self, done: int, total: int | None = None, doing: str = "") -> None:
        """How much of the step is done, of how much if that is known, and what is done now."""
        self._count = f"{done} of {total}" if total else f"{done} so far"
        self._doing = f" ({doing})" if doing else ""

    def tick(self) -> None:
        """Show how it is now, if it is time to; called a few times a second."""
        if self._quiet or not self._name:
            return
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            line = f"stride: {self._place()}{self._line()}"
            print(f"{CLEAR}{line[:width]}", end="", file=self._stream, flush=True)
        elif self._clock() >= self._due:
            self.say(self._line())
            self._due = self._clock() + LINE_PERIOD

    def say(self, text: str) -> None:
        """A line that stays."""
        if not self._quiet:
            self._clear()
            print(f"stride: {text}", file=self._stream, flush=True)

    def remaining(self) -> float | None:
        """An estimate of the time left, s; None where a step has never been measured.

        A step that takes longer than the last time is taken to need as long again as it is late.
        """
        if self._name not in self._names:
            return None
        left = self._names[self._names.index(self._name) :]
        if any(name not in self._known for name in left):
            return None
        here = self._known[self._name] - (self._clock() - self._step_begin)
        return abs(here) + sum(self._known[name] for name in left[1:])

    def _place(self) -> str:
        if self._name not in self._names:
            return ""
        return f"step {self._names.index(self._name) + 1} of {len(self._names)}: "

    def _line(self) -> str:
        words = [self._count] if self._count else []
        words.append(in_words(self._clock() - self._step_begin))
        left = self.remaining()
        if left is not None:
            # No more digits than an estimate deserves.
            rounded = left if left < 20.0 else 5.0 * round(left / 5.0)
            words.append(f"about {in_words(rounded)} left in all")
        # What is done now comes last, where a narrow terminal may cut it off.
        return f"{self._name}: {', '.join(words)}{self._doing}"

    def _end_step(self) -> None:
        name, self._name = self._name, ""
        if name and self._record is not None:
            self._known[name] = round(self._clock() - self._step_begin, 1)
            self._record.parent.mkdir(parents=True, exist_ok=True)
            self._record.write_text(json.dumps(self._known, indent=1))

    def _clear(self) -> None:
        if self._terminal and not self._quiet:
            print(CLEAR, end="", file=self._stream, flush=True)


class Watch:
    """Looks at what a command of the set-up prints, and tells `steps`."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def line(self, text: str) -> None:
        """A line that the command has printed."""

    def look(self) -> None:
        """A moment has passed."""


class PipWatch(Watch):
    """Counts packages: those that pip collects, then those that it has installed.

    Args:
        steps: The set-up.
        installing: The step that begins when everything has been downloaded.
        folder: Where packages are installed below.
    """

    def __init__(self, steps: Steps, installing: str, folder: Path) -> None:
        super().__init__(steps)
        self._installing, self._folder = installing, folder
        self._collected = self._wanted = self._before = 0

    def line(self, text: str) -> None:
        if found := re.match(r"Collecting ([\w.-]+)", text):
            self._collected += 1
            self.steps.count(self._collected, None, found[1])
        elif text.startswith("Installing collected packages: "):
            self._wanted = len(text.partition(": ")[2].split(","))
            self._before = self._installed()
            self.steps.begin(self._installing)

    def look(self) -> None:
        if self._wanted:
            # pip itself is silent until all are there.
            done = min(self._installed() - self._before, self._wanted)
            self.steps.count(max(0, done), self._wanted)

    def _installed(self) -> int:
        return sum(1 for _ in self._folder.glob("lib/python3*/site-packages/*.dist-info"))


class ColconWatch(Watch):
    """Counts packages that colcon has built, of `total`."""

    def __init__(self, steps: Steps, total: int) -> None:
        super().__init__(steps)
        self._total, self._done = total, 0
        self._at_work: list[str] = []

    def line(self, text: str) -> None:
        started, finished = (
            re.match(rf"{mark} ([\w.-]+)", text) for mark in ("Starting >>>", "Finished <<<")
        )
        if started:
            self._at_work.append(started[1])
        elif finished:
            self._done += 1
            self._at_work = [name for name in self._at_work if name != finished[1]]
        else:
            return
        self.steps.count(self._done, self._total, ", ".join(self._at_work))


def wants_quiet(arguments: Sequence[str]) -> bool:
    """Whether `--quiet` is among the arguments of `./stride`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return "--quiet" in arguments[:end]


def in_words(seconds: float) -> str:
    """A time as people say it: `8 s`, `3 min 20 s`."""
    whole = max(0, round(seconds))
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def _read(record: Path | None) -> dict[str, float]:
    """Durations of an earlier set-up; none if there was none, or its record is broken."""
    try:
        found = json.loads(record.read_text()) if record is not None else {}
    except (OSError, ValueError):
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in found.items()
        if isinstance(value, (int, float)) and 0.0 <= value < 86400.0
    }
