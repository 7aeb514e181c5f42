"""The `stride` command: what it refuses, and how it says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stride_bringup.cli.main import stride
from stride_bringup.cli.up import describe
from stride_bringup.instance_lock import only_instance
from stride_bringup.robots import find_robot
from stride_bringup.stack import build_stack
from stride_bringup.stack_options import StackOptions
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.pty_server import PtyServer, running

# From click 8.2 on the two outputs are always apart.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def run(*arguments: str) -> Result:
    return CliRunner(**APART).invoke(stride, list(arguments))


def refused(result: Result) -> str:
    """The one sentence on standard error."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("stride: ")
    return line


def test_help_lists_every_command() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("up", "steer", "status", "check", "emulator", "test", "check-code", "bench"):
        assert f"\n  {command} " in result.output


def test_help_describes_every_command_in_a_whole_line() -> None:
    lines = run("--help").output.partition("Commands:\n")[2].splitlines()
    assert all(line.endswith(".") and not line.endswith("..") for line in lines)
    assert not any("(e.g." in line for line in lines)


def test_an_error_names_stride_once() -> None:
    assert refused(run("up", "--motion", "trot")).startswith("stride: 'motion' is 'trot'")


def test_tell_asks_the_control_socket_beside_the_link(tmp_path: Path) -> None:
    line = refused(run("tell", str(tmp_path / "servos"), "load", "2", "-0.5"))
    assert f"{tmp_path / 'servos.control'}: no emulator listens there" in line
    assert refused(run("tell", str(tmp_path / "servos.control"), "stop")).count(".control") == 1


def test_tell_prints_what_the_emulator_answers(tmp_path: Path) -> None:
    link = tmp_path / "servos"
    with running(PtyServer(build_bus(Setup()), link, tmp_path / "servos.control")):
        result = run("tell", str(link), "faults")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == []


def test_help_of_up_describes_every_option_of_a_stack() -> None:
    text = run("up", "--help").output
    for option in (
        "robot",
        "motion",
        "inverse",
        "port",
        "baud",
        "rate",
        "port-timeout",
        "namespace",
    ):
        assert f"--{option}" in text
    assert "gait_controller" in text and "servo_inv_lead" in text
    assert "--duration" in text and "--processes" in text


def test_the_command_starts_without_ros_and_numpy() -> None:
    script = (
        "import sys, stride_bringup.cli.main\n"
        "print([m for m in ('rclpy', 'numpy', 'rich') if m in sys.modules])"
    )
    path = {"PYTHONPATH": ":".join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", script], env=path, capture_output=True, text=True
    )
    assert result.stdout == "[]\n", result.stderr


@pytest.mark.parametrize("value", ["1.01", "-1.5", "nan", "inf", "-inf", "left", "", "1,0"])
def test_steering_outside_its_range_is_refused_before_anything_is_sent(value: str) -> None:
    message = refused(run("steer", value))
    assert message.endswith("expected a number from -1 to 1")


def test_steering_a_robot_that_is_not_there_says_that_nobody_listens() -> None:
    message = refused(run("steer", "-0.5", "--namespace", "left", "--timeout", "0"))
    assert "nobody listens to /left/steering" in message


def test_status_of_a_robot_that_is_not_there_says_what_does_not_run() -> None:
    result = run("status", "--once", "--timeout", "0")
    assert result.exit_code == 1
    assert "not running: no driver (sts3215_driver)" in result.stdout
    assert "no servo states in namespace /" in result.stderr


@pytest.mark.parametrize("command", [("steer", "0"), ("status", "--once")])
def test_a_namespace_that_is_none_is_refused(command: tuple[str, ...]) -> None:
    assert "'namespace' is '2nd'" in refused(run(*command, "--namespace", "2nd"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--robot", "crab"), "there is no robot 'crab'"),
        (("--motion", "trot"), "'motion' is 'trot'; expected one of gait_controller"),
        (("--rate", "5000"), "'rate' is 5000.0"),
    ],
)
def test_up_refuses_bad_options_before_anything_starts(
    robot: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refused(run("up", "--robot", str(robot), *arguments))


def test_a_second_up_says_who_runs(robot: Path) -> None:
    with only_instance(build_stack(StackOptions(robot=str(robot)))):
        result = run("up", "--robot", str(robot))
    assert result.exit_code == 1
    assert "(robot biped on port " in result.stderr and "is running already" in result.stderr


def test_up_refuses_a_broken_control_file_in_one_sentence_that_names_the_servo(
    robot: Path,
) -> None:
    document = json.loads(find_robot("seed_example").control_file.read_text())
    document["servos"][1]["id"] = document["servos"][0]["id"]
    (robot / "control.json").write_text(json.dumps(document))
    message = refused(run("up", "--robot", str(robot)))
    assert "control.json: servo 1 (s4_roll): 'id' is 1" in message


INTERRUPTED = """
import os, runpy, signal, sys

class CtrlC:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
runpy.run_module("stride_bringup", run_name="__main__")
"""


def test_ctrl_c_while_the_command_is_still_being_imported_ends_it_without_a_word() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, env=environment, check=False
    )
    assert (result.returncode, result.stderr) == (-signal.SIGINT, b"")


def test_up_says_what_starts_and_how_to_steer_it(robot: Path) -> None:
    text = describe(build_stack(StackOptions(robot=str(robot), namespace="left")))
    assert "gait_controller -> servo_inv_lead -> sts3215_driver -> emulated servos on " in text
    assert "stride steer 0.5 --namespace /left" in text
    assert "50 Hz" in text
    text = describe(build_stack(StackOptions(robot=str(robot), port="/dev/ttyACM0")))
    assert "-> servos on /dev/ttyACM0" in text and "--namespace" not in text


def test_check_reports_each_servo_of_a_control_file() -> None:
    file = find_robot("seed_example").control_file
    result = run("check", str(file))
    assert result.exit_code == 0, result.output
    for servo in json.loads(file.read_text())["servos"]:
        assert servo["name"] in result.output


def test_check_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    document = json.loads(find_robot("seed_example").control_file.read_text())
    document["servos"][1]["sign"] = 0
    bad = tmp_path / "control.json"
    bad.write_text(json.dumps(document))
    message = refused(run("check", str(bad)))
    name = document["servos"][1]["name"]
    assert str(bad) in message and name in message and "'sign' is 0" in message
    assert "cannot be read" in refused(run("check", str(tmp_path / "none.json")))


def test_emulator_has_the_options_of_the_program() -> None:
    result = run("emulator", "--help")
    assert result.exit_code == 0
    assert "stride emulator" in result.output and "--servo-file" in result.output


@pytest.mark.parametrize("command", ["test", "check-code", "bench"])
def test_commands_on_the_source_tree_need_one(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STRIDE_ROOT", raising=False)
    assert "needs the source tree" in refused(run(command))
