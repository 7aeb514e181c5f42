"""The workspace is built where its inputs changed, and only there."""

import json
import os
from pathlib import Path

import pytest
import workspace
from environment import Environment
from setup_progress import Steps
from system import SetupError
from workspace import Workspace


@pytest.fixture
def space(root: Path) -> Workspace:
    return Workspace(root, Environment(root, "jazzy", ""))


@pytest.mark.parametrize(
    "file",
    [
        "src/stride_bringup/package.xml",
        "src/stride_bringup/setup.py",
        "src/stride_bringup/resource/stride_bringup",
        "src/servo_interfaces/package.xml",
        "config/robots/mine/control.json",
        "launch/robot.launch.py",
    ],
)
def test_what_is_installed_asks_for_a_build(space: Workspace, file: str) -> None:
    before = space.inputs()
    changed = space.root / file
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text("new")
    assert space.inputs() != before


@pytest.mark.parametrize(
    "file",
    [
        "src/stride_bringup/stride_bringup/stack.py",
        "src/stride_bringup/stride_bringup/added.py",
        "src/stride_bringup/test/test_added.py",
        "src/stride_bringup/test/__pycache__/test_added.pyc",
        "src/stride_bringup/.setup.py.swp",
        "README.md",
    ],
)
def test_what_a_link_follows_does_not(space: Workspace, file: str) -> None:
    before = space.inputs()
    changed = space.root / file
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text("new")
    assert space.inputs() == before


def test_edited_configuration_is_followed_without_a_build(space: Workspace) -> None:
    file = space.root / "config" / "robots" / "control.json"
    file.write_text("{}")
    before = space.inputs()
    file.write_text("[]")
    assert space.inputs() == before


def test_only_the_changed_package_is_another_input(space: Workspace) -> None:
    other = space.root / "src" / "servo_inv" / "package.xml"
    other.parent.mkdir()
    other.write_text("<package/>")
    before = space.inputs()
    other.write_text("<package></package>")
    after = space.inputs()
    assert {name for name in after if after[name] != before[name]} == {"servo_inv"}


def test_a_broken_or_older_stamp_is_not_ready(space: Workspace) -> None:
    space.stamp.parent.mkdir()
    for text in ("", "{", "[]", "{}", '{"inputs": null}'):
        space.stamp.write_text(text)
        assert not space.is_ready()
    space.stamp.write_text(json.dumps({"inputs": space.inputs(), "exports": {}}))
    assert space.is_ready()


def test_exports_come_first_and_root_is_told(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.stamp.parent.mkdir()
    exports = {"AMENT_PREFIX_PATH": [str(space.root / "install" / "a")]}
    space.stamp.write_text(json.dumps({"inputs": {}, "exports": exports}))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(space.root / "install" / "old"))
    variables = space.variables()
    installed, venv = variables["AMENT_PREFIX_PATH"].split(os.pathsep)
    assert installed == str(space.root / "install" / "a")
    assert venv == str(space.environment.folder)
    assert variables["STRIDE_ROOT"] == str(space.root)


def build_with(
    space: Workspace, monkeypatch: pytest.MonkeyPatch, failing: bool = False
) -> list[str]:
    """Run `build` with a stand-in for colcon; the packages that it found in install/."""
    found: list[str] = []

    def colcon(*_arguments: object) -> None:
        install = space.root / "install"
        found.extend(sorted(p.name for p in install.glob("*") if p.is_dir()))
        for name in space.inputs():
            if name:
                (install / name).mkdir(parents=True, exist_ok=True)
        if failing:
            raise SetupError("colcon build failed")

    monkeypatch.setattr(workspace, "run", colcon)
    monkeypatch.setattr(Workspace, "_exports", lambda _self: {})
    space.build(Steps(space.steps(), quiet=True))
    return found


def test_a_build_keeps_what_did_not_change(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = space.root / "src" / "servo_inv" / "package.xml"
    other.parent.mkdir()
    other.write_text("<package/>")
    assert build_with(space, monkeypatch) == []
    assert space.is_ready()
    other.write_text("<package></package>")
    assert build_with(space, monkeypatch) == ["stride_bringup"]


def test_a_removed_package_does_not_stay_installed(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = space.root / "src" / "servo_inv" / "package.xml"
    other.parent.mkdir()
    other.write_text("<package/>")
    build_with(space, monkeypatch)
    other.unlink()
    assert build_with(space, monkeypatch) == ["stride_bringup"]


def test_a_failed_build_is_not_ready(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    build_with(space, monkeypatch)
    (space.root / "src" / "stride_bringup" / "setup.py").write_text("broken")
    with pytest.raises(SetupError):
        build_with(space, monkeypatch, failing=True)
    assert not space.is_ready()
