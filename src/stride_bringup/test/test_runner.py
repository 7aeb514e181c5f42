"""`stride_runner`: the nodes of a stack in one process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rclpy.node import Node
from std_msgs.msg import Empty

from stride_base.errors import ConfigError, RefusedError
from stride_bringup import runner
from stride_bringup.instance_lock import only_instance
from stride_bringup.stack import NodeSpec, Stack, build_stack
from stride_bringup.stack_options import StackOptions

LOG: list[str] = []


class Recorder(Node):
    """Notes what it was given and when it ends."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__("recorder", **arguments)
        self.port = self.declare_parameter("port", "").value
        LOG.append(f"{self.get_fully_qualified_name()} on {self.port}")

    def close(self) -> None:
        LOG.append(f"close {self.port}")


class Driver(Recorder):
    """The last to start; a signal arrives as soon as it runs."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.create_timer(0.0, lambda: os.kill(os.getpid(), signal.SIGTERM))


class Refusing(Recorder):
    """Refuses to start."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        raise ConfigError("driver", "", "port", "", "the port of the robot")


@pytest.fixture(autouse=True)
def log() -> Iterator[list[str]]:
    LOG.clear()
    yield LOG


def stack_of(robot: Path, *kinds: type[Recorder]) -> Stack:
    options = StackOptions(robot=str(robot), port=str(robot / "port"), namespace="left")
    nodes = [
        NodeSpec("fake", "fake", f"{__name__}:{kind.__name__}", "fake", {"port": f"tty{index}"})
        for index, kind in enumerate(kinds)
    ]
    return replace(build_stack(options), nodes=tuple(nodes))


def test_nodes_get_namespace_and_parameters_and_end_in_reverse_on_a_signal(
    robot: Path, log: list[str]
) -> None:
    assert runner.run(stack_of(robot, Recorder, Driver)) == 0
    assert log == ["/left/recorder on tty0", "/left/recorder on tty1", "close tty1", "close tty0"]


class Talker(Recorder):
    """Notes what its topic is called."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        LOG.append(self.create_publisher(Empty, "joints_fixed", 10).topic_name)


def test_topics_are_remapped_for_one_node_only(robot: Path, log: list[str]) -> None:
    stack = stack_of(robot, Talker, Talker, Driver)
    first = replace(stack.nodes[0], remappings={"joints_fixed": "joints_wanted"})
    assert runner.run(replace(stack, nodes=(first, *stack.nodes[1:]))) == 0
    assert [line for line in log if "joints" in line] == [
        "/left/joints_wanted",
        "/left/joints_fixed",
    ]


def test_a_refused_start_closes_what_had_started(robot: Path, log: list[str]) -> None:
    with pytest.raises(ConfigError, match="'port'"):
        runner.run(stack_of(robot, Recorder, Refusing))
    assert log[2:] == ["close tty0"]


def test_a_second_runner_is_refused_before_anything_starts(robot: Path, log: list[str]) -> None:
    stack = stack_of(robot, Driver)
    with only_instance(stack), pytest.raises(RefusedError, match="is running already"):
        runner.run(stack)
    assert log == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "'port' is missing"),
        (["--robot", "crab", "--port", "/dev/null"], "there is no robot 'crab'"),
        (["--motion", "trot", "--port", "/dev/null"], "expected one of gait_controller"),
    ],
)
def test_bad_arguments_are_one_sentence_and_exit_code_1(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["stride_runner", *arguments, "--ros-args", "-r", "a:=b"])
    with pytest.raises(SystemExit) as caught:
        runner.main()
    lines = capsys.readouterr().err.splitlines()
    assert caught.value.code == 1
    assert len(lines) == 1 and message in lines[0]
