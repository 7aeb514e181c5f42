"""Progress on standard error: a bar on a terminal, now and then a line anywhere else.

Results go to standard output and are the same with and without. Nothing is shown of what is over within
a second. A thread of its own draws; the work itself only leaves a note of how far it is.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, TextIO, TypeVar

from stride_base.progress import Work, about_text, duration_text

Command = TypeVar("Command", bound=Callable[..., Any])

#: Work that is over by then is not shown, s.
DELAY = 1.0
#: A bar is drawn this often, s.
DRAW_PERIOD = 0.2
#: Between two lines about one step where there is no terminal, s.
LINE_PERIOD = 10.0
#: Width of the bar, columns.
BAR_WIDTH = 24


class View(Protocol):
    """Somewhere to show work."""

    def show(self, work: Work, now: float) -> None:
        """Show it as it is at `now`, s."""

    def hide(self) -> None:
        """Leave no trace where that is possible."""


class Display:
    """A `Progress` that is seen; a context manager, which may be entered again.

        with Display(quiet) as progress:
            runs = check_sequences(..., progress=progress)

    Nothing else may be printed inside of the block but in `paused`.

    Args:
        quiet: Show nothing.
        stream: Where to; standard error if left out.
        clock: Time, s.
        view: How; by what `stream` is if left out.
    """

    def __init__(
        self,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        view: View | None = None,
    ) -> None:
        self._quiet, self._clock = quiet, clock
        self._view = view if view is not None else _view_for(stream or sys.stderr)
        self._work: Work | None = None
        self._begin = 0.0
        self._drawing = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(
        self, what: str, done: float = 0.0, total: float | None = None, doing: str = ""
    ) -> None:
        """See `stride_base.progress.Progress`."""
        now = self._clock()
        # One assignment of a value: the thread that draws sees the old one or the new one.
        self._work = (self._work or Work(what, now)).told(what, done, total, doing, now)

    def __enter__(self) -> Display:
        self._work, self._begin = None, self._clock()
        if not self._quiet:
            self._stop.clear()
            self._thread = threading.Thread(target=self._draw, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        try:
            if self._thread is not None:
                self._thread.join()
                self._thread = None
        finally:
            self._draws(self._view.hide)

    def tick(self) -> None:
        """Show how it is now, if it is time to. Called by the display's own thread."""
        with self._drawing:
            work, now = self._work, self._clock()
            if not self._quiet and work is not None and now - self._begin >= DELAY:
                self._draws(lambda: self._view.show(work, now))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is drawn in the block, so that it may print."""
        with self._drawing:
            self._draws(self._view.hide)
            yield

    def _draws(self, draw: Callable[[], None]) -> None:
        """Draw; nobody looks any more where that fails, and the work goes on."""
        try:
            draw()
        except OSError:
            self._quiet = True

    def _draw(self) -> None:
        while not self._stop.wait(DRAW_PERIOD):
            self.tick()


class Lines:
    """Plain lines, for logs and pipes: one when a step is a second old, then one every 10 s.

    Args:
        stream: Where to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._step: tuple[str, float] | None = None
        self._due = 0.0

    def show(self, work: Work, now: float) -> None:
        if (work.what, work.begin) != self._step:
            if work.elapsed(now) < DELAY:
                return
            self._step = (work.what, work.begin)
            self._say(f"{work.what} ...")
        elif now >= self._due:
            self._say(f"{work.what}: {', '.join(facts(work, now))}")
        else:
            return
        self._due = now + LINE_PERIOD

    def hide(self) -> None:
        """Lines stay."""

    def _say(self, text: str) -> None:
        print(f"stride: {text}", file=self._stream, flush=True)


class Bar:
    """One line of a terminal, drawn over and over, and gone at the end.

    Args:
        stream: Terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: Any = None

    def show(self, work: Work, now: float) -> None:
        total = None if work.share is None else 1.0
        text = f"{work.what}: {work.doing}" if work.doing else work.what
        fields = {"description": text, "completed": work.share or 0.0, "total": total}
        fields["facts"] = ", ".join(facts(work, now, with_doing=False))
        if self._bar is None:
            self._bar = _rich_bar(self._stream)
            self._bar.add_task(**fields)
            self._bar.start()
            # Hidden by rich. Whoever is killed cannot bring it back, so it stays.
            self._bar.console.show_cursor(True)
        else:
            self._bar.update(0, refresh=True, **fields)

    def hide(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()


def facts(work: Work, now: float, with_doing: bool = True) -> list[str]:
    """What is known of work: share, what is being done, elapsed time, time left."""
    found = [] if work.share is None else [f"{int(100 * work.share)} %"]
    if with_doing and work.doing:
        found.append(work.doing)
    found.append(duration_text(work.elapsed(now)))
    left = work.remaining(now)
    if left:
        found.append(f"{about_text(left)} left")
    return found


def quiet_option(command: Command) -> Command:
    """Add `--quiet` to a click command, which it gets as argument `quiet`.

    `stride --quiet COMMAND` is the same as `stride COMMAND --quiet`.
    """
    import click

    def given(context: click.Context, _parameter: click.Parameter, value: bool) -> bool:
        return value or bool(context.find_root().params.get("quiet"))

    return click.option(
        "--quiet", is_flag=True, callback=given, help="Show no progress on standard error."
    )(command)


def _view_for(stream: TextIO) -> View:
    terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return Bar(stream) if terminal else Lines(stream)


def _rich_bar(stream: TextIO) -> Any:
    # Rich takes a while to load, and is needed only where something takes long.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    return Progress(
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
        ),
        BarColumn(BAR_WIDTH),
        TextColumn("{task.fields[facts]}", markup=False, table_column=Column(no_wrap=True)),
        console=Console(file=stream, force_terminal=True, highlight=False),
        auto_refresh=False,
        transient=True,
        # Standard output must not be led through the display, which may go elsewhere.
        redirect_stdout=False,
        redirect_stderr=False,
        expand=False,
    )
