"""robot.xml and robot.urdf of the hexapod: up to date, alike, and what the controller takes them for."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml

from servo_sim.hexapod import load_hexapod
from servo_sim.make_model import check_model_files, main, model_files
from stride_base.errors import ConfigError, RefusedError
from stride_base.strict_json import FileError

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("geometry.yaml", "body.yaml"):
        shutil.copy(HEXAPOD / name, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(HEXAPOD / "robot.xml"))


def servos() -> list[dict[str, object]]:
    return list(json.loads((HEXAPOD / "control.json").read_text())["servos"])


def test_the_files_in_the_repository_are_up_to_date() -> None:
    check_model_files(HEXAPOD)


def test_a_changed_file_is_out_of_date(folder: Path) -> None:
    with pytest.raises(RefusedError, match=r"robot\.xml is out of date"):
        check_model_files(folder)
    main([str(folder)], standalone_mode=False)
    check_model_files(folder)
    (folder / "robot.urdf").write_text("<robot/>")
    with pytest.raises(RefusedError, match=r"robot\.urdf is out of date"):
        check_model_files(folder)


def test_joints_are_those_of_the_servos_with_the_same_limits(model: mujoco.MjModel) -> None:
    for servo in servos():
        joint = model.joint(servo["name"])
        np.testing.assert_allclose(joint.range, (servo["min"], servo["max"]), atol=1e-4)
    assert model.njnt == 19


def test_it_weighs_what_such_a_robot_weighs(model: mujoco.MjModel) -> None:
    assert 2.5 <= model.body_mass.sum() <= 4.0
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, i) for i in range(model.ngeom)]
    assert sum("servo" in (name or "") for name in names) == 18
    assert load_hexapod(HEXAPOD).mass == pytest.approx(model.body_mass.sum())


def test_feet_stand_where_the_geometry_has_them(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    radius = yaml.safe_load((HEXAPOD / "body.yaml").read_text())["leg"]["foot"]["radius"]
    for limb in yaml.safe_load((HEXAPOD / "geometry.yaml").read_text())["limbs"]:
        right, forward = limb["mount"]
        outward, up, ahead = limb["stand"]
        side = 1 if limb["side"] == "left" else -1
        tip = np.array([forward + ahead, -right + side * outward, 85 + up]) / 1000
        shin = data.body(f"{limb['name']}_tibia")
        end = shin.xpos + 0.141 * shin.xmat.reshape(3, 3)[:, 0]
        np.testing.assert_allclose(end, tip, atol=1e-6)
        sphere = data.geom(f"{limb['name']}_foot").xpos
        assert np.linalg.norm(sphere - end) == pytest.approx(radius / 1000, abs=1e-6)


@pytest.mark.parametrize(
    ("joint", "where"),
    [
        ("fl_coxa", (-1, 1, 0)),
        ("fr_coxa", (1, 1, 0)),
        ("fl_femur", (0, 0, 1)),
        ("rr_tibia", (0, 0, 1)),
    ],
)
def test_positive_angles_turn_as_the_readme_says(
    model: mujoco.MjModel, joint: str, where: tuple[int, int, int]
) -> None:
    foot = f"{joint.split('_')[0]}_foot"
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before = data.geom(foot).xpos.copy()
    data.joint(joint).qpos[0] = 0.1
    mujoco.mj_forward(model, data)
    moved = data.geom(foot).xpos - before
    for axis, sign in enumerate(where):
        if sign:
            assert moved[axis] * sign > 0.002


def test_urdf_and_mjcf_are_the_same_robot(model: mujoco.MjModel, tmp_path: Path) -> None:
    text = (HEXAPOD / "robot.urdf").read_text()
    # A floating root keeps MuJoCo from merging the base into the world.
    text = text.replace(
        '<joint name="fl_coxa"',
        '<link name="ground"/><joint name="floating" type="floating"><parent link="ground"/>'
        '<child link="base_link"/></joint><joint name="fl_coxa"',
        1,
    )
    urdf = mujoco.MjModel.from_xml_string(text)
    ours, theirs = mujoco.MjData(model), mujoco.MjData(urdf)
    ours.qpos[2] = 0.0
    angles = np.random.default_rng(0).uniform(-0.3, 0.3, 18)
    ours.qpos[7:], theirs.qpos[7:] = angles, angles
    mujoco.mj_forward(model, ours)
    mujoco.mj_forward(urdf, theirs)
    for body in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        assert urdf.body(name).mass[0] == pytest.approx(model.body(name).mass[0])
        inertia = np.sort(model.body(name).inertia)
        np.testing.assert_allclose(np.sort(urdf.body(name).inertia), inertia, rtol=1e-3)
        np.testing.assert_allclose(theirs.body(name).xipos, ours.body(name).xipos, atol=1e-6)


def test_the_body_has_the_frame_that_odometry_and_tf_call_base_link() -> None:
    urdf = ElementTree.fromstring((HEXAPOD / "robot.urdf").read_text())
    children = {child.attrib["link"] for child in urdf.findall("joint/child")}
    assert {link.attrib["name"] for link in urdf.findall("link")} - children == {"base_link"}


def test_the_imu_of_the_urdf_is_where_that_of_the_mjcf_measures(model: mujoco.MjModel) -> None:
    urdf = ElementTree.fromstring((HEXAPOD / "robot.urdf").read_text())
    (joint,) = [j for j in urdf.findall("joint") if j.find("child[@link='imu_link']") is not None]
    assert joint.attrib["type"] == "fixed"
    assert joint.find("parent[@link='base_link']") is not None and joint.find("origin") is None
    site = model.site("imu")
    assert model.body(site.bodyid[0]).name == "base_link"
    assert not site.pos.any() and site.quat.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("body.yaml", {"servo": {"mass": -1, "size": [1, 1, 1]}}, "'mass' is -1; expected a mass"),
        ("body.yaml", {"colors": {}}, "'color' is 'frame'; expected one of the colors"),
        ("geometry.yaml", {"coxa": "long"}, "'coxa' is 'long'; expected a length in mm"),
        ("geometry.yaml", {"femur": 10}, "'stand' is .*expected a foot in reach"),
    ],
)
def test_wrong_values_are_named(
    folder: Path, file: str, change: dict[str, object], message: str
) -> None:
    document = {**yaml.safe_load((folder / file).read_text()), **change}
    (folder / file).write_text(yaml.safe_dump(document))
    with pytest.raises(ConfigError, match=message):
        model_files(folder)


def test_a_folder_without_the_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"geometry\.yaml: cannot be read"):
        model_files(tmp_path)
