"""A URDF's kinematics: checked against MuJoCo, which reads the same file independently."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from stride_base.errors import StrideError
from stride_viewer.robot_model import RobotModel

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod" / "robot.urdf"
TWO_LINKS = """
<robot name="two">
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry></visual>
  </link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/></joint>
</robot>
"""


@pytest.fixture(scope="module")
def hexapod() -> RobotModel:
    return RobotModel.from_text(HEXAPOD.read_text(), "robot.urdf")


@pytest.mark.parametrize("seed", range(5))
def test_poses_and_center_of_mass_are_those_of_mujoco(hexapod: RobotModel, seed: int) -> None:
    """MuJoCo's body frames are those of the URDF's links; fixed bodies must not be merged."""
    text = HEXAPOD.read_text().replace(
        '<robot name="hexapod">',
        '<robot name="hexapod"><mujoco><compiler fusestatic="false"/></mujoco>',
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    random = np.random.default_rng(seed)
    angles = {name: float(random.uniform(-1.0, 1.0)) for name in hexapod.joint_names}
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    poses = hexapod.poses(angles)
    base = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) for body in range(model.nbody)]
    compared = [name for name in poses if name in base]
    assert len(compared) >= 18
    root = np.eye(4)
    if hexapod.root in base:
        root[:3, :3] = data.body(hexapod.root).xmat.reshape(3, 3)
        root[:3, 3] = data.body(hexapod.root).xpos
    for name in compared:
        found = root @ poses[name]
        assert np.allclose(found[:3, 3], data.body(name).xpos, atol=1e-9)
        assert np.allclose(found[:3, :3], data.body(name).xmat.reshape(3, 3), atol=1e-9)


def test_feet_are_the_round_ends_of_the_legs(hexapod: RobotModel) -> None:
    assert len(hexapod.feet) == 6
    assert {foot.radius for foot in hexapod.feet} == {0.009}
    # Standing, with every joint at 0: all feet 85 mm below the body's middle.
    centers = hexapod.foot_centers(hexapod.poses({}))
    assert np.allclose(centers[:, 2], centers[0, 2], atol=1e-5)


def test_center_of_mass_is_the_mean_of_the_links(hexapod: RobotModel) -> None:
    center = hexapod.center_of_mass(hexapod.poses({}))
    assert center is not None
    assert abs(center[1]) < 1e-6
    assert -0.05 < center[2] < 0.05


def test_prismatic_joints_slide_along_their_axis() -> None:
    model = RobotModel.from_text(TWO_LINKS)
    assert np.allclose(model.poses({"lift": 0.25})["arm"][:3, 3], [0.0, 0.25, 1.0])


def test_an_angle_that_is_not_known_draws_the_joint_at_zero() -> None:
    model = RobotModel.from_text(TWO_LINKS)
    expected = model.poses({})["arm"]
    assert np.array_equal(model.poses({"lift": math.nan})["arm"], expected)


def test_mimic_joints_follow_their_master() -> None:
    text = TWO_LINKS.replace(
        "</robot>",
        """<link name="finger"/><joint name="follow" type="revolute"><parent link="arm"/>
        <child link="finger"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
        <mimic joint="lift" multiplier="2" offset="0.1"/></joint></robot>""",
    )
    model = RobotModel.from_text(text)
    assert model.joint_names == ("lift",)
    turned = np.linalg.inv(model.poses({"lift": 0.2})["arm"]) @ model.poses({"lift": 0.2})["finger"]
    assert math.isclose(math.atan2(turned[1, 0], turned[0, 0]), 0.5)


def test_the_scene_holds_every_shape_and_asks_for_meshes() -> None:
    text = TWO_LINKS.replace('<box size="1 2 3"/>', '<mesh filename="package://p/a.stl"/>')
    scene = RobotModel.from_text(text).scene(lambda uri: f"/mesh/{uri[-5:]}")
    assert scene["root"] == "base"
    assert scene["links"]["base"][0]["url"] == "/mesh/a.stl"
    assert scene["links"]["arm"][0]["kind"] == "sphere"
    assert scene["joints"][0]["axis"] == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no xml", "XML"),
        ("<robot name='r'><link name='a'/><link name='b'/></robot>", "tree"),
        (TWO_LINKS.replace('<child link="arm"/>', '<child link="leg"/>'), "tree"),
        (TWO_LINKS.replace('xyz="0 0 0.5"', 'xyz="0 0 nan"'), "nan"),
    ],
)
def test_what_is_no_robot_is_refused_in_one_sentence(text: str, word: str) -> None:
    with pytest.raises(StrideError, match=word) as caught:
        RobotModel.from_text(text, "robot.urdf")
    assert "robot.urdf" in str(caught.value)
    assert "\n" not in str(caught.value)
