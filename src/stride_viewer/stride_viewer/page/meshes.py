"""Meshes of a robot for the browser: only files that its URDF names are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from stride_viewer.robot_model import MESH_KINDS, RobotModel

ADDRESS = "/mesh"
#: Meshes that a note names.
MOST_NAMES = 3


class Meshes:
    """Files by number, for the addresses that a scene holds.

    Args:
        folder: Where relative names begin; None: there is no folder.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: list[Path] = []

    def scene(self, model: RobotModel | None) -> dict[str, Any] | None:
        """The tree for the page, with addresses of meshes in it."""
        return None if model is None else model.scene(self._address)

    @staticmethod
    def note(scene: dict[str, Any] | None, note: str) -> str:
        """`note`, or which meshes of a scene the page cannot show."""
        if note or scene is None or not scene["left_out"]:
            return note
        names = [uri.rpartition("/")[2] for uri in scene["left_out"]]
        shown = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        return (
            f"{len(names)} meshes cannot be shown ({shown}): only STL and glTF files that exist can"
        )

    def file(self, number: int) -> Path | None:
        """The file behind an address."""
        return self._files[number] if 0 <= number < len(self._files) else None

    def _address(self, uri: str) -> str:
        try:
            path = self._path(uri)
            there = path is not None and path.is_file()
        except (OSError, ValueError):
            # No address at all, or nothing that the file system takes for a name.
            return ""
        if path is None or not there or path.suffix.lower() not in MESH_KINDS:
            return ""
        if path not in self._files:
            self._files.append(path)
        return f"{ADDRESS}/{self._files.index(path)}/{path.name}"

    def _path(self, uri: str) -> Path | None:
        parts = urlparse(uri)
        if parts.scheme == "package":
            share = _share(parts.netloc)
            return None if share is None else share / unquote(parts.path).lstrip("/")
        if parts.scheme == "file":
            return Path(unquote(parts.path))
        if parts.scheme or self._folder is None:
            return None
        return self._folder / uri


def _share(package: str) -> Path | None:
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        return Path(get_package_share_directory(package))
    except (PackageNotFoundError, ValueError):
        return None
