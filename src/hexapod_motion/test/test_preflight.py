"""The pre-flight check: shipped tables pass, and a broken table shows each kind of finding."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from hexapod_motion.cli.preflight import preflight
from hexapod_motion.gaits import load_gaits
from hexapod_motion.geometry import Geometry
from hexapod_motion.preflight.findings import Finding, Kind
from hexapod_motion.preflight.gait_report import check_gait
from hexapod_motion.preflight.sequence_report import CheckedRun, check_sequences, findings_of
from hexapod_motion.sequences import Block, load_book
from hexapod_motion.walk_rules import WalkSettings
from stride_base.errors import RefusedError

OWN = {"SHIFT_LEFT", "SHIFT_RIGHT", "ATTACK", "WAVE", "LOOK", "DANCE"}


@pytest.fixture(scope="module")
def runs(robot_folder: Path, geometry: Geometry) -> dict[tuple[str, str], CheckedRun]:
    book = load_book(robot_folder / "sequences")
    return {(run.run.before, run.name): run for run in check_sequences(book, geometry)}


def test_what_is_shipped_has_only_findings_that_its_tables_accept(runs: Any) -> None:
    findings = findings_of(runs.values())
    assert findings and all(finding.accepted for finding in findings)
    assert {f.sequence for f in findings if f.kind is not Kind.TILT}.isdisjoint(OWN)


def test_durations_and_way_of_direct_movement(runs: Any) -> None:
    run = runs["UP", "DIRECT_MOVEMENT"]
    assert [run.run.frames(block) for block in Block] == [84, 102, 84]
    shift, turn = run.cycle()
    assert shift == pytest.approx(180.0 + 0j, abs=1e-6) and abs(turn) < 1e-9
    assert run.frames / run.rate == pytest.approx(1.8)
    assert run.slip < 1e-6


def test_rotation_turns_left_and_shift_left_goes_left(runs: Any) -> None:
    assert np.degrees(runs["UP", "ROTATE_LEFT"].cycle()[1]) == pytest.approx(32.5, abs=0.1)
    assert np.degrees(runs["UP", "ROTATE_RIGHT"].cycle()[1]) == pytest.approx(-32.5, abs=0.1)
    assert runs["UP", "SHIFT_LEFT"].cycle()[0] == pytest.approx(80j, abs=1e-6)
    assert runs["UP", "SHIFT_RIGHT"].cycle()[0] == pytest.approx(-80j, abs=1e-6)


def test_every_start_of_a_sequence_is_followed(runs: Any) -> None:
    assert ("DOWN", "UP") in runs and ("UP", "DOWN") in runs and ("DOWN", "DOWN") in runs
    assert {name for _before, name in runs} >= OWN
    assert np.isinf(runs["DOWN", "DOWN"].margin)


def test_tilting_the_body_on_planted_feet_is_no_slip_and_no_flight(runs: Any) -> None:
    for name in ("LOOK", "DANCE"):
        run = runs["UP", name]
        assert run.slip < 0.5 and run.margin > 150.0
        assert all(checked.ground.down.all() for checked in run.iterations)


@pytest.fixture
def broken(
    tmp_path: Path, robot_folder: Path, geometry: Geometry
) -> Callable[[Callable[[Any], Any]], list[Finding]]:
    """Findings, not accepted ones, in the article's tables after a change to them."""

    def check(change: Callable[[Any], Any]) -> list[Finding]:
        text = (robot_folder / "sequences" / "article.yaml").read_text(encoding="utf-8")
        document = yaml.safe_load(text)
        change(document["sequences"])
        path = tmp_path / "tables.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        findings = findings_of(check_sequences(load_book(path), geometry))
        return [finding for finding in findings if not finding.accepted]

    return check


def point(sequence: str, iteration: int, limb: int, value: Any) -> Callable[[Any], None]:
    def change(tables: Any) -> None:
        tables[sequence]["iterations"][iteration]["points"][limb] = value

    return change


def lift(*limbs: int) -> Callable[[Any], None]:
    def change(tables: Any) -> None:
        points = tables["UP"]["iterations"][4]["points"]
        for limb in range(6):
            points[limb] = list(tables["UP"]["iterations"][2]["points"][limb])
            tables["UP"]["iterations"][3]["points"][limb] = list(points[limb])
            tables["UP"]["iterations"][3]["points"][limb][1] += 25 * (limb in limbs)

    return change


BROKEN = [
    (
        point("DIRECT_MOVEMENT", 4, 2, [300, -55, -20]),
        Kind.REACH,
        "DIRECT_MOVEMENT, iteration 4, limb rl",
        "frames from 12 on: at (240.1, -64.5, -97.8) mm it is too far",
    ),
    (
        point("UP", 3, 1, [100, -30, 0]),
        Kind.LIMITS,
        "UP, iteration 3, limb ml",
        "it is tibia at -",
    ),
    (
        point("DIRECT_MOVEMENT", 5, 0, [110, -85, 25]),
        Kind.CYCLE,
        "DIRECT_MOVEMENT, iteration 5, limb fl",
        "main ends 5.00 mm from where it begins",
    ),
    (
        lambda tables: tables["ROTATE_RIGHT"]["iterations"][1].update(n=20),
        Kind.JOINT_SPEED,
        "ROTATE_RIGHT, iteration 1, fr_femur",
        "the servo's most is 270 deg/s; a sequence speed of 0.48 fits",
    ),
    (
        lambda tables: tables["UP"]["iterations"][0].update(n=10),
        Kind.JOINT_SPEED,
        "UP, iteration 0, fl_femur",
        "567 deg/s (and 5 more)",
    ),
    (
        point("DIRECT_MOVEMENT", 4, 3, [120, -85, 20]),
        Kind.SLIP,
        "DIRECT_MOVEMENT, iteration 4, limb fr",
        "the standing foot is dragged",
    ),
    (lift(0, 1), Kind.MARGIN, "UP, iteration 3", "the centre of gravity is 0 mm inside"),
    (lift(0, 1, 2), Kind.TILT, "UP, iteration 3", "the body leans 4.1 deg against the ground"),
]


@pytest.mark.parametrize(("change", "kind", "place", "text"), BROKEN)
def test_a_broken_table_shows_each_finding(
    broken: Any, change: Any, kind: Kind, place: str, text: str
) -> None:
    found = [finding for finding in broken(change) if finding.kind is kind]
    assert place in [finding.place for finding in found], [str(finding) for finding in found]
    assert any(text in finding.text for finding in found), [str(finding) for finding in found]


def test_a_sweep_the_long_way_round_is_found(broken: Any) -> None:
    def change(tables: Any) -> None:
        tables["ROTATE_LEFT"]["iterations"][0]["points"][1] = [-1, -85, -124]
        tables["ROTATE_LEFT"]["iterations"][1]["points"][1] = [1, -85, -124]

    found = [finding for finding in broken(change) if finding.kind is Kind.SWEEP]
    assert found and "the long way round" in found[0].text


@pytest.mark.parametrize("name", ["tripod", "ripple", "wave", "amble"])
def test_gaits_walk_at_full_speed_without_a_finding(
    robot_folder: Path, geometry: Geometry, name: str
) -> None:
    gaits = load_gaits(robot_folder / "gaits.yaml", geometry)
    checked = check_gait(name, gaits, geometry, WalkSettings(gait=name))
    assert checked.findings == ()
    assert 0.03 < checked.forward < 0.3 and checked.left == pytest.approx(checked.forward, rel=0.1)
    assert checked.turn > 0.1 and checked.margin > 50.0


def run_command(*arguments: str) -> Any:
    return CliRunner().invoke(preflight, ["--robot", *arguments])


def test_the_command_ends_with_0_when_nothing_is_found(robot_folder: Path) -> None:
    result = run_command(str(robot_folder), "--no-gaits")
    assert result.exit_code == 0, result.output
    assert "0 found, 27 accepted by their tables" in result.output
    assert run_command(str(robot_folder), "--no-gaits", "--strict").exit_code == 1


def test_the_command_ends_with_1_and_says_what_is_found(robot_folder: Path, tmp_path: Path) -> None:
    text = (robot_folder / "sequences" / "article.yaml").read_text(encoding="utf-8")
    path = tmp_path / "broken.yaml"
    path.write_text(text.replace("[130, -55, 110]", "[330, -55, 110]"), encoding="utf-8")
    result = run_command(str(robot_folder), "--file", str(path), "DIRECT_MOVEMENT")
    assert result.exit_code == 1
    assert "FOUND DIRECT_MOVEMENT, iteration 4, limb fl: reach:" in result.output
    assert "ROTATE_LEFT" not in result.output


def test_faster_sequences_and_other_rates_can_be_tried(robot_folder: Path) -> None:
    assert run_command(str(robot_folder), "--no-gaits", "--speed", "1.5").exit_code == 1
    assert run_command(str(robot_folder), "--no-gaits", "--rate", "50").exit_code == 0


def test_an_unknown_sequence_is_refused(robot_folder: Path) -> None:
    result = run_command(str(robot_folder), "MOONWALK")
    assert isinstance(result.exception, RefusedError)
    assert "there is no sequence 'MOONWALK'; there are DOWN, UP" in str(result.exception)


def test_pictures_are_drawn(robot_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    result = run_command(str(robot_folder), "WAVE", "--draw", str(folder))
    assert result.exit_code == 0, result.output
    picture = (folder / "WAVE_after_UP.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 20_000


def test_progress_names_each_sequence_before_it_is_checked(
    robot_folder: Path, geometry: Geometry
) -> None:
    told: list[tuple[Any, ...]] = []
    book = load_book(robot_folder / "sequences")
    runs = check_sequences(book, geometry, progress=lambda *words: told.append(words))
    # How many runs there are follows from where each of them ends.
    assert told == [
        ("checking sequences", number, None, run.name) for number, run in enumerate(runs)
    ]
