"""All nodes in one process: order of start and end, and what a failure leaves behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rclpy.node import Node

from stride_base.errors import ConfigError, RefusedError
from stride_bringup import runner
from stride_bringup.ending import Ending
from stride_bringup.instance_lock import only_instance
from stride_bringup.runner import Runner
from stride_bringup.stack import NodeSpec, StackOptions, build_stack

LOG: list[str] = []


class Recorder(Node):
    """Notes when it starts and ends."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__("recorder", **arguments)
        self.name = str(self.declare_parameter("name", "?").value)
        LOG.append(f"start {self.name}")

    def close(self) -> None:
        LOG.append(f"close {self.name}")


class Refusing(Recorder):
    """Refuses to start."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        raise ConfigError("driver", "", "port", "", "the port of the robot")


class Failing(Recorder):
    """Has a bug in a callback."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.create_timer(0.001, self.fail)

    def fail(self) -> None:
        raise ZeroDivisionError("bug")


class Unclosable(Recorder):
    """Fails on its way out."""

    def close(self) -> None:
        super().close()
        raise OSError("port is gone")


class Signalled(Recorder):
    """Somebody presses Ctrl-C while it starts."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def log() -> Iterator[list[str]]:
    LOG.clear()
    yield LOG


@pytest.fixture
def ending() -> Ending:
    return Ending()


def spec(name: str, kind: type[Recorder] = Recorder) -> NodeSpec:
    return NodeSpec("fake", name, f"{__name__}:{kind.__name__}", name, {"name": name})


def test_nodes_start_in_order_and_end_in_reverse(log: list[str], ending: Ending) -> None:
    with Runner([spec("motion"), spec("inverse"), spec("driver")], "", ending):
        assert log == ["start motion", "start inverse", "start driver"]
        log.clear()
    assert log == ["close driver", "close inverse", "close motion"]


def test_parameters_and_namespace_reach_the_node(ending: Ending) -> None:
    with Runner([spec("motion")], "/left", ending) as running:
        assert running.nodes[0].name == "motion"
        assert running.nodes[0].get_fully_qualified_name() == "/left/recorder"


def test_a_node_that_refuses_closes_those_before_it(log: list[str], ending: Ending) -> None:
    specs = [spec("motion"), spec("inverse"), spec("driver", Refusing)]
    with pytest.raises(ConfigError, match="'port'"), Runner(specs, "", ending):
        pytest.fail("it must not run")
    assert log[3:] == ["close inverse", "close motion"]


def test_a_bug_in_a_callback_ends_everything_and_is_shown_last(
    log: list[str], ending: Ending
) -> None:
    specs = [spec("motion", Failing), spec("driver")]
    with pytest.raises(ZeroDivisionError), Runner(specs, "", ending):
        assert ending.wait(10.0)
        assert ending.reason == "a node failed: ZeroDivisionError('bug')"
    assert log[2:] == ["close driver", "close motion"]


def test_a_node_that_fails_to_close_keeps_no_other_from_it(log: list[str], ending: Ending) -> None:
    specs = [spec("motion"), spec("driver", Unclosable)]
    with pytest.raises(OSError, match="port is gone"), Runner(specs, "", ending):
        pass
    assert log[2:] == ["close driver", "close motion"]


def test_ctrl_c_between_two_starts_ends_the_start(log: list[str], ending: Ending) -> None:
    specs = [spec("motion", Signalled), spec("driver")]
    with ending.on_signals(), Runner(specs, "", ending):
        assert ending.wait(0.0)
    assert log == ["start motion", "close motion"]


def test_interpreter_settings_are_given_back(ending: Ending) -> None:
    before = sys.getswitchinterval()
    with Runner([spec("motion")], "", ending):
        assert sys.getswitchinterval() == pytest.approx(runner.SWITCH_INTERVAL)
        assert gc.get_freeze_count() > 0
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() == 0


def test_two_runners_one_after_the_other(log: list[str]) -> None:
    for _ in range(2):
        with Runner([spec("motion")], "", Ending()):
            pass
    assert log == ["start motion", "close motion"] * 2


def fake_stack(robot: Path, *nodes: NodeSpec) -> Any:
    stack = build_stack(StackOptions(robot=str(robot), port=str(robot / "port")))
    return replace(stack, nodes=nodes)


def test_a_signal_is_a_good_end(robot: Path, log: list[str]) -> None:
    assert runner.run(fake_stack(robot, spec("driver", Signalled))) == 0
    assert log == ["start driver", "close driver"]


def test_a_second_runner_is_refused_before_anything_starts(robot: Path, log: list[str]) -> None:
    stack = fake_stack(robot, spec("driver"))
    with only_instance(stack), pytest.raises(RefusedError, match="is running already"):
        runner.run(stack)
    assert log == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "'port' is missing"),
        (["--robot", "crab", "--port", "/dev/null"], "there is no robot 'crab'"),
        (["--motion", "gait", "--port", "/dev/null"], "expected one of gait_controller"),
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
