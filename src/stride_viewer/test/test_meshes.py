"""Meshes: only files that the URDF names are served, and what cannot be shown is said."""

from __future__ import annotations

from pathlib import Path

from stride_viewer.page.meshes import Meshes
from stride_viewer.robot_model import RobotModel


def robot(*meshes: str) -> RobotModel:
    visuals = "".join(
        f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>' for mesh in meshes
    )
    return RobotModel.from_text(f'<robot name="r"><link name="base">{visuals}</link></robot>')


def test_a_mesh_beside_the_urdf_gets_an_address_and_no_other_file_has_one(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_text("solid arm")
    (tmp_path / "secret.stl").write_text("solid secret")
    meshes = Meshes(tmp_path)
    scene = meshes.scene(robot("arm.stl"))
    assert scene is not None
    assert scene["links"]["base"][0]["url"] == "/mesh/0/arm.stl"
    assert meshes.file(0) == tmp_path / "arm.stl"
    assert meshes.file(1) is meshes.file(-1) is None


def test_meshes_that_cannot_be_shown_are_named(tmp_path: Path) -> None:
    (tmp_path / "arm.dae").write_text("collada")
    meshes = Meshes(tmp_path)
    scene = meshes.scene(
        robot("arm.dae", "package://nowhere/leg.stl", "file:///etc/passwd", "missing.stl")
    )
    note = meshes.note(scene, "")
    assert note.startswith("4 meshes cannot be shown (")
    assert "arm.dae" in note and "only STL and glTF" in note
    assert meshes.note(meshes.scene(robot()), "") == ""
    assert meshes.note(scene, "no robot") == "no robot"
