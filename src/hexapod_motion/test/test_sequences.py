"""Sequence files: the article's tables are in them as they were, and what is wrong is said by name."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hexapod_motion.geometry import Geometry
from hexapod_motion.runs import all_runs
from hexapod_motion.sequence_check import load_checked_book
from hexapod_motion.sequences import Block, Posture, load_book
from hexapod_motion.trajectories import PATH_NAMES
from stride_base.errors import ConfigError
from stride_base.strict_json import FileError

OWN = {"SHIFT_LEFT", "SHIFT_RIGHT", "ATTACK", "WAVE", "LOOK", "DANCE"}


def test_the_article_tables_are_the_expected_numbers(
    robot_folder: Path, article_tables: Any
) -> None:
    book = load_book(robot_folder / "sequences" / "article.yaml")
    assert list(book.sequences) == list(article_tables)
    for name, table in article_tables.items():
        sequence = book.sequences[name]
        assert (sequence.looped, sequence.main_begin) == (table["looped"], table["main_begin"])
        assert sequence.finalize_begin == table["finalize_begin"]
        assert len(sequence.iterations) == table["total"]
        assert list(sequence.available) == table["available"]
        for iteration, row in zip(sequence.iterations, table["iterations"], strict=True):
            assert iteration.points.tolist() == row["points"]
            assert list(iteration.paths) == [PATH_NAMES[path] for path in row["paths"]]
            assert iteration.n == row["n"]


def test_our_own_sequences_follow_the_article_without_changing_its_file(
    robot_folder: Path, geometry: Geometry
) -> None:
    book, warnings = load_checked_book(robot_folder / "sequences", geometry)
    assert warnings == []
    assert set(book.sequences) > OWN
    assert set(book.sequences["UP"].available) > OWN
    assert book.sequences["DOWN"].available == ("UP", "NONE")


def test_durations_of_the_article(robot_folder: Path, geometry: Geometry, vectors: Any) -> None:
    book = load_book(robot_folder / "sequences" / "article.yaml")
    runs = {run.sequence.name: run for run in all_runs(book, geometry.stand)}
    for name, blocks in vectors["engine"]["durations_ticks"].items():
        assert {b.value: runs[name].frames(b) for b in Block} == blocks, name


def test_the_walk_through_the_graph_meets_down_on_the_floor_and_standing(
    robot_folder: Path, geometry: Geometry
) -> None:
    runs = list(all_runs(load_book(robot_folder / "sequences"), geometry.stand))
    downs = [run for run in runs if run.sequence.name == "DOWN"]
    assert [run.before for run in downs] == ["DOWN", "UP"]
    assert all(run.sequence.ends in Posture for run in runs)
    for run in runs:
        if run.sequence.ends is Posture.STANDING:
            assert np.abs(run.end - geometry.stand).max() < 1e-6, run.sequence.name


@pytest.fixture
def load_changed(
    tmp_path: Path, robot_folder: Path, geometry: Geometry
) -> Callable[[Callable[[Any], Any]], list[str]]:
    """Loads the article's tables after a change to their document; gives the warnings."""

    def load(change: Callable[[Any], Any]) -> list[str]:
        text = (robot_folder / "sequences" / "article.yaml").read_text(encoding="utf-8")
        document = yaml.safe_load(text)
        change(document["sequences"])
        path = tmp_path / "tables.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        return load_checked_book(path, geometry)[1]

    return load


def point(sequence: str, iteration: int, limb: int, value: Any) -> Callable[[Any], None]:
    def change(tables: Any) -> None:
        tables[sequence]["iterations"][iteration]["points"][limb] = value

    return change


def path(sequence: str, iteration: int, limb: int, value: str) -> Callable[[Any], None]:
    def change(tables: Any) -> None:
        row = tables[sequence]["iterations"][iteration]
        row["paths"] = [row["paths"]] * 6 if isinstance(row["paths"], str) else row["paths"]
        row["paths"][limb] = value

    return change


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda t: t["UP"].pop("looped"), "sequence UP: 'looped' is missing; expected true or false"),
    (lambda t: t["UP"].update(looped=0), "sequence UP: 'looped' is 0"),
    (lambda t: t["UP"].update(main_begin=5), "UP: 'main_begin' is 5; expected an index below fin"),
    (lambda t: t["UP"].update(main_begin=-1), "UP: 'main_begin' is -1; expected an integer"),
    (lambda t: t["UP"].update(finalize_begin=6), "UP: 'finalize_begin' is 6; expected at most 5"),
    (lambda t: t["UP"].update(starts=["lying"]), "sequence UP starts|sequence UP: .*lying"),
    (lambda t: t["UP"]["iterations"].clear(), "sequence UP: 'iterations' is .*; expected a list"),
    (lambda t: t["UP"]["iterations"][2].update(n=0), "sequence UP, iteration 2: 'n' is 0"),
    (lambda t: t["UP"]["iterations"][2].update(n=2.0), "UP, iteration 2: 'n' is 2.0; expected an"),
    (lambda t: t["UP"]["iterations"][2]["points"].pop(), "iteration 2: 'points' .*six points"),
    (path("UP", 1, 3, "SPIRAL"), "sequence UP, iteration 1: 'paths'"),
    (point("UP", 3, 4, [1, 2]), r"UP, iteration 3, limb 4|UP, iteration 3: 'points\[4\]' is \[1, 2\]"),
    (point("UP", 3, 4, [1, 2, float("nan")]), r"iteration 3, limb 4: '\[2\]' is nan; expected a f"),
    (lambda t: t["UP"]["available"].append("FLY"), "UP: 'available' is 'FLY'; expected names of"),
    (lambda t: t["UP"].update(follows=["FLY"]), "sequence UP: 'follows' is 'FLY'; expected names"),
    (lambda t: t["DOWN"]["available"].append("ROTATE_LEFT"),
     r"DOWN: 'available' is 'ROTATE_LEFT'; expected .*floor \(ROTATE_LEFT starts standing\)"),
    (lambda t: t.pop("DOWN"), "expected names of sequences|expected a sequence DOWN"),
    (lambda t: t["DOWN"].update(starts=["floor"]), "sequence DOWN: .*the way home|'available'"),
    (lambda t: t.update(NONE=t["UP"]), "'name' is 'NONE'; expected another name"),
    (lambda t: t.update(EXTRA=t["ROTATE_LEFT"]), "sequence EXTRA: .*that another one lists"),
    (point("DIRECT_MOVEMENT", 4, 2, [300, -85, 0]),
     r"sequence DIRECT_MOVEMENT, iteration 4, limb rl: .*after UP, frame \d+ of 51, .*too far"),
    (point("DIRECT_MOVEMENT", 5, 4, [60, -10, 0]), "iteration 5, limb mr: .*(too near|beyond)"),
    (point("ROTATE_LEFT", 0, 1, [-108, -85, 62]), "ROTATE_LEFT, iteration 0, limb ml: .*coxa at"),
    (point("UP", 1, 0, [60, 100, 60]), r"UP, iteration 1, limb fl: .*tibia at -1.*, beyond -10 to"),
    (point("DIRECT_MOVEMENT", 5, 0, [110, -85, 25]),
     r"DIRECT_MOVEMENT, iteration 5, limb fl: .*ends where it begins \(it is off by 5 mm\)"),
    (lambda t: t["ROTATE_LEFT"].update(iterations=[t["UP"]["iterations"][4]], finalize_begin=1),
     "ROTATE_LEFT: 'looped' is true; expected a main block that moves"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_wrong_table_is_refused_by_name(load_changed: Any, change: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_changed(change)


def test_an_arc_the_long_way_round_is_a_warning(
    robot_folder: Path, geometry: Geometry, tmp_path: Path
) -> None:
    text = (robot_folder / "sequences" / "article.yaml").read_text(encoding="utf-8")
    tables = yaml.safe_load(text)["sequences"]
    wide = tables["WIDE"] = tables.pop("ROTATE_LEFT")
    for table in tables.values():
        table["available"] = [name for name in table["available"] if name != "ROTATE_LEFT"]
    wide.update(follows=["UP"], main_begin=1, finalize_begin=3)
    stand = tables["UP"]["iterations"][-1]["points"]
    rows = [(10, "XYZ_LINEAR"), (-10, "XZ_ARC_Y_LINEAR"), (10, "XZ_ARC_Y_LINEAR")]
    wide["iterations"] = [
        {"n": 90, "paths": kind, "points": [stand[0], [x, -85, -124], *stand[2:]]}
        for x, kind in rows
    ] + tables["UP"]["iterations"][-1:]
    (tmp_path / "wide.yaml").write_text(yaml.safe_dump({"sequences": tables}), encoding="utf-8")
    freely = geometry.limits.copy()
    freely[0] = -180.0, 180.0
    warnings = load_checked_book(tmp_path / "wide.yaml", replace(geometry, limits=freely))[1]
    assert [warning.split(";")[0] for warning in warnings] == [
        "sequence WIDE, iteration 1, limb ml: the arc sweeps -351 deg, the long way round",
        "sequence WIDE, iteration 2, limb ml: the arc sweeps 351 deg, the long way round",
    ]
    with pytest.raises(ConfigError, match=r"iteration 1, limb ml: .*its arc sweeps -351 deg"):
        load_checked_book(tmp_path / "wide.yaml", geometry)


def test_two_files_may_not_hold_the_same_name(robot_folder: Path, tmp_path: Path) -> None:
    text = (robot_folder / "sequences" / "article.yaml").read_text(encoding="utf-8")
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"b.yaml: sequences: 'name' is 'DOWN'; .*a.yaml"):
        load_book(tmp_path)


def test_an_empty_folder_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"holds no \*\.yaml files"):
        load_book(tmp_path)
