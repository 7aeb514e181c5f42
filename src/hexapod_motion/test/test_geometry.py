"""The geometry file: what is wrong with it is said by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from hexapod_motion.geometry import load_geometry
from stride_base.errors import ConfigError


@pytest.fixture
def load_changed(tmp_path: Path, robot_folder: Path) -> Callable[[Callable[[Any], None]], None]:
    """Loads the robot's geometry after a change to its document."""

    def load(change: Callable[[Any], None]) -> None:
        document = yaml.safe_load((robot_folder / "geometry.yaml").read_text(encoding="utf-8"))
        change(document)
        path = tmp_path / "geometry.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        load_geometry(path)

    return load


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda d: d.pop("femur"), r"geometry.yaml: 'femur' is missing; expected a length"),
    (lambda d: d.update(tibia=float("nan")), r"'tibia' is nan; expected a finite number"),
    (lambda d: d.update(tibia="141"), r"'tibia' is '141'; expected a length"),
    (lambda d: d.update(knee=1), r"'knee' is 1; expected only the fields coxa"),
    (lambda d: d["limbs"].pop(), r"'limbs' is .*; expected six limbs"),
    (lambda d: d["limbs"][2].pop("stand"), r"limb 2 \(rl\): 'stand' is missing"),
    (lambda d: d["limbs"][4].update(side="middle"), r"limb 4 \(mr\): 'side' is 'middle'"),
    (lambda d: d["limbs"][1].update(name="fl"), r"limb 1: 'name' is 'fl'; expected a name of its"),
    (lambda d: d["limits"].update(femur=[120, 0]), r"limits: 'femur' is \[120, 0\]; expected the l"),
    (lambda d: d["limbs"][5].update(stand=[250, -85, -250]), r"limb 5 \(rr\): 'stand' .*too far"),
    (lambda d: d["limbs"][5].update(stand=[88, -80, -88]), r"limb 5 \(rr\): 'stand' .*one height"),
    (lambda d: d["limbs"][0].update(mount=[53, 104]), r"limb 0 \(fl\): 'mount' .*x < 0 on the left"),
    (lambda d: d["joint_signs"]["left"].update(coxa=0), r"joint_signs left: 'coxa' is 0; expected 1"),
    (lambda d: d["body"].update(floor=5), r"body: 'floor' is 5; expected a number from -1000 to 0"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_wrong_value_is_named(load_changed: Any, change: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_changed(change)


def test_the_robot_is_read(load_changed: Any) -> None:
    load_changed(lambda document: None)
