"""`stride record`: what it refuses, and that its file is whole however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import rclpy
from click.testing import CliRunner, Result
from rclpy.context import Context
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from stride_bringup.cli.main import stride
from stride_recording.reader import Recording

DEADLINE = 60.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def run(*arguments: object) -> Result:
    return CliRunner(**APART).invoke(stride, ["record", *[str(a) for a in arguments]])


def refused(result: Result) -> str:
    assert result.exit_code == 1, result.output
    line = result.stderr.splitlines()[-1]
    assert line.startswith("stride: ")
    return line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--namespace", "2nd"), "'namespace' is '2nd'"),
        (("--robot", "no_such"), "there is no robot 'no_such'"),
        (("--topic", "a b"), "'a b' is no name of a topic"),
        (("--output", "/nowhere/run.mcap"), "/nowhere/run.mcap cannot be written: No such file"),
        (("--output", "/"), "/ exists already"),
    ],
)
def test_what_cannot_be_recorded_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert words in refused(result)
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"precious")
    assert "exists already; --force replaces it" in refused(run("--output", path))
    assert path.read_bytes() == b"precious"


def test_a_bad_domain_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "many")
    assert "ROS_DOMAIN_ID" in refused(run("--output", tmp_path / "run.mcap"))
    assert list(tmp_path.iterdir()) == []


def test_all_topics_and_some_topics_exclude_each_other() -> None:
    assert run("--topic", "a", "--all-topics").exit_code == 2


def test_topics_that_were_never_there_and_a_file_without_messages_are_told(tmp_path: Path) -> None:
    result = run("--output", tmp_path / "x.mcap", "--duration", "0.1", "--topic", "no/such")
    assert "x.mcap holds no message: nothing was published in ROS domain" in refused(result)
    assert "stride: /no/such was never there" in result.stderr


def test_a_disk_without_any_room_is_told() -> None:
    message = refused(run("--output", "/dev/full", "--force", "--duration", "0.1"))
    assert message == "stride: /dev/full cannot be written: No space left on device"


class Recorded:
    """`stride record` in a process of its own, of a robot that has published its description."""

    def __init__(self, path: Path, robot: Path) -> None:
        self.path = path
        command = [sys.executable, "-m", "stride_bringup", "record", "--output", str(path)]
        command += ["--namespace", "left", "--robot", str(robot)]
        environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def until_written(self) -> None:
        """Until a message is on the disk."""
        end = time.monotonic() + DEADLINE
        while not (self.path.exists() and self.path.stat().st_size and self._messages()):
            assert time.monotonic() < end, "nothing was written"
            try:
                self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            pytest.fail(f"it ended: {self.process.stderr.read() if self.process.stderr else ''}")

    def end(self, number: signal.Signals) -> tuple[str, str]:
        self.process.send_signal(number)
        return self.process.communicate(timeout=DEADLINE)

    def _messages(self) -> int:
        return sum(Recording.open(self.path).counts.values())


@pytest.fixture
def recorded(tmp_path: Path, robot: Path) -> Iterator[Recorded]:
    (robot / "robot.urdf").write_text("<robot name='biped'/>")
    context = Context()
    rclpy.init(args=[], context=context)
    node: Any = rclpy.create_node("describer", namespace="/left", context=context)
    publisher = node.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data="<robot/>"))
    run_ = Recorded(tmp_path / "run.mcap", robot)
    try:
        run_.until_written()
        yield run_
    finally:
        run_.process.kill()
        run_.process.communicate()
        node.destroy_node()
        context.try_shutdown()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_file(recorded: Recorded, number: signal.Signals) -> None:
    out, err = recorded.end(number)
    assert recorded.process.returncode == 0, err
    assert "messages, " in out and "0 lost" in out
    recording = Recording.open(recorded.path)
    assert not recording.unfinished
    assert recording.urdf == "<robot name='biped'/>"
    assert recording.metadata["namespace"] == "/left"
    assert recording.metadata["robot"] == "biped"
    (message,) = recording.messages(["/left/robot_description"])
    assert message.message.data == "<robot/>"


def test_a_recorder_that_is_killed_leaves_what_it_had_written(recorded: Recorded) -> None:
    recorded.end(signal.SIGKILL)
    recording = Recording.open(recorded.path)
    assert recording.unfinished
    assert [m.message.data for m in recording.messages(["/left/robot_description"])] == ["<robot/>"]
    assert recording.urdf == "<robot name='biped'/>"
