"""`stride identify --from`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from exact_servo import LOAD, PERIOD, record_of
from sts3215_joint import Joint

from servo_inv.cli import identify
from servo_inv.identification.excitation import JointLimits, design_excitation
from servo_inv.identification.recording_file import write_recording
from servo_inv.model_file import read_model_file, write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from stride_base import progress_display
from stride_base.errors import StrideError

ARM = ("--mass", 0.3, "--arm", 0.2)


def run(*arguments: object) -> Result:
    return CliRunner(mix_stderr=False).invoke(identify, [str(argument) for argument in arguments])


def error(*arguments: object) -> str:
    """What the `stride` command shows."""
    result = run(*arguments)
    assert isinstance(result.exception, StrideError), result.output
    return str(result.exception)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two joints with the same motion; the load of the second one hangs on a gear."""
    motion = design_excitation(JointLimits(), PERIOD, 20.0, LOAD).position.tolist()
    file = tmp_path_factory.mktemp("recordings") / "my.csv"
    write_recording(file, [record_of(Joint(7.4), motion, name) for name in ("knee", "hip")])
    return file


def test_all_joints_of_a_recording_are_identified_and_written(
    recording: Path, tmp_path: Path
) -> None:
    models, report, picture = (tmp_path / f"out.{end}" for end in ("yaml", "json", "png"))
    files = ("-o", models, "--report", report, "--picture", picture)
    result = run("--from", recording, *ARM, *files)
    assert result.exit_code == 0, result.exception
    assert "joint knee\n" in result.stdout and "joint hip\n" in result.stdout
    found = read_model_file(models).of("hip")
    assert found is not None and found.torque == pytest.approx(2.12, rel=0.02)
    assert [one["joint"] for one in json.loads(report.read_text())["joints"]] == ["knee", "hip"]
    assert sorted(file.name for file in tmp_path.glob("*.png")) == ["out_hip.png", "out_knee.png"]


def test_one_joint_with_settings_of_its_present_model(recording: Path, tmp_path: Path) -> None:
    prior, models = tmp_path / "prior.yaml", tmp_path / "out.yaml"
    write_model_file(prior, ModelList([ServoModel("knee", kp=10.0, kgear=2.0, torque=8.0)]))
    assert run("--from", recording, "knee", *ARM, "--prior", prior, "-o", models).exit_code == 0
    (found,) = read_model_file(models)
    assert (found.name, found.kp, found.kgear) == ("knee", 10.0, 2.0)
    assert found.torque == pytest.approx(2.12 * 4 * 10.0 / 5.312, rel=0.02)
    assert run("--from", recording, "knee", *ARM, "--prior", prior, "--kp", 1, "-o", models)
    assert next(iter(read_model_file(models))).kp == 1.0


def test_a_wrong_load_makes_a_model_that_is_not_written(recording: Path, tmp_path: Path) -> None:
    models = tmp_path / "out.yaml"
    # Without the load the model is still better than none; far too slow a filter makes it useless.
    message = error("--from", recording, "knee", "--goal-age", 1.5, "-o", models)
    assert message == "models that do not help were not pushed or written: knee"
    assert not models.exists()


def test_wrong_options_are_refused_in_one_sentence(recording: Path) -> None:
    assert "has nothing of toe" in error("--from", recording, "toe")
    assert error("--from", recording, "--mass", 0.3) == "a load needs both --mass and --arm"
    assert "cannot be read" in error("--from", recording.with_name("none.csv"))
    assert error() == "name the joints that may be moved, or give --all"
    assert error("--all", "knee") == "name the joints that may be moved, or give --all"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--kp", "0", "0 is not a finite number greater than 0"),
        ("--smoothing", "-1", "-1 is not a number from 0 to"),
        ("--mass", "nan", "nan is not a finite number of at least 0"),
    ],
)
def test_numbers_out_of_range_are_bad_usage(
    recording: Path, option: str, value: str, words: str
) -> None:
    result = CliRunner().invoke(identify, ["--from", str(recording), option, value])
    assert result.exit_code == 2
    assert words in result.output


def test_defaults_of_the_command_are_those_of_the_library() -> None:
    from servo_inv.identification.fit import FitSettings
    from servo_inv.identification.identify import Preparation
    from servo_inv.identification.procedure import Plan

    defaults = {option.name: option.default for option in identify.params}
    limits, preparation = JointLimits(), Preparation()
    for name in ("lower", "upper", "speed", "acceleration"):
        assert defaults[name] == getattr(limits, name)
    assert defaults["duration"] == Plan.duration
    assert (defaults["goal_age"], defaults["smoothing"]) == (0.0, preparation.smoothing)
    assert pytest.approx(0.166 * 32) == FitSettings().kp


def test_quiet_changes_nothing_of_the_report(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_display, "DELAY", 0.0)
    monkeypatch.setattr(progress_display, "DRAW_PERIOD", 0.001)
    seen, quiet = run("--from", recording, *ARM), run("--from", recording, *ARM, "--quiet")
    assert seen.exit_code == quiet.exit_code == 0
    assert seen.stdout == quiet.stdout != ""
    assert quiet.stderr == ""
