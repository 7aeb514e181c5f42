"""The one-page picture."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joint_module import module_file, picture
from joint_module import report as reports
from joint_module.errors import ModelError


@pytest.fixture
def reported(sts3215: Path) -> Any:
    module = module_file.read(sts3215 / "sts3215.json")
    found, run = reports.report(module, sts3215 / module.model, "normal")
    return module, found, run


def test_the_page_is_an_upright_a4_png(reported: Any, tmp_path: Path) -> None:
    module, found, run = reported
    picture.draw(module, found, run, tmp_path / "page.png")
    data = (tmp_path / "page.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">2I", data[16:24]) == (992, 1402)


@pytest.mark.parametrize(("suffix", "start"), [(".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_other_formats_follow_the_suffix(
    suffix: str, start: bytes, reported: Any, tmp_path: Path
) -> None:
    module, found, run = reported
    picture.draw(module, found, run, tmp_path / f"page{suffix}")
    assert (tmp_path / f"page{suffix}").read_bytes().startswith(start)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["行星轮系分体电机关节模组", "x" * 200, "$unbalanced^", ""])
def test_any_name_can_be_drawn_without_warnings(name: str, reported: Any, tmp_path: Path) -> None:
    module, found, run = reported
    named = replace(module, name=name, module_id=name or "x", input_joint=name or "$_$")
    picture.draw(named, found, run, tmp_path / "page.png")


@pytest.mark.parametrize("mode", ["normal", "overload"])
@pytest.mark.parametrize(
    "change", [{"load_torque": -9.0}, {"amplitude": 0.0}, {"load_torque": 0.0}]
)
def test_every_kind_of_report_can_be_drawn(
    change: dict[str, float], mode: Any, sts3215: Path, tmp_path: Path
) -> None:
    module = module_file.read(sts3215 / "sts3215.json")
    simulation = replace(module.simulation, **change, duration=0.5)
    module = replace(module, simulation=simulation, limits=replace(module.limits, velocity=None))
    found, run = reports.report(module, sts3215 / module.model, mode)
    picture.draw(module, found, run, tmp_path / "page.png")


def test_a_picture_that_cannot_be_written_is_an_error(reported: Any, tmp_path: Path) -> None:
    module, found, run = reported
    with pytest.raises(ModelError, match="cannot be written"):
        picture.draw(module, found, run, tmp_path / "nowhere" / "page.png")
