"""Where robots are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from stride_base.errors import RefusedError
from stride_bringup.robots import find_robot, robot_folders


def test_a_name_is_looked_for_in_the_folders_in_order(robot: Path, tmp_path: Path) -> None:
    other = tmp_path / "installed" / "biped"
    other.mkdir(parents=True)
    found = find_robot("biped", [tmp_path / "absent", robot.parent, other.parent])
    assert (found.name, found.folder) == ("biped", robot)


def test_a_path_is_taken_as_it_is(robot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(robot.parent)
    assert find_robot("./biped").folder == robot
    assert find_robot(str(robot)).folder == robot
    monkeypatch.chdir(robot)
    assert find_robot(".").folder == robot


def test_an_unknown_name_lists_what_there_is(robot: Path) -> None:
    (robot.parent / "quadruped").mkdir()
    with pytest.raises(RefusedError, match="'crab'; there are biped, quadruped, or give the path"):
        find_robot("crab", [robot.parent])


@pytest.mark.parametrize("lacking", ["control.json", "robot.yaml"])
def test_an_incomplete_folder_says_what_it_lacks(robot: Path, lacking: str) -> None:
    (robot / lacking).unlink()
    with pytest.raises(RefusedError, match=f"has no {lacking}"):
        find_robot(str(robot))


def test_a_path_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="nowhere does not exist"):
        find_robot(str(tmp_path / "nowhere"))


def test_an_empty_name_is_no_robot(robot: Path) -> None:
    with pytest.raises(RefusedError, match="there is no robot ''"):
        find_robot("", [robot.parent])


def test_the_source_tree_comes_first() -> None:
    assert (robot_folders()[0] / "hexapod").is_dir()


def test_paths_that_nothing_can_be_at_are_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (f"/{'x' * 5000}", "x" * 5000, f"{loop}/robot", "~no-such-user/robot"):
        with pytest.raises(RefusedError, match=r"cannot be looked for|does not exist|no robot"):
            find_robot(path, [tmp_path])
