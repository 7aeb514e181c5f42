"""The viewer beside a stack: its address is shown, and a robot goes on without it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import psutil
import pytest

from stride_base.ending import Ending
from stride_bringup.children import Children
from stride_bringup.cli import up
from stride_bringup.stack import Stack, build_stack
from stride_bringup.stack_options import StackOptions

ADDRESS = "http://127.0.0.1:8080"
SHOWS = f"print('viewer on {ADDRESS}', flush=True); import signal; signal.pause()"
LOOK = f"  look:   {ADDRESS}"

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a Python script into the place of the viewer."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    marker = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "stride_viewer"
    path = tmp_path / "lib" / "stride_viewer" / "stride_viewer"

    def write(script: str) -> None:
        for file in (marker, path):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(0o755)
        path.write_text(f"#!{sys.executable}\n{script}\n")

    return write


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> SimpleQueue[str]:
    """The lines that `stride up` writes."""
    lines: SimpleQueue[str] = SimpleQueue()
    monkeypatch.setattr(up.click, "echo", lambda text, err=False, nl=True: lines.put(text))
    return lines


@pytest.fixture
def beside() -> Iterator[Children]:
    ending = Ending()
    with Children(ending) as children:
        yield children
    assert not ending.requested, "the viewer ended the robot"


def stack_of(robot: Path, **options: str) -> Stack:
    return build_stack(StackOptions(robot=str(robot), **options))  # type: ignore[arg-type]


def test_its_address_is_shown_when_its_page_answers(
    robot: Path, install: Install, said: SimpleQueue[str], beside: Children
) -> None:
    install(SHOWS)
    up.start_viewer(stack_of(robot), beside, terminal=False)
    assert said.get(timeout=10.0) == LOOK


def test_on_a_terminal_it_takes_the_place_of_the_robots_status(
    robot: Path, install: Install, said: SimpleQueue[str], beside: Children
) -> None:
    install(SHOWS)
    up.start_viewer(stack_of(robot), beside, terminal=True)
    assert said.get(timeout=10.0) == f"\r\x1b[2K{LOOK}"


def test_it_gets_the_robot_its_address_and_the_namespace(
    robot: Path, install: Install, said: SimpleQueue[str], beside: Children
) -> None:
    install("import sys; print(*sys.argv[1:], flush=True); import signal; signal.pause()")
    up.start_viewer(stack_of(robot, namespace="left"), beside, terminal=False)
    words = said.get(timeout=10.0).split()
    assert "__ns:=/left" in words
    assert f'robot:="{robot}"' in words
    assert 'host:="127.0.0.1"' in words and "port:=0" in words


def test_one_that_fails_costs_one_line(
    robot: Path, install: Install, said: SimpleQueue[str], beside: Children
) -> None:
    install("raise SystemExit(1)")
    up.start_viewer(stack_of(robot), beside, terminal=False)
    line = said.get(timeout=10.0)
    assert line == (
        "stride: no viewer: stride_viewer has ended (exit code 1); the robot goes on without"
    )


def test_one_that_is_killed_costs_one_line(
    robot: Path, install: Install, said: SimpleQueue[str], beside: Children
) -> None:
    install(SHOWS)
    up.start_viewer(stack_of(robot), beside, terminal=False)
    assert said.get(timeout=10.0) == LOOK
    (child,) = psutil.Process(os.getpid()).children()
    child.kill()
    assert "stride_viewer has ended (SIGKILL)" in said.get(timeout=10.0)


def test_one_that_is_not_installed_costs_one_line(
    robot: Path, said: SimpleQueue[str], beside: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(robot))
    up.start_viewer(stack_of(robot), beside, terminal=False)
    assert "no viewer: package stride_viewer is not installed" in said.get(timeout=10.0)


def test_without_one_nothing_is_started_or_said(
    robot: Path, said: SimpleQueue[str], beside: Children
) -> None:
    up.start_viewer(stack_of(robot, viewer="off"), beside, terminal=False)
    assert said.empty()


def test_a_display_that_is_lost_does_not_end_the_robot(
    robot: Path, beside: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its terminal was closed, or what it was piped into has ended."""

    def lost(*_text: object, **_options: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(up.click, "echo", lost)
    ending = Ending()
    stack = stack_of(robot, viewer="off")
    up._run(stack, (), ending, 0.1, beside)
    assert not ending.reason


def test_an_end_before_anything_has_started_is_no_error(robot: Path, beside: Children) -> None:
    ending = Ending()
    ending.request()
    stack = stack_of(robot)
    up._run(stack, stack.nodes, ending, 0.0, beside)
    assert not ending.reason
