"""Nodes in one process: order of start and end, and what a failure leaves behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from rclpy.node import Node

from stride_base import running as module
from stride_base.ending import Ending
from stride_base.errors import ConfigError, RefusedError
from stride_base.running import running
from stride_base.stride_node import StrideNode, run_node

LOG: list[str] = []


class Recorder(Node):
    """Notes when it starts and ends."""

    def __init__(self, name: str, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        LOG.append(f"start {name}")

    def close(self) -> None:
        assert self.context.ok(), "close may still publish and log"
        LOG.append(f"close {self.get_name()}")


class Refusing(Recorder):
    """Refuses to start."""

    def __init__(self, name: str, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        raise ConfigError("driver", "", "port", "", "the port of the robot")


class Failing(Recorder):
    """Has a bug in a callback."""

    def __init__(self, name: str, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self.create_timer(0.001, self.fail)

    def fail(self) -> None:
        raise ZeroDivisionError("bug")


class Waiting(StrideNode):
    """Waits in its constructor for what never comes; a signal arrives meanwhile."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__("waiting", (), **arguments)
        assert not self.is_ending()
        os.kill(os.getpid(), signal.SIGINT)
        while not self.is_ending():
            pass
        LOG.append("gave up")
        raise RefusedError("the start was given up")


class Unclosable(Recorder):
    """Fails on its way out."""

    def close(self) -> None:
        super().close()
        raise OSError("port is gone")


class Signalled(Recorder):
    """Somebody presses Ctrl-C while it starts, and again while it ends."""

    def __init__(self, name: str, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        os.kill(os.getpid(), signal.SIGINT)

    def close(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        super().close()


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    LOG.clear()
    yield LOG


@pytest.fixture
def ending() -> Ending:
    return Ending()


def makers(**kinds: type[Recorder]) -> list[Callable[..., Recorder]]:
    return [partial(kind, name) for name, kind in kinds.items()]


def test_nodes_start_in_order_and_end_in_reverse(log: list[str], ending: Ending) -> None:
    with running(makers(motion=Recorder, inverse=Recorder, driver=Recorder), ending):
        assert log == ["start motion", "start inverse", "start driver"]
        log.clear()
    assert log == ["close driver", "close inverse", "close motion"]


def test_node_arguments_reach_the_nodes(ending: Ending) -> None:
    with running(makers(motion=Recorder), ending, namespace="/left") as (node,):
        assert node.get_fully_qualified_name() == "/left/motion"


def test_ros_arguments_are_those_of_the_command_line(ending: Ending) -> None:
    words = ["program", "--ros-args", "-r", "__ns:=/left"]
    with running(makers(motion=Recorder), ending, words) as (node,):
        assert node.get_fully_qualified_name() == "/left/motion"


def test_a_node_that_refuses_closes_those_before_it(log: list[str], ending: Ending) -> None:
    refusing = makers(motion=Recorder, inverse=Recorder, driver=Refusing)
    with pytest.raises(ConfigError, match="'port'"), running(refusing, ending):
        pytest.fail("it must not run")
    assert log[3:] == ["close inverse", "close motion"]


def test_a_bug_in_a_callback_ends_everything_and_is_shown_last(
    log: list[str], ending: Ending
) -> None:
    failing = makers(motion=Failing, driver=Recorder)
    with pytest.raises(ZeroDivisionError), running(failing, ending):
        assert ending.wait(10.0)
        assert ending.reason == "a node failed: ZeroDivisionError('bug')"
    assert log[2:] == ["close driver", "close motion"]


def test_a_node_that_fails_to_close_keeps_no_other_from_it(log: list[str], ending: Ending) -> None:
    unclosable = makers(motion=Recorder, driver=Unclosable)
    with pytest.raises(OSError, match="port is gone"), running(unclosable, ending):
        pass
    assert log[2:] == ["close driver", "close motion"]


def test_ctrl_c_between_two_starts_ends_the_start(log: list[str], ending: Ending) -> None:
    signalled = makers(motion=Signalled, driver=Recorder)
    with ending.on_signals(), running(signalled, ending) as nodes:
        assert len(nodes) == 1
        assert ending.wait(0.0)
    assert log == ["start motion", "close motion"]


def test_interpreter_settings_are_given_back(ending: Ending) -> None:
    before = sys.getswitchinterval()
    with running(makers(motion=Recorder), ending):
        assert sys.getswitchinterval() == pytest.approx(module.SWITCH_INTERVAL)
        assert gc.get_freeze_count() > 0
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() == 0


def test_one_after_the_other_in_one_process(log: list[str]) -> None:
    for _ in range(2):
        with running(makers(motion=Recorder), Ending()):
            pass
    assert log == ["start motion", "close motion"] * 2


class Small(StrideNode):
    """A node of its own process, ended by the signal that it sends."""

    def __init__(self, refuse: bool = False, **arguments: Any) -> None:
        super().__init__("small", (), **arguments)
        if refuse:
            raise ConfigError("small", "", "port", "", "the port of the robot")
        os.kill(os.getpid(), signal.SIGINT)

    def close(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        LOG.append("closed")


def test_a_second_ctrl_c_does_not_keep_a_node_from_closing(log: list[str]) -> None:
    run_node(Small, ["small"])
    assert log == ["closed"]


def test_a_node_that_refuses_is_one_sentence_and_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        run_node(partial(Small, refuse=True), ["small"])
    assert caught.value.code == 1
    assert capsys.readouterr().err == "small: 'port' is ''; expected the port of the robot\n"


def test_a_node_that_waits_in_its_constructor_gives_up_at_a_signal() -> None:
    LOG.clear()
    ending = Ending()
    with ending.on_signals(), running([Waiting, partial(Recorder, "next")], ending) as nodes:
        assert nodes == []
    assert ending.reason == ""
    assert LOG == ["gave up"]
