"""The hexapod's gait is judged in simulation, the same way each time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HEXAPOD = Path(__file__).parents[2] / "config" / "robots" / "hexapod"


@pytest.fixture
def tuning(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", list(sys.path))
    specification = importlib.util.spec_from_file_location(
        "tune_control", HEXAPOD / "tune_control.py"
    )
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    monkeypatch.setattr(module, "SECONDS", 2.0)
    return module


def test_a_gait_that_stumbles_is_worth_less(tuning: ModuleType) -> None:
    gait = tuning.make_control.load_gait()
    assert tuning.judge(gait) > tuning.judge(gait._replace(lift=3.0, stride=30.0))
    assert tuning.judge(gait) == tuning.judge(gait)


def test_the_present_gait_lies_within_the_bounds_of_the_search(tuning: ModuleType) -> None:
    gait = tuning.make_control.load_gait()
    for name, (low, high) in tuning.BOUNDS.items():
        assert low <= getattr(gait, name) <= high


def test_what_was_found_is_written_with_the_comments_that_were_there(
    tuning: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (HEXAPOD / "gait.yaml").read_text(encoding="utf-8")
    (tmp_path / "gait.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(tuning, "HERE", tmp_path)
    monkeypatch.setattr(tuning.make_control, "HERE", tmp_path)
    gait = tuning.make_control.load_gait()
    tuning.write(gait)
    assert (tmp_path / "gait.yaml").read_text(encoding="utf-8") == text
    tuning.write(gait._replace(lift=33.5))
    assert tuning.make_control.load_gait().lift == 33.5
    assert (tmp_path / "control.json").exists()
    assert "top of the path" in (tmp_path / "gait.yaml").read_text(encoding="utf-8")
