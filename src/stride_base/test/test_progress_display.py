"""What a person sees of long work: nothing of short work, nothing if quiet, no trace afterwards."""

from __future__ import annotations

import errno
import io
import sys

import click
import pytest
from click.testing import CliRunner

from stride_base.progress_display import Bar, Display, Lines, quiet_option

SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
ERASE_LINE = "\x1b[2K"


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Stands still until it is set."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Seen(Display):
    """A display without its thread: drawn when the test says so."""

    def __init__(self, stream: io.StringIO, quiet: bool = False) -> None:
        self.time = Clock()
        super().__init__(quiet, stream, self.time)

    def _draw(self) -> None:
        """The thread ends at once."""

    def at(self, second: float, *told: object) -> None:
        """At `second` something may be told, and it is looked whether to draw."""
        self.time.now = 1000.0 + second
        if told:
            self(*told)  # type: ignore[arg-type]
        self.tick()


@pytest.fixture(autouse=True)
def a_capable_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_nothing_is_shown_of_what_is_over_within_a_second(stream: type[io.StringIO]) -> None:
    out = stream()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(0.5, "walking", 5, 10)
        seen.at(0.9, "walking", 10, 10)
    assert out.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_quiet_shows_nothing_however_long_it_takes(stream: type[io.StringIO]) -> None:
    out = stream()
    with Seen(out, quiet=True) as seen:
        for second in range(60):
            seen.at(float(second), "walking", second, 60)
    assert out.getvalue() == ""


def test_a_pipe_gets_a_line_for_each_step_and_one_every_ten_seconds() -> None:
    out = io.StringIO()
    with Seen(out) as seen:
        for second in range(25):
            seen.at(float(second), "walking", second, 50)
        for second in range(25, 30):
            seen.at(float(second), "drawing")
    assert out.getvalue().splitlines() == [
        "stride: walking ...",
        "stride: walking: 22 %, 11 s, about 40 s left",
        "stride: walking: 42 %, 21 s, about 30 s left",
        "stride: drawing ...",
    ]


def test_a_pipe_gets_no_line_of_a_step_that_is_over_within_a_second() -> None:
    out = io.StringIO()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 2)
        seen.at(5.0, "walking", 1, 2)
        seen.at(6.0, "writing")
        seen.at(6.5, "writing")
        seen.at(6.8, "checking")
        seen.at(8.0, "checking")
    assert out.getvalue().splitlines() == ["stride: walking ...", "stride: checking ..."]


def test_a_pipe_gets_no_control_characters() -> None:
    out = io.StringIO()
    with Seen(out) as seen:
        for second in range(40):
            seen.at(float(second), "scanning", second, 40, f"{second} bit/s")
        with seen.paused():
            pass
    assert out.getvalue().replace("\n", "").isprintable()


def test_of_what_has_no_known_end_the_time_so_far_and_what_is_being_done_are_shown() -> None:
    out = io.StringIO()
    with Seen(out) as seen:
        seen.at(0.0, "waiting for the robot")
        seen.at(1.5)
        seen.at(12.0, "waiting for the robot", 0, None, "no servo_states yet")
    last = out.getvalue().splitlines()[-1]
    assert last == "stride: waiting for the robot: no servo_states yet, 12 s"


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = Terminal()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 2, 10)
    assert out.getvalue() == "stride: walking ...\n"


def test_a_terminal_gets_a_bar_with_share_time_and_estimate() -> None:
    out = Terminal()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10, "[red]leg 3")
        seen.at(2.5)
        shown = out.getvalue()
    assert "walking: [red]leg 3" in shown
    assert "40 %, 2 s, about 3 s left" in shown
    assert "━" in shown


def test_a_terminal_is_left_clean_with_its_cursor() -> None:
    out = Terminal()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
    assert out.getvalue().endswith(ERASE_LINE)
    assert out.getvalue().rindex(SHOW_CURSOR) > out.getvalue().rindex(HIDE_CURSOR)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_whatever_ends_the_work_the_terminal_is_left_clean(error: type[BaseException]) -> None:
    out = Terminal()
    with pytest.raises(error), Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
        raise error
    assert out.getvalue().endswith(ERASE_LINE)
    assert out.getvalue().rindex(SHOW_CURSOR) > out.getvalue().rindex(HIDE_CURSOR)


def test_the_cursor_is_there_while_a_bar_is_drawn_for_whoever_is_killed() -> None:
    out = Terminal()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
        seen.at(3.0)
        assert out.getvalue().rindex(SHOW_CURSOR) > out.getvalue().rindex(HIDE_CURSOR)


@pytest.mark.parametrize(
    ("kind", "number"),
    [(io.StringIO, errno.EPIPE), (Terminal, errno.EIO)],
    ids=["pipe", "terminal"],
)
def test_work_goes_on_when_nobody_can_look_any_more(kind: type[io.StringIO], number: int) -> None:
    class Lost(kind):  # type: ignore[misc,valid-type]
        def write(self, _text: str) -> int:
            raise OSError(number, "gone")

    with Seen(Lost()) as seen:
        for second in range(20):
            seen.at(float(second), "walking", second, 20)
        with seen.paused():
            pass


def test_in_a_pause_the_line_is_free_for_results() -> None:
    out = Terminal()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
        with seen.paused():
            assert out.getvalue().endswith(ERASE_LINE)
            out.write("a result\n")
        seen.at(3.0)
        assert "40 %" in out.getvalue().rpartition("a result\n")[2]


def test_a_pause_makes_no_more_lines_in_a_pipe() -> None:
    out = io.StringIO()
    with Seen(out) as seen:
        seen.at(0.0, "walking", 0, 10)
        for second in range(1, 9):
            seen.at(float(second), "walking", second, 10)
            with seen.paused():
                pass
    assert out.getvalue() == "stride: walking ...\n"


def test_standard_output_is_not_led_through_the_display() -> None:
    before = sys.stdout, sys.stderr
    with Seen(Terminal()) as seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
        assert (sys.stdout, sys.stderr) == before


def test_a_display_can_be_used_again_and_is_patient_again() -> None:
    out = io.StringIO()
    seen = Seen(out)
    with seen:
        seen.at(0.0, "walking", 0, 10)
        seen.at(2.0, "walking", 4, 10)
    with seen:
        seen.at(2.5, "walking", 0, 10)
        seen.at(3.0, "walking", 1, 10)
        assert out.getvalue() == "stride: walking ...\n"
        seen.at(4.0, "walking", 2, 10)
    assert out.getvalue() == 2 * "stride: walking ...\n"


def test_the_stream_decides_what_is_shown() -> None:
    assert isinstance(Display(stream=Terminal())._view, Bar)
    assert isinstance(Display(stream=io.StringIO())._view, Lines)


def test_its_own_thread_ends_with_the_block() -> None:
    display = Display(stream=io.StringIO())
    with display:
        thread = display._thread
        assert thread is not None and thread.daemon
    assert not thread.is_alive()


def test_quiet_is_an_option_of_a_command_or_of_the_group() -> None:
    @click.group()
    @click.option("--quiet", is_flag=True)
    def group(quiet: bool) -> None:
        pass

    @group.command()
    @quiet_option
    def long(quiet: bool) -> None:
        click.echo(f"quiet {quiet}")

    def said(*arguments: str) -> str:
        return CliRunner().invoke(group, arguments).output

    assert said("long") == "quiet False\n"
    assert said("long", "--quiet") == said("--quiet", "long") == "quiet True\n"
    assert CliRunner().invoke(long, ["--quiet"]).output == "quiet True\n"
