"""The files of a hexapod: one folder with geometry.yaml, gaits.yaml and sequences/."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hexapod_motion.gaits import Gait, load_gaits
from hexapod_motion.geometry import Geometry, load_geometry
from hexapod_motion.sequence_check import check_book
from hexapod_motion.sequences import Book, load_book
from stride_base.errors import RefusedError

GEOMETRY, GAITS, SEQUENCES = "geometry.yaml", "gaits.yaml", "sequences"


@dataclass(frozen=True, eq=False)
class Robot:
    """A hexapod, read from its folder.

    Args:
        folder: The folder.
        geometry, gaits, book: What is in it; the sequences have been followed.
        warnings: What is odd about the sequences.
    """

    folder: Path
    geometry: Geometry
    gaits: Mapping[str, Gait]
    book: Book
    warnings: tuple[str, ...]


def load_robot(robot: str) -> Robot:
    """Read a robot by its name or folder.

    Raises:
        RefusedError: there is no such folder, or it is no hexapod's.
        FileError, ConfigError: one of its files is wrong.
    """
    folder = robot_folder(robot)
    geometry = load_geometry(folder / GEOMETRY)
    gaits = load_gaits(folder / GAITS, geometry)
    book = load_book(folder / SEQUENCES)
    return Robot(folder, geometry, gaits, book, tuple(check_book(book, geometry)))


def robot_folder(robot: str) -> Path:
    """Folder of a robot: a path where `robot` has a separator in it, else a name in config/robots.

    Raises:
        RefusedError: it does not exist, or lacks a file.
    """
    if os.sep in robot or robot in (".", ".."):
        return _checked(Path(robot).expanduser().resolve())
    places = [place / "config" / "robots" for place in _roots()]
    for place in places:
        if robot and (place / robot).is_dir():
            return _checked(place / robot)
    looked = ", ".join(map(str, places)) or "no installation of stride_bringup"
    raise RefusedError(f"there is no robot {robot!r} (looked in {looked}); a path has a / in it")


def _roots() -> list[Path]:
    """The source tree and the installation, where they are."""
    source = os.environ.get("STRIDE_ROOT")
    roots = [Path(source)] if source else []
    try:
        from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
    except ImportError:
        return roots
    try:
        return [*roots, Path(get_package_share_directory("stride_bringup"))]
    except PackageNotFoundError:
        return roots


def _checked(folder: Path) -> Path:
    lacking = [name for name in (GEOMETRY, GAITS, SEQUENCES) if not (folder / name).exists()]
    if lacking:
        what = "does not exist" if not folder.exists() else f"has no {' and no '.join(lacking)}"
        raise RefusedError(f"the robot's folder {folder} {what}")
    return folder
