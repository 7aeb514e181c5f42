"""Commands that take long: each can be quiet, and its results are the same with and without progress."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stride_base import progress_display
from stride_bringup.cli.main import stride

#: All commands that can take more than a second.
LONG = (
    "up",
    "record",
    "plot",
    "steer",
    "status",
    "preflight",
    "sequence",
    "walk",
    "scan",
    "find-port",
    "set-id",
    "set-baud",
    "read",
    "write",
    "dump",
    "restore",
    "calibrate",
    "servo reboot",
    "sim",
    "actuator",
    "module generate",
    "module calibrate",
    "module report",
    "module run",
    "model push",
    "model show",
    "identify",
    "test",
    "check-code",
)
#: Some of them that need neither servos nor a running robot.
ALONE = (
    ("preflight", "UP", "DOWN"),
    ("actuator",),
    ("sim", "--walk", "--duration", "0.1"),
)
# From click 8.2 on the two outputs are always apart.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def run(*arguments: str) -> Result:
    return CliRunner(**APART).invoke(stride, list(arguments))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is shown at once and all the time."""
    monkeypatch.setattr(progress_display, "DELAY", 0.0)
    monkeypatch.setattr(progress_display, "DRAW_PERIOD", 0.001)
    monkeypatch.setattr(progress_display, "LINE_PERIOD", 0.0)


@pytest.mark.parametrize("command", LONG)
def test_a_command_that_takes_long_can_be_quiet(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.exit_code == 0, result.output
    assert "--quiet" in result.stdout


def test_quiet_may_stand_before_the_command() -> None:
    assert "--quiet" in run("--help").stdout


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ALONE, ids=lambda words: words[0])
def test_results_are_the_same_with_and_without_progress(command: tuple[str, ...]) -> None:
    seen, quiet = run(*command), run(*command, "--quiet")
    assert seen.exit_code == quiet.exit_code == 0, seen.output
    assert seen.stdout == quiet.stdout != ""
    assert quiet.stderr == ""
    assert "\x1b" not in seen.stderr
    assert run("--quiet", *command).stderr == ""


@pytest.mark.usefixtures("impatient")
def test_pictures_and_reports_of_a_module_are_written_all_the_same(tmp_path: Path) -> None:
    modules = Path(__file__).parents[3] / "config" / "modules" / "planetary"
    seen = run("module", "run", str(modules), str(tmp_path / "seen"))
    quiet = run("module", "run", str(modules), str(tmp_path / "quiet"), "--quiet")
    assert seen.exit_code == quiet.exit_code == 0, seen.output
    assert seen.stdout == quiet.stdout.replace(str(tmp_path / "quiet"), str(tmp_path / "seen"))
    for file in (tmp_path / "seen").glob("*.json"):
        assert file.read_bytes() == (tmp_path / "quiet" / file.name).read_bytes()


@pytest.mark.usefixtures("impatient")
def test_errors_are_told_to_the_quiet_too(tmp_path: Path) -> None:
    result = run("identify", "--quiet", "--from", str(tmp_path / "none.csv"))
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("stride: ") and "none.csv" in line
