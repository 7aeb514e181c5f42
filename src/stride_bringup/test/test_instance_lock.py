"""A second program for the same robot is told who is there already."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stride_base.errors import RefusedError
from stride_bringup.instance_lock import lock_names, only_instance
from stride_bringup.runtime_files import runtime_folder
from stride_bringup.stack import Stack, build_stack
from stride_bringup.stack_options import StackOptions


def stack_of(robot: Path, **options: str) -> Stack:
    return build_stack(StackOptions(robot=str(robot), **options))  # type: ignore[arg-type]


def test_the_second_is_refused_and_told_who_the_first_is(robot: Path) -> None:
    stack = stack_of(robot)
    with only_instance(stack), pytest.raises(RefusedError) as caught, only_instance(stack):
        pass
    message = str(caught.value)
    assert message.startswith(f"process {os.getpid()} (robot biped on port ")
    assert "is running already" in message


def test_a_refused_start_leaves_the_words_of_the_holder(robot: Path) -> None:
    for _ in range(2):
        with (
            only_instance(stack_of(robot)),
            pytest.raises(RefusedError, match=r"robot biped on port .*\.tty"),
            only_instance(stack_of(robot, port="/dev/ttyACM7")),
        ):
            pass


def test_another_namespace_is_another_robot(robot: Path) -> None:
    with only_instance(stack_of(robot)), only_instance(stack_of(robot, namespace="left")):
        pass


def test_one_port_is_one_robot_whatever_its_namespace_and_name(robot: Path, tmp_path: Path) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    link = tmp_path / "by-id"
    link.symlink_to(port)
    first = stack_of(robot, port=str(port), namespace="left")
    second = stack_of(robot, port=str(link), namespace="right")
    with (
        only_instance(first),
        pytest.raises(RefusedError, match="namespace /left"),
        only_instance(second),
    ):
        pass


def test_after_the_end_it_is_free(robot: Path) -> None:
    for _ in range(2):
        with only_instance(stack_of(robot)):
            pass


def test_a_killed_program_leaves_no_lock(robot: Path) -> None:
    stack = stack_of(robot)
    script = (
        "import sys, os, signal\n"
        "from stride_bringup.instance_lock import only_instance\n"
        "from stride_bringup.stack import build_stack\n"
        "from stride_bringup.stack_options import StackOptions\n"
        f"with only_instance(build_stack(StackOptions(robot={str(robot)!r}))):\n"
        "    print('held', flush=True)\n"
        "    signal.pause()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    holder = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(RefusedError, match=f"process {holder.pid} "), only_instance(stack):
        pass
    holder.kill()
    holder.wait()
    with only_instance(stack):
        pass


def test_only_real_ports_are_locked_by_name(robot: Path) -> None:
    assert len(lock_names(stack_of(robot))) == 1
    assert len(lock_names(stack_of(robot, port="socket://10.0.0.2:3333"))) == 1
    assert "port-dev-ttyACM0" in lock_names(stack_of(robot, port="/dev/ttyACM0"))


def test_the_runtime_folder_is_for_this_user_alone(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert runtime_folder() == runtime
    assert runtime.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert runtime_folder() == tmp_path / f"stride-{os.getuid()}"
