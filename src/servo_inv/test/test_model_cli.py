"""`stride model` as far as it needs no running robot."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from servo_inv.cli import model
from servo_inv.model_file import parse_models, read_model_file
from stride_base.errors import StrideError

BAM = {
    "kt": 1.2,
    "R": 2.4,
    "armature": 0.03,
    "friction_base": 0.05,
    "friction_viscous": 0.06,
    "load_friction_base": 0.1,
    "actuator": "sts3215",
}
SETS = Path(__file__).parents[3] / "config" / "servo_models"


def run(*arguments: object) -> Result:
    return CliRunner(mix_stderr=False).invoke(model, [str(argument) for argument in arguments])


@pytest.fixture
def bam_file(tmp_path: Path) -> Path:
    file = tmp_path / "m3.json"
    file.write_text(json.dumps(BAM))
    return file


def test_convert_prints_a_model_file_and_what_it_leaves_out(bam_file: Path) -> None:
    result = run("convert", bam_file, "--p", 16)
    assert result.exit_code == 0
    found = parse_models(result.stdout, "stdout").of("any")
    assert found is not None and found.kp == pytest.approx(16 * 0.166)
    assert "load_friction_base 0.1 is left out" in result.stderr


def test_convert_writes_a_file_for_some_joints(bam_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "my.yaml"
    arguments = ("--joint", "knee", "--joint", "hip", "-o", output, "--error-gain", 0.2)
    result = run("convert", bam_file, *arguments)
    assert (result.exit_code, result.stdout) == (0, "")
    models = read_model_file(output)
    assert [one.name for one in models] == ["knee", "hip"] and models.default is None
    assert {one.kp for one in models} == {32 * 0.2}


def error(*arguments: object) -> str:
    """What the `stride` command shows."""
    result = run(*arguments)
    assert isinstance(result.exception, StrideError)
    return str(result.exception)


def test_errors_are_one_sentence(bam_file: Path, tmp_path: Path) -> None:
    assert "none.json: cannot be read" in error("convert", tmp_path / "none.json")
    bam_file.write_text('{"kt": NaN}')
    assert "'kt' is NaN; expected a finite number" in error("convert", bam_file)
    bam_file.write_text("[]")
    assert "expected an object with BAM parameters" in error("convert", bam_file)


def test_push_says_which_joints_it_lacks(tmp_path: Path) -> None:
    shipped = SETS / "sts3215_7v4.yaml"
    assert "lists no joints: say which ones its model is for" in error("push", shipped)
    lone = tmp_path / "lone.yaml"
    lone.write_text(shipped.read_text().replace("default:", "joints:\n knee:"))
    assert f"{lone} has no model of toe" in error("push", lone, "knee", "toe")
