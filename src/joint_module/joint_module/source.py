"""What a user hands over: a zip, a folder, or a URDF file with its folder."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from joint_module import archive, untrusted_xml
from joint_module.errors import ModelError

MAXIMUM_FILES = 20_000


@dataclass(frozen=True)
class Source:
    """A folder that holds one joint module.

    Args:
        root: The folder, without links in its path; nothing outside it is read.
        urdf: The URDF in it.
        mjcf: An MJCF written by hand, which tells torque limits and couplings; or None.
    """

    root: Path
    urdf: Path
    mjcf: Path | None


@contextmanager
def opened(path: Path, urdf: str | None = None, mjcf: str | None = None) -> Iterator[Source]:
    """The source at `path`; a zip is unpacked into a temporary folder while the context lasts.

    Args:
        path: Zip, folder or URDF file.
        urdf: Name or path within the source of its URDF, where there are several.
        mjcf: Path within the source of its MJCF, or path of one elsewhere.

    Raises:
        ModelError: nothing there; no URDF, or several and no choice.
        UntrustedInputError: a zip that must not be unpacked.
    """
    if path.is_dir():
        yield _in_folder(path, path, urdf, mjcf)
    elif path.suffix.lower() == ".urdf" and path.is_file():
        yield _beside(path, mjcf)
    elif path.is_file() and (path.suffix.lower() == ".zip" or zipfile.is_zipfile(path)):
        with tempfile.TemporaryDirectory(prefix="joint_module.") as folder:
            archive.unpack(path, Path(folder))
            yield _in_folder(Path(folder), path, urdf, mjcf)
    else:
        raise ModelError(f"{path}: is no zip, no folder and no .urdf file")


def _in_folder(root: Path, shown: Path, urdf: str | None, mjcf: str | None) -> Source:
    root = root.resolve()
    files = _files(root, shown)
    return Source(root, _urdf(root, files, shown, urdf), _mjcf(root, files, shown, mjcf))


def _beside(urdf: Path, mjcf: str | None) -> Source:
    """A URDF named directly; its folder may be a whole home, so only its neighbours are looked at."""
    root = urdf.parent.resolve()
    neighbours = sorted(file for file in root.iterdir() if file.is_file())
    return Source(root, root / urdf.name, _mjcf(root, neighbours, root, mjcf))


def _files(root: Path, shown: Path) -> list[Path]:
    found = []
    for folder, _, names in os.walk(root):
        found += [Path(folder, name) for name in names]
        if len(found) > MAXIMUM_FILES:
            raise ModelError(
                f"{shown}: holds more than {MAXIMUM_FILES} files; give the module's folder"
            )
    return sorted(found)


def _urdf(root: Path, files: list[Path], shown: Path, choice: str | None) -> Path:
    found = {
        str(file.relative_to(root)): file
        for file in files
        if file.suffix.lower() == ".urdf" and _is_within(file, root)
    }
    if choice is not None:
        chosen = [
            file for name, file in found.items() if choice == name or choice == Path(name).name
        ]
        chosen = [found[choice]] if choice in found else chosen
        if len(chosen) != 1:
            raise ModelError(
                f"{shown}: has {len(chosen)} files called {choice!r}; {_listed(found)}"
            )
        return chosen[0]
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        xacro = any(file.suffix == ".xacro" for file in files)
        hint = "; expand its xacro file first" if xacro else ""
        raise ModelError(f"{shown}: holds no .urdf file{hint}")
    raise ModelError(f"{shown}: holds several URDF files; choose one with --urdf: {_listed(found)}")


def _mjcf(root: Path, files: list[Path], shown: Path, choice: str | None) -> Path | None:
    """The user's choice, or the one MJCF with actuators or couplings that is not our own output."""
    if choice is not None:
        chosen = root / choice if root / choice in files else Path(choice)
        if not chosen.is_file():
            raise ModelError(f"{shown}: there is no MJCF {choice!r}, in it or elsewhere")
        return chosen
    found = [file for file in files if file.suffix.lower() == ".xml" and _is_hand_written(file)]
    if len(found) > 1:
        names = ", ".join(repr(str(file.relative_to(root))) for file in found)
        raise ModelError(f"{shown}: holds several MJCF files ({names}); choose one with --mjcf")
    return found[0] if found else None


def is_generated(file: Path) -> bool:
    """Whether `generate` wrote this MJCF."""
    start = f"<!-- {GENERATED}".encode()
    with file.open("rb") as opened_file:
        return opened_file.read(len(start)) == start


def _is_hand_written(file: Path) -> bool:
    if file.is_symlink() or file.stat().st_size > untrusted_xml.MAXIMUM_BYTES:
        return False
    data = file.read_bytes()
    if b"<mujoco" not in data or is_generated(file):
        return False
    root = untrusted_xml.parse(data, file.name)
    parts = [root.find("actuator"), root.find("equality")]
    return root.tag == "mujoco" and any(part is not None for part in parts)


# Stands at the top of every MJCF that `generate` writes.
GENERATED = "generated by: stride module generate"


def _is_within(file: Path, root: Path) -> bool:
    return file.resolve().is_relative_to(root)


def _listed(found: dict[str, Path]) -> str:
    return "it has " + (", ".join(repr(name) for name in found) or "none")
