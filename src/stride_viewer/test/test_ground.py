"""Contacts, support polygon, margin and tilt, from joint angles alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from stride_viewer.ground import look
from stride_viewer.robot_model import RobotModel

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod" / "robot.urdf"
#: Lifts a foot well off the ground.
LIFTED = 0.5


@pytest.fixture(scope="module")
def hexapod() -> RobotModel:
    return RobotModel.from_text(HEXAPOD.read_text(), "robot.urdf")


def test_a_standing_robot_stands_on_all_feet(hexapod: RobotModel) -> None:
    ground = look(hexapod, {})
    assert ground.touching.all()
    assert len(ground.polygon) == 6
    assert np.allclose(ground.orientation, (0.0, 0.0, 0.0, 1.0), atol=1e-6)
    # Feet end 85 mm and a foot's radius below the joints' plane.
    assert math.isclose(ground.height, -float(ground.feet[0, 2]), abs_tol=1e-5)
    assert ground.margin > 0.05


def test_lifted_feet_do_not_carry(hexapod: RobotModel) -> None:
    ground = look(hexapod, {"fl_femur": LIFTED, "mr_femur": LIFTED, "rl_femur": LIFTED})
    down = [foot.link[:2] for foot, down in zip(hexapod.feet, ground.touching, strict=True) if down]
    assert sorted(down) == ["fr", "ml", "rr"]
    assert len(ground.polygon) == 3
    assert 0.0 < ground.margin < look(hexapod, {}).margin


def test_a_body_that_leans_is_turned_so_that_its_feet_are_level(hexapod: RobotModel) -> None:
    """Legs of one side bent alike: the body rolls, and all feet stay on one plane."""
    right = {
        f"{leg}_{joint}": value
        for leg in ("fr", "mr", "rr")
        for joint, value in (("femur", -0.15), ("tibia", 0.05))
    }
    ground = look(hexapod, right)
    level = Rotation.from_quat(ground.orientation)
    heights = level.apply(ground.feet)[ground.touching, 2] + ground.height
    assert np.allclose(heights, 0.0, atol=0.003)
    roll = level.as_euler("xyz")[0]
    assert abs(roll) > 0.03


def test_a_robot_that_lies_does_not_stand_on_its_feet(hexapod: RobotModel) -> None:
    """Legs folded up until the body's underside is on the ground."""
    folded = {f"{leg}_femur": 0.66 for leg in ("fl", "ml", "rl", "fr", "mr", "rr")}
    ground = look(hexapod, folded)
    assert not ground.touching.any()
    assert len(ground.polygon) == 0
    assert math.isnan(ground.margin)
    assert math.isclose(ground.height, 0.035, abs_tol=1e-6), "the lowest plate is on the ground"


def test_a_robot_without_round_feet_has_no_polygon() -> None:
    model = RobotModel.from_text('<robot name="r"><link name="base"/></robot>')
    ground = look(model, {})
    assert len(ground.feet) == 0
    assert math.isnan(ground.margin)
    assert ground.height == 0.0
