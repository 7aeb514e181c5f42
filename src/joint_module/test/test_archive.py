"""A zip from a stranger: what is unpacked, and what is refused before anything is written."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joint_module import archive
from joint_module.errors import ModelError, UntrustedInputError


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "deep" / "target"
    folder.mkdir(parents=True)
    return folder


def _zip(tmp_path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    path = tmp_path / "upload.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in entries:
            opened.writestr(name, data)
    return path


def _refused(path: Path, target: Path, words: str) -> None:
    with pytest.raises(UntrustedInputError, match=words) as caught:
        archive.unpack(path, target)
    assert "upload.zip" in str(caught.value)
    assert list(target.iterdir()) == []
    assert [entry.name for entry in target.parent.iterdir()] == ["target"]


def test_files_are_unpacked_into_their_folders(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path, ("gear/gear.urdf", b"<robot/>"), ("gear/meshes/a.stl", b"solid"))
    archive.unpack(path, target)
    assert (target / "gear" / "gear.urdf").read_bytes() == b"<robot/>"
    assert (target / "gear" / "meshes" / "a.stl").read_bytes() == b"solid"


def test_litter_of_desktop_systems_is_left_out(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path, ("a.urdf", b""), ("__MACOSX/._a.urdf", b""), (".DS_Store", b""))
    archive.unpack(path, target)
    assert [entry.name for entry in target.iterdir()] == ["a.urdf"]


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "a/..", "meshes\\..\\..\\evil", "..\\evil"]
)
def test_a_path_that_leads_out_is_refused(name: str, tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, ("good", b""), (name, b"x")), target, "leads out")


@pytest.mark.parametrize("name", ["/etc/evil", "C:/evil", "c:evil", "\\\\host\\evil"])
def test_an_absolute_path_is_refused(name: str, tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, ("good", b""), (name, b"x")), target, "absolute path")


def _special(name: str, kind: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o777) << 16
    return entry


def test_a_symbolic_link_is_refused(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path, ("good", b""), (_special("meshes", stat.S_IFLNK), b"/etc"))
    _refused(path, target, "'meshes' is a link")


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_device_is_refused(kind: int, tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, (_special("device", kind), b"")), target, "neither file nor folder")


def test_a_path_that_stands_twice_is_refused(tmp_path: Path, target: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = _zip(tmp_path, ("gear.urdf", b"one"), ("gear.urdf", b"two"))
    _refused(path, target, "'gear.urdf' twice")


def test_paths_that_differ_in_case_alone_are_refused(tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, ("gear.urdf", b"one"), ("GEAR.urdf", b"two")), target, "twice")


def test_a_path_of_a_thousand_characters_is_refused(tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, ("a/" * 600 + "b", b"")), target, "1201 characters")


def test_too_many_files_are_refused(tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, *((f"{n}", b"") for n in range(2001))), target, "2001 files")


def test_a_file_that_unpacks_a_thousandfold_is_refused(tmp_path: Path, target: Path) -> None:
    _refused(_zip(tmp_path, ("bomb", bytes(8 * 1024 * 1024))), target, "'bomb'.*zip bomb")


def test_a_small_file_may_be_as_empty_as_it_likes(tmp_path: Path, target: Path) -> None:
    archive.unpack(_zip(tmp_path, ("zeros", bytes(500_000))), target)


def _patched(path: Path, signature: bytes, offset: int, value: bytes) -> Path:
    """Overwrites a field of every record with this signature."""
    data = bytearray(path.read_bytes())
    place = data.find(signature)
    while place >= 0:
        data[place + offset : place + offset + len(value)] = value
        place = data.find(signature, place + 4)
    path.write_bytes(data)
    return path


def test_a_file_that_claims_to_be_huge_is_refused(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path, ("mesh.stl", b"x" * 100))
    _patched(path, b"PK\1\2", 24, struct.pack("<I", 200 * 1024 * 1024))
    _refused(path, target, "'mesh.stl' unpacks to 209715200 bytes")


def test_many_files_that_are_huge_together_are_refused(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAXIMUM_TOTAL_BYTES", 1000)
    _refused(_zip(tmp_path, ("a", b"x" * 600), ("b", b"y" * 600)), target, "unpacks to 1200 bytes")


def test_a_file_that_is_larger_than_it_claims_is_not_written_whole(
    tmp_path: Path, target: Path
) -> None:
    path = _zip(tmp_path, ("a", bytes(300_000)))
    _patched(path, b"PK\1\2", 24, struct.pack("<I", 1000))
    with pytest.raises((UntrustedInputError, ModelError)):
        archive.unpack(path, target)
    assert sum(file.stat().st_size for file in target.iterdir()) <= 1000


def test_files_that_share_their_bytes_are_refused(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path, ("a", b"x" * 100), ("b", b"x" * 100))
    _patched(path, b"PK\1\2", 42, struct.pack("<I", 0))
    _refused(path, target, "shares its bytes")


def test_an_encrypted_file_is_refused(tmp_path: Path, target: Path) -> None:
    path = _patched(_zip(tmp_path, ("a", b"x")), b"PK\1\2", 8, struct.pack("<H", 1))
    _refused(path, target, "encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_methods_that_need_much_memory_are_refused(
    method: int, tmp_path: Path, target: Path
) -> None:
    path = tmp_path / "upload.zip"
    with zipfile.ZipFile(path, "w", method) as opened:
        opened.writestr("a", b"x" * 100)
    _refused(path, target, "use deflate")


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\3\4" + bytes(100), b"no zip at all"])
def test_a_file_that_is_no_zip_is_refused(data: bytes, tmp_path: Path, target: Path) -> None:
    (tmp_path / "upload.zip").write_bytes(data)
    with pytest.raises(ModelError, match=r"upload\.zip.*no zip"):
        archive.unpack(tmp_path / "upload.zip", target)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(place=st.integers(0, 400), value=st.integers(0, 255), cut=st.integers(0, 400))
def test_a_damaged_zip_is_read_or_refused_and_never_writes_outside(
    place: int, value: int, cut: int, tmp_path: Path
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("gear/gear.urdf", b"<robot/>" * 5)
        opened.writestr("gear/a.stl", b"solid" * 5)
    data = bytearray(buffer.getvalue())
    data[place % len(data)] = value
    if cut < len(data):
        data = data[: len(data) - cut // 8]
    path, target = tmp_path / "upload.zip", tmp_path / "deep" / "target"
    path.write_bytes(data)
    target.mkdir(parents=True, exist_ok=True)
    try:
        archive.unpack(path, target)
    except (ModelError, UntrustedInputError):
        pass
    finally:
        outside = {entry.name for entry in tmp_path.iterdir()}
        assert outside == {"upload.zip", "deep"}
        for entry in sorted(target.rglob("*"), reverse=True):
            entry.rmdir() if entry.is_dir() else entry.unlink()
