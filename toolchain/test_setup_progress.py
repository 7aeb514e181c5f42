"""What the set-up shows of itself: steps, counts, and estimates only from what was measured before."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
import system
from environment import COLLECT, CREATE, INSTALL, Environment
from setup_progress import CLEAR, ColconWatch, PipWatch, Steps, Watch, wants_quiet
from system import SetupError
from workspace import BUILD, REBUILD, Workspace

NAMES = (CREATE, COLLECT, INSTALL, BUILD)


class Clock:
    """Stands still until it is set."""

    now = 50.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def a_capable_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def clock() -> Clock:
    return Clock()


def measured(folder: Path, *seconds: float) -> Path:
    """The record of an earlier set-up."""
    file = folder / "durations.json"
    file.write_text(json.dumps(dict(zip(NAMES, seconds, strict=False))))
    return file


def test_a_pipe_gets_a_line_for_each_step_and_one_every_ten_seconds(clock: Clock) -> None:
    out = io.StringIO()
    with Steps(NAMES, stream=out, clock=clock) as steps:
        steps.begin(CREATE)
        for _ in range(15):
            clock.now += 1.0
            steps.tick()
        steps.begin(COLLECT)
        steps.count(12, None, "numpy")
        for _ in range(12):
            clock.now += 1.0
            steps.tick()
    assert out.getvalue().splitlines() == [
        "stride: step 1 of 4: creating .venv ...",
        "stride: creating .venv: 10 s",
        "stride: step 2 of 4: downloading packages ...",
        "stride: downloading packages: 12 so far, 10 s (numpy)",
        "stride: ready after 27 s",
    ]
    assert out.getvalue().replace("\n", "").isprintable()


def test_quiet_shows_nothing(clock: Clock) -> None:
    for out in (io.StringIO(), Terminal()):
        with Steps(NAMES, quiet=True, stream=out, clock=clock) as steps:
            steps.say("set-up")
            for name in NAMES:
                steps.begin(name)
                clock.now += 60.0
                steps.tick()
        assert out.getvalue() == ""


def test_a_terminal_has_one_line_that_fits_and_is_gone_at_the_end(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    with Steps(NAMES, stream=out, clock=clock) as steps:
        steps.begin(COLLECT)
        steps.count(3, 150, "a-package-with-a-rather-long-name")
        clock.now += 3.0
        steps.tick()
    drawn = out.getvalue().split(CLEAR)
    assert "stride: step 2 of 4: downloading packag" in drawn
    assert drawn[-2:] == ["stride: ready after 3 s\n", ""]
    assert all(len(line.rstrip("\n")) < 40 for line in drawn)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SetupError])
def test_whatever_ends_it_the_line_of_a_terminal_is_cleared(
    error: type[BaseException], clock: Clock
) -> None:
    out = Terminal()
    with pytest.raises(error), Steps(NAMES, stream=out, clock=clock) as steps:
        steps.begin(CREATE)
        raise error
    assert out.getvalue().endswith(CLEAR)
    assert "ready" not in out.getvalue()


def test_without_an_earlier_set_up_there_is_no_estimate(clock: Clock, tmp_path: Path) -> None:
    steps = Steps(NAMES, tmp_path / "none.json", quiet=True, clock=clock)
    steps.begin(CREATE)
    assert steps.remaining() is None


def test_a_step_that_was_never_measured_leaves_no_estimate(clock: Clock, tmp_path: Path) -> None:
    steps = Steps(NAMES, measured(tmp_path, 5.0, 20.0, 30.0), quiet=True, clock=clock)
    steps.begin(CREATE)
    assert steps.remaining() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"creating .venv": "5"}', '{"building": -1}'])
def test_a_broken_record_is_no_record(clock: Clock, tmp_path: Path, text: str) -> None:
    file = tmp_path / "durations.json"
    file.write_text(text)
    steps = Steps(NAMES, file, quiet=True, clock=clock)
    steps.begin(CREATE)
    assert steps.remaining() is None


def test_the_estimate_is_what_the_rest_took_the_last_time(clock: Clock, tmp_path: Path) -> None:
    steps = Steps(NAMES, measured(tmp_path, 5.0, 20.0, 30.0, 40.0), quiet=True, clock=clock)
    steps.begin(COLLECT)
    assert steps.remaining() == pytest.approx(90.0)
    clock.now += 15.0
    assert steps.remaining() == pytest.approx(75.0)


def test_a_step_that_is_late_lets_the_estimate_grow(clock: Clock, tmp_path: Path) -> None:
    steps = Steps(NAMES, measured(tmp_path, 5.0, 20.0, 30.0, 40.0), quiet=True, clock=clock)
    steps.begin(BUILD)
    clock.now += 40.0
    assert steps.remaining() == pytest.approx(0.0)
    clock.now += 10.0
    assert steps.remaining() == pytest.approx(10.0)


def test_what_each_step_took_is_kept_for_the_next_time(clock: Clock, tmp_path: Path) -> None:
    record = tmp_path / "log" / "durations.json"
    with pytest.raises(SetupError), Steps(NAMES, record, quiet=True, clock=clock) as steps:
        for name, seconds in zip(NAMES, (3.0, 20.0, 30.0, 40.0), strict=True):
            steps.begin(name)
            clock.now += seconds
        raise SetupError
    # The last step did not get done.
    assert json.loads(record.read_text()) == {CREATE: 3.0, COLLECT: 20.0, INSTALL: 30.0}


def test_packages_are_counted_while_pip_collects_and_installs(clock: Clock, tmp_path: Path) -> None:
    out = Terminal()
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    (packages / "pip-24.0.dist-info").mkdir(parents=True)
    steps = Steps(NAMES, stream=out, clock=clock)
    watch = PipWatch(steps, INSTALL, tmp_path)
    steps.begin(COLLECT)
    for text in ("Collecting numpy==2.2.6", "  Downloading numpy.whl", "Collecting six (from x)"):
        watch.line(text)
        watch.look()
    steps.tick()
    assert "step 2 of 4: downloading packages: 2 so far, 0 s (six)" in out.getvalue()
    watch.line("Installing collected packages: numpy, six, click")
    (packages / "numpy-2.2.6.dist-info").mkdir()
    watch.look()
    steps.tick()
    assert "step 3 of 4: installing packages: 1 of 3" in out.getvalue()


def test_packages_are_counted_while_colcon_builds(clock: Clock) -> None:
    out = Terminal()
    steps = Steps(NAMES, stream=out, clock=clock)
    watch = ColconWatch(steps, 11)
    steps.begin(BUILD)
    for text in (
        "Starting >>> servo_interfaces",
        "Starting >>> stride_base",
        "Finished <<< stride_base [1.20s]",
        "Summary: 2 packages finished",
    ):
        watch.line(text)
    steps.tick()
    assert "building the workspace: 1 of 11, 0 s (servo_interfaces)" in out.getvalue()


def test_a_command_is_watched_line_by_line_and_all_of_it_is_in_the_log(tmp_path: Path) -> None:
    log, seen = tmp_path / "setup.log", list[str]()

    class Lines(Watch):
        def line(self, text: str) -> None:
            seen.append(text)

    script = "import sys; print('one'); print('two', file=sys.stderr); print('end', end='')"
    log.write_text("of an earlier command\n")
    command = [sys.executable, "-u", "-c", script]
    system.run(command, "printing", log, watch=Lines(Steps((), quiet=True)))
    assert seen == ["one", "two"]
    assert log.read_text().endswith("\none\ntwo\nend")


def test_the_steps_are_those_that_are_needed(root: Path) -> None:
    environment = Environment(root, "jazzy", "")
    workspace = Workspace(root, environment)
    assert environment.steps() == [CREATE, COLLECT, INSTALL]
    assert workspace.steps() == [BUILD]
    workspace.stamp.parent.mkdir()
    workspace.stamp.write_text(json.dumps({"inputs": workspace.inputs(), "exports": {}}))
    assert workspace.steps() == []
    (root / "src" / "stride_bringup" / "setup.py").write_text("changed")
    assert workspace.steps() == [REBUILD]
    environment.python.parent.mkdir(parents=True)
    environment.python.touch()
    environment.stamp.write_text(environment.fingerprint())
    assert environment.steps() == []


def test_quiet_is_looked_for_among_the_arguments() -> None:
    assert wants_quiet(["--quiet", "up"]) and wants_quiet(["up", "--quiet"])
    assert not wants_quiet(["up"]) and not wants_quiet(["sim", "--", "--quiet"])
