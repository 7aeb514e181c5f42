"""Programs beside ours: ready before we go on, ended when we end."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import psutil
import pytest

from stride_base.ending import Ending
from stride_base.errors import RefusedError
from stride_bringup import children
from stride_bringup.children import NICE, ChildError, Children, node_command, program_command
from stride_bringup.stack import Program, build_stack
from stride_bringup.stack_options import StackOptions

WAITS = "import signal; print('ready', flush=True); signal.pause()"
STUBBORN = "import signal; signal.signal(15, signal.SIG_IGN);" + WAITS
SHORT_GRACE = {signal.SIGTERM: 0.05, signal.SIGKILL: 2.0}


@pytest.fixture
def ending() -> Ending:
    return Ending()


@pytest.fixture
def group(ending: Ending) -> Iterator[Children]:
    with Children(ending) as group:
        yield group


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


def alive() -> list[psutil.Process]:
    return psutil.Process().children()


def test_a_child_is_ready_with_its_first_line_and_ends_by_a_signal(ending: Ending) -> None:
    with Children(ending) as group:
        group.start("emulator", python(WAITS), ready=True)
        (child,) = alive()
        assert os.getpgid(child.pid) != os.getpgid(0), "Ctrl-C would reach it before us"
    assert alive() == []
    assert not ending.wait(0.0)


def test_a_child_that_has_not_begun_to_handle_signals_ends_without_a_word(
    ending: Ending, capfd: pytest.CaptureFixture[str]
) -> None:
    with Children(ending) as group:
        group.start("gait_controller", python(WAITS), ready=True)
    assert alive() == []
    assert capfd.readouterr().err == ""


def test_a_child_that_ignores_sigterm_gets_sigkill(
    group: Children, capsys: pytest.CaptureFixture[str]
) -> None:
    group.start("emulator", python(STUBBORN), ready=True)
    group.close(SHORT_GRACE)
    assert alive() == []
    assert "emulator does not end, SIGKILL" in capsys.readouterr().err


def test_a_child_that_ends_by_itself_ends_everything(group: Children, ending: Ending) -> None:
    group.start("emulator", python("import sys; sys.exit(3)"))
    assert ending.wait(10.0)
    assert ending.reason == "emulator has ended (exit code 3)"


def test_a_killed_child_names_the_signal(group: Children, ending: Ending) -> None:
    group.start("emulator", python(WAITS), ready=True)
    alive()[0].kill()
    assert ending.wait(10.0)
    assert ending.reason == "emulator has ended (SIGKILL)"


def test_a_child_that_never_gets_ready_is_an_error(
    group: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ChildError, match="emulator ended before it was ready"):
        group.start("emulator", python("pass"), ready=True)
    monkeypatch.setattr(children, "READY_TIMEOUT", 0.0)
    with pytest.raises(ChildError, match="emulator is not ready after 0 s"):
        group.start("emulator", python("import signal; signal.pause()"), ready=True)


def test_ctrl_c_ends_the_waiting_for_a_child(group: Children, ending: Ending) -> None:
    ending.request()
    group.start("emulator", python("import signal; signal.pause()"), ready=True)
    assert ending.reason == ""


def test_who_is_not_needed_may_end_and_only_says_so(group: Children, ending: Ending) -> None:
    told: SimpleQueue[str] = SimpleQueue()
    script = "import os, sys; print('nice', os.nice(0)); sys.exit(1)"
    group.start_beside("viewer", python(script), told.put, told.put)
    said = {told.get(timeout=10.0) for _ in range(2)}
    assert said == {f"nice {os.nice(0) + NICE}", "viewer has ended (exit code 1)"}
    assert not ending.requested


def test_who_is_not_needed_ends_with_the_others_and_is_not_told_of(ending: Ending) -> None:
    told: SimpleQueue[str] = SimpleQueue()
    with Children(ending) as group:
        group.start_beside("viewer", python(WAITS), told.put, told.put)
        assert told.get(timeout=10.0) == "ready"
    assert alive() == []
    assert told.empty()


def test_children_do_not_outlive_a_killed_parent(ending: Ending) -> None:
    parent = (
        "import sys\n"
        "from stride_bringup.children import Children\n"
        "from stride_base.ending import Ending\n"
        "group = Children(Ending())\n"
        f"group.start('emulator', {python(WAITS)!r}, ready=True)\n"
        f"{WAITS}"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = psutil.Popen(python(parent), env=environment, stdout=-1)
    assert process.stdout.readline() == b"ready\n"
    (child,) = process.children()
    process.kill()
    process.wait()
    child.wait(timeout=10.0)


def installed(prefix: Path, package: str, executable: str) -> Path:
    """A package as ament finds it, with one executable."""
    marker = prefix / "share" / "ament_index" / "resource_index" / "packages" / package
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    path = prefix / "lib" / package / executable
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o755)
    return path


def test_a_node_gets_namespace_and_parameters_as_ros_arguments(
    robot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = build_stack(StackOptions(robot=str(robot), namespace="left"))
    driver = stack.nodes[-1]
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    path = installed(tmp_path, driver.package, driver.executable)
    command = node_command(driver, stack)
    assert command[:4] == [str(path), "--ros-args", "-r", "__ns:=/left"]
    given = dict(word.split(":=", 1) for word in command[5::2])
    assert {name: json.loads(text) for name, text in given.items()} == dict(driver.parameters)
    assert given["stall_torque"] == "2.94"
    assert given["port"].startswith('"')


def test_a_node_in_a_process_of_its_own_gets_its_remappings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = build_stack(StackOptions(effort="statics", simulator="bench"))
    motion = stack.nodes[0]
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    installed(tmp_path, motion.package, motion.executable)
    command = node_command(motion, stack)
    assert command[1:4] == ["--ros-args", "-r", "joints_fixed:=joints_wanted"]


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    emulator = Program("sts3215_driver", "sts3215_emulator", ("--link", "x"))
    with pytest.raises(RefusedError, match="package sts3215_driver is not installed"):
        program_command(emulator)
    path = installed(tmp_path, "sts3215_driver", "sts3215_emulator")
    assert program_command(emulator) == [str(path), "--link", "x"]
    path.unlink()
    with pytest.raises(RefusedError, match="has no executable sts3215_emulator"):
        program_command(emulator)
