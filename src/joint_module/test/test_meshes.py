"""Meshes of a stranger: where they may lie, what they may be, and what they are called in the end."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joint_module import mesh_bundle, mesh_check, urdf_reader
from joint_module.errors import ModelError, UntrustedInputError
from joint_module.mesh_bundle import MeshBundle
from joint_module.source import Source, opened

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS).encode() + b"".join(
    f"f {a + 1} {b + 1} {c + 1}\n".encode() for a, b, c in FACES
)
TEXT_STL = (
    b"solid gear\n"
    + b"".join(
        b"facet normal 0 0 0\nouter loop\n"
        + b"".join("vertex {} {} {}\n".format(*CORNERS[corner]).encode() for corner in face)
        + b"endloop\nendfacet\n"
        for face in FACES
    )
    + b"endsolid gear\n"
)


def stl(count: int = 4, header: bytes = b"") -> bytes:
    triangle = struct.pack("<12fH", 0, 0, 0, *CORNERS[[0, 2, 1]].ravel(), 0)
    return header.ljust(80, b"\0") + struct.pack("<I", count) + triangle * count


def put(path: Path, data: bytes = OBJ) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def collect(gear: Any, *uris: str, roots: tuple[Path, ...] = (), where: str = "") -> MeshBundle:
    """The meshes of a gear whose base shows `uris`; its URDF lies in the folder `where`."""
    shapes = [f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in uris]
    gear.link("base", "".join(shapes))
    gear.write(f"{where}gear.urdf")
    with opened(gear.folder, "gear.urdf") as source:
        return mesh_bundle.collect(urdf_reader.read(source.urdf), source, roots)


def refused(gear: Any, uri: str, words: str, **options: Any) -> None:
    with pytest.raises((UntrustedInputError, ModelError), match=words) as caught:
        collect(gear, uri, **options)
    assert "link 'base'" in str(caught.value)


def test_a_relative_path_starts_at_the_urdf(gear: Any) -> None:
    put(gear.folder / "urdf" / "meshes" / "a.obj")
    found = collect(gear, "meshes/a.obj", where="urdf/")
    assert found.names == {"meshes/a.obj": "a.obj"} and found.files == {"a.obj": OBJ}


def test_a_relative_path_may_go_up_inside_the_folder(gear: Any) -> None:
    put(gear.folder / "meshes" / "a.obj")
    assert collect(gear, "../meshes/a.obj", where="urdf/").names == {"../meshes/a.obj": "a.obj"}


def test_a_package_may_be_a_folder_of_the_source(gear: Any) -> None:
    put(gear.folder / "my_gear" / "meshes" / "a.obj")
    assert collect(gear, "package://my_gear/meshes/a.obj").files == {"a.obj": OBJ}


def test_a_package_may_lie_beside_the_urdfs_folder(gear: Any) -> None:
    put(gear.folder / "ros" / "my_gear" / "meshes" / "a.obj")
    found = collect(gear, "package://my_gear/meshes/a.obj", where="ros/my_gear/urdf/")
    assert found.files == {"a.obj": OBJ}


def test_a_source_that_is_the_packages_content_is_the_package(gear: Any) -> None:
    put(gear.folder / "meshes" / "a.obj")
    assert collect(gear, "package://my_gear/meshes/a.obj").files == {"a.obj": OBJ}


def test_a_package_is_known_by_its_manifest(gear: Any) -> None:
    put(gear.folder / "checkout" / "package.xml", b"<package><name>my_gear</name></package>")
    put(gear.folder / "checkout" / "meshes" / "a.obj")
    found = collect(gear, "package://my_gear/meshes/a.obj", where="checkout/urdf/")
    assert found.files == {"a.obj": OBJ}


@pytest.mark.parametrize("given", ["roots", "roots/my_gear"])
def test_package_roots_are_asked_first(given: str, gear: Any, tmp_path: Path) -> None:
    put(tmp_path / "roots" / "my_gear" / "a.obj", OBJ + b"# of the root\n")
    put(gear.folder / "my_gear" / "a.obj")
    found = collect(gear, "package://my_gear/a.obj", roots=(tmp_path / given,))
    assert found.files["a.obj"].endswith(b"# of the root\n")


def test_percent_signs_of_a_package_uri_are_decoded(gear: Any) -> None:
    put(gear.folder / "my_gear" / "a b.obj")
    assert collect(gear, "package://my_gear/a%20b.obj").files == {"a_b.obj": OBJ}


@pytest.mark.parametrize(
    "uri",
    [
        "package://my_gear/../secret.obj",
        "package://my_gear/meshes/../../../secret.obj",
        "package://../secret.obj",
        "package://my_gear/%2e%2e/secret.obj",
        "package://my_gear/..\\secret.obj",
    ],
)
def test_a_package_path_with_two_dots_is_refused(uri: str, gear: Any) -> None:
    put(gear.folder / "secret.obj")
    put(gear.folder / "my_gear" / "a.obj")
    refused(gear, uri, "leads out of its package")


@pytest.mark.parametrize("uri", ["../secret.obj", "meshes/../../secret.obj", "..\\secret.obj"])
def test_a_path_that_leads_out_of_the_folder_is_refused(uri: str, gear: Any) -> None:
    put(gear.folder.parent / "secret.obj")
    put(gear.folder / "meshes" / "a.obj")
    refused(gear, uri, "leads out of the module's folder")


@pytest.mark.parametrize(
    "uri",
    [
        "/etc/passwd",
        "C:/secret.obj",
        "\\\\host\\secret.obj",
        "~/secret.obj",
        "package:///etc/passwd",
    ],
)
def test_an_absolute_path_is_refused(uri: str, gear: Any) -> None:
    refused(gear, uri, "is an absolute path")


@pytest.mark.parametrize("scheme", ["file", "http", "model", "ftp"])
def test_other_schemes_are_refused(scheme: str, gear: Any) -> None:
    refused(gear, f"{scheme}:///etc/passwd", "neither package")


def test_a_link_out_of_the_folder_is_refused(gear: Any) -> None:
    secret = put(gear.folder.parent / "secret.obj")
    (gear.folder / "meshes").mkdir(parents=True)
    (gear.folder / "meshes" / "a.obj").symlink_to(secret)
    refused(gear, "meshes/a.obj", "leads out")


def test_a_folder_linked_from_outside_is_refused(gear: Any) -> None:
    put(gear.folder.parent / "elsewhere" / "a.obj")
    gear.folder.mkdir()
    (gear.folder / "my_gear").symlink_to(gear.folder.parent / "elsewhere")
    refused(gear, "package://my_gear/a.obj", "leads out")


def test_a_link_out_of_a_package_root_is_refused(gear: Any, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.obj")
    (tmp_path / "root" / "my_gear").mkdir(parents=True)
    (tmp_path / "root" / "my_gear" / "a.obj").symlink_to(secret)
    refused(gear, "package://my_gear/a.obj", "leads out", roots=(tmp_path / "root",))


def test_a_link_inside_the_folder_is_followed(gear: Any) -> None:
    real = put(gear.folder / "real.obj")
    (gear.folder / "a.obj").symlink_to(real)
    assert collect(gear, "a.obj").files == {"real.obj": OBJ}


def test_a_link_to_itself_is_refused(gear: Any) -> None:
    gear.folder.mkdir()
    (gear.folder / "a.obj").symlink_to("a.obj")
    refused(gear, "a.obj", "a link to itself|not found")


@pytest.mark.parametrize(
    "uri", ["a.obj", "package://my_gear/a.obj", "package://a.obj", "folder.obj"]
)
def test_a_missing_mesh_is_refused_by_its_link(uri: str, gear: Any) -> None:
    (gear.folder / "folder.obj").mkdir(parents=True)
    refused(gear, uri, "was not found|names no file")


def test_same_base_names_from_two_folders_get_different_names(gear: Any) -> None:
    put(gear.folder / "left" / "gear.obj")
    put(gear.folder / "right" / "gear.obj", OBJ + b"# right\n")
    put(gear.folder / "right" / "GEAR.stl", stl())
    found = collect(gear, "left/gear.obj", "right/gear.obj", "right/GEAR.stl")
    assert list(found.names.values()) == ["gear.obj", "gear_2.obj", "GEAR_3.stl"]
    assert found.files["gear_2.obj"].endswith(b"# right\n")


def test_one_file_under_two_names_is_copied_once(gear: Any) -> None:
    put(gear.folder / "my_gear" / "a.obj")
    found = collect(gear, "my_gear/a.obj", "package://my_gear/a.obj")
    assert list(found.names.values()) == ["a.obj", "a.obj"] and list(found.files) == ["a.obj"]


def test_names_that_file_systems_dislike_are_cleaned(gear: Any) -> None:
    put(gear.folder / "sun & 'planet'?.obj")
    gear.link("base", "")
    assert list(collect(gear, "sun &amp; 'planet'?.obj").files) == ["sun_planet.obj"]


def test_formats_that_mujoco_cannot_read_are_left_out(gear: Any) -> None:
    put(gear.folder / "a.dae", b"<COLLADA/>")
    found = collect(gear, "a.dae")
    assert found.names == {} and found.left_out == ("a.dae",)


def test_what_cannot_be_read_anyway_need_not_be_there(gear: Any) -> None:
    assert collect(gear, "b.glb").left_out == ("b.glb",)


def test_what_cannot_be_read_anyway_must_still_lie_inside(gear: Any) -> None:
    refused(gear, "package://my_gear/../../a.dae", "leads out")
    refused(gear, "/etc/a.dae", "absolute")


def test_text_stl_becomes_binary(gear: Any) -> None:
    put(gear.folder / "a.stl", TEXT_STL)
    data = collect(gear, "a.stl").files["a.stl"]
    assert struct.unpack_from("<I", data, 80) == (4,) and len(data) == 84 + 4 * 50


def test_a_binary_stl_that_begins_like_text_is_binary(gear: Any) -> None:
    data = stl(header=b"solid by some CAD")
    put(gear.folder / "a.stl", data)
    assert collect(gear, "a.stl").files["a.stl"] == data


DAMAGED = {
    "empty.stl": b"",
    "cut.stl": stl()[:-1],
    "longer.stl": stl() + b"x",
    "billion.stl": bytes(80) + struct.pack("<I", 2**32 - 1),
    "none.stl": bytes(84),
    "nan.stl": stl()[:96] + struct.pack("<f", float("nan")) + stl()[100:],
    "words.stl": b"solid x\nvertex a b c\n",
    "two.stl": b"solid x\nvertex 0 0 0\nvertex 1 0 0\n",
    "empty.obj": b"",
    "points.obj": b"v 0 0 0\nv 1 0 0\n",
    "nan.obj": OBJ + b"v nan 0 0\n",
    "huge.obj": OBJ + b"v 1e30 0 0\n",
    "words.obj": OBJ + b"v a b c\n",
    "empty.msh": b"",
    "negative.msh": struct.pack("<4i", -1, 0, 0, 1),
    "cut.msh": struct.pack("<4i", 4, 0, 0, 4),
    "wild.msh": struct.pack("<4i", 4, 0, 0, 1) + CORNERS.tobytes() + struct.pack("<3i", 0, 1, 9),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_mesh_is_refused_by_name(name: str, gear: Any) -> None:
    put(gear.folder / name, DAMAGED[name])
    refused(gear, name, f"mesh '{name}' (is a damaged|holds)")


def test_meshes_of_many_triangles_are_refused(gear: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_check, "MAXIMUM_TRIANGLES", 3)
    msh = struct.pack("<4i", 4, 0, 0, 4) + CORNERS.tobytes() + np.array(FACES, np.int32).tobytes()
    for name, data in {"a.stl": stl(4), "t.stl": TEXT_STL, "a.obj": OBJ, "a.msh": msh}.items():
        put(gear.folder / name, data)
        refused(gear, name, "simplify it to at most 3")


def test_a_stl_of_more_triangles_than_mujoco_takes_is_refused(gear: Any) -> None:
    put(gear.folder / "a.stl", stl(200_001))
    refused(gear, "a.stl", "200001 triangles")


def test_a_mesh_file_of_a_gigabyte_is_refused_unread(gear: Any) -> None:
    with put(gear.folder / "a.stl").open("r+b") as file:
        file.truncate(2**30)
    refused(gear, "a.stl", "1073741824 bytes")


def test_many_meshes_that_are_huge_together_are_refused(
    gear: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mesh_bundle, "MAXIMUM_TOTAL_BYTES", 2 * len(OBJ) - 1)
    put(gear.folder / "a.obj")
    put(gear.folder / "b.obj")
    with pytest.raises(UntrustedInputError, match="bytes together"):
        collect(gear, "a.obj", "b.obj")


def test_a_msh_is_read(gear: Any) -> None:
    msh = struct.pack("<4i", 4, 0, 0, 4) + CORNERS.tobytes() + np.array(FACES, np.int32).tobytes()
    put(gear.folder / "a.msh", msh)
    assert collect(gear, "a.msh").files == {"a.msh": msh}


def test_the_source_keeps_its_root_without_links(gear: Any, tmp_path: Path) -> None:
    put(gear.folder / "a.obj")
    (tmp_path / "alias").symlink_to(gear.folder)
    collect(gear, "a.obj")
    with opened(tmp_path / "alias") as source:
        assert source == Source(gear.folder.resolve(), gear.folder.resolve() / "gear.urdf", None)
