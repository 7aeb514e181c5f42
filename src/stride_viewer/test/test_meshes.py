"""Meshes that a description names: what may be served, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from stride_viewer.page.meshes import Meshes
from stride_viewer.robot_model import RobotModel

URDF = """<robot name="one"><link name="base"><visual><geometry>
<mesh filename="{name}"/></geometry></visual></link></robot>"""


def url_of(meshes: Meshes, name: str) -> str:
    scene = meshes.scene(RobotModel.from_text(URDF.format(name=name)))
    assert scene is not None
    return str(scene["links"]["base"][0]["url"])


def test_a_mesh_beside_the_urdf_is_served_by_number(tmp_path: Path) -> None:
    mesh = tmp_path / "leg.stl"
    mesh.touch()
    meshes = Meshes(tmp_path)
    assert url_of(meshes, "leg.stl") == url_of(meshes, f"file://{mesh}") == "/mesh/0/leg.stl"
    assert meshes.file(0) == mesh
    assert meshes.file(1) is meshes.file(-1) is None


@pytest.mark.parametrize(
    "name",
    [
        "file:///etc/passwd",
        "../../../../etc/passwd",
        "package://no_such_package/leg.stl",
        "https://example.com/leg.stl",
        "http://[::1/leg.stl",
        "package://[/leg.stl",
        "file:///a%00b.stl",
        5000 * "a" + ".stl",
    ],
)
def test_what_is_no_mesh_of_this_computer_is_left_out(tmp_path: Path, name: str) -> None:
    meshes = Meshes(tmp_path)
    assert url_of(meshes, name) == ""
    assert meshes.file(0) is None
