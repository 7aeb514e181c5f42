"""What may be handed over, and which files of it are meant."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from joint_module.errors import ModelError, UntrustedInputError
from joint_module.source import GENERATED, opened

MJCF = '<mujoco><actuator><motor joint="motor" ctrlrange="-1 1"/></actuator></mujoco>'


def _zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder))
    return path


def test_a_zip_is_unpacked_while_it_is_needed(gear: Any, tmp_path: Path) -> None:
    gear.write("deep/gear.urdf")
    with opened(_zipped(gear.folder, tmp_path / "upload.zip")) as source:
        assert source.urdf.read_text() == gear.text()
        assert source.urdf.is_relative_to(source.root)
    assert not source.root.exists()


def test_a_zip_is_known_by_its_content_too(gear: Any, tmp_path: Path) -> None:
    gear.write()
    with opened(_zipped(gear.folder, tmp_path / "upload.bin")) as source:
        assert source.urdf.name == "gear.urdf"


@pytest.mark.parametrize("name", ["nothing", "readme.txt"])
def test_other_things_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("hello")
    with pytest.raises(ModelError, match="no zip, no folder"), opened(tmp_path / name):
        pass


def test_a_folder_without_urdf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds no \.urdf"), opened(tmp_path):
        pass


def test_a_folder_with_xacro_alone_is_told_to_expand_it(tmp_path: Path) -> None:
    (tmp_path / "gear.urdf.xacro").write_text("")
    with pytest.raises(ModelError, match="expand its xacro"), opened(tmp_path):
        pass


def test_several_urdfs_are_listed_and_one_can_be_chosen(gear: Any) -> None:
    gear.write("one/gear.urdf")
    gear.write("two/gear.urdf")
    gear.write("two/other.urdf")
    listed = r"--urdf.*one/gear\.urdf.*two/other\.urdf"
    with pytest.raises(ModelError, match=listed), opened(gear.folder):
        pass
    with opened(gear.folder, "other.urdf") as source:
        assert source.urdf.name == "other.urdf"
    with opened(gear.folder, "two/gear.urdf") as source:
        assert source.urdf.parent.name == "two"
    called = r"2 files called 'gear\.urdf'"
    with pytest.raises(ModelError, match=called), opened(gear.folder, "gear.urdf"):
        pass


def test_a_urdf_that_is_a_link_out_of_the_folder_is_not_seen(gear: Any, tmp_path: Path) -> None:
    target = gear.write()
    (tmp_path / "upload").mkdir()
    (tmp_path / "upload" / "gear.urdf").symlink_to(target)
    with pytest.raises(ModelError, match="holds no"), opened(tmp_path / "upload"):
        pass


def test_a_urdf_named_directly_is_meant_whatever_lies_around(gear: Any) -> None:
    path = gear.write()
    gear.write("other.urdf")
    with opened(path) as source:
        assert (source.urdf, source.root) == (path.resolve(), path.parent.resolve())


def test_a_hand_written_mjcf_with_an_actuator_is_taken(gear: Any) -> None:
    gear.write()
    (gear.folder / "motor.xml").write_text(MJCF)
    (gear.folder / "package.xml").write_text("<package/>")
    (gear.folder / "scene.xml").write_text("<mujoco><worldbody/></mujoco>")
    with opened(gear.folder) as source:
        assert source.mjcf and source.mjcf.name == "motor.xml"


def test_our_own_output_is_no_source(gear: Any) -> None:
    gear.write()
    (gear.folder / "gear.xml").write_text(f"<!-- {GENERATED} -->\n{MJCF}")
    with opened(gear.folder) as source:
        assert source.mjcf is None


def test_several_mjcf_are_listed_and_one_can_be_chosen(gear: Any, tmp_path: Path) -> None:
    gear.write()
    for path in (gear.folder / "a.xml", gear.folder / "b.xml", tmp_path / "c.xml"):
        path.write_text(MJCF)
    with pytest.raises(ModelError, match=r"'a\.xml', 'b\.xml'.*--mjcf"), opened(gear.folder):
        pass
    with opened(gear.folder, mjcf="b.xml") as source:
        assert source.mjcf and source.mjcf.name == "b.xml"
    with opened(gear.folder, mjcf=str(tmp_path / "c.xml")) as source:
        assert source.mjcf == tmp_path / "c.xml"
    with pytest.raises(ModelError, match=r"no MJCF 'd\.xml'"), opened(gear.folder, mjcf="d.xml"):
        pass


def test_a_mjcf_with_entities_is_refused(gear: Any) -> None:
    gear.write()
    (gear.folder / "motor.xml").write_text(f"<!DOCTYPE mujoco>{MJCF}")
    with pytest.raises(UntrustedInputError, match=r"motor\.xml"), opened(gear.folder):
        pass
