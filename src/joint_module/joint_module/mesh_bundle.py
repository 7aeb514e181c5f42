"""The meshes of a URDF under names that are unique in one folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joint_module import mesh_check, mesh_files
from joint_module.errors import MissingMeshError, UntrustedInputError
from joint_module.source import Source
from joint_module.urdf_model import Urdf

MAXIMUM_TOTAL_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class MeshBundle:
    """Meshes to lie beside the MJCF.

    Args:
        names: File name for each mesh name in the URDF; those left out have none.
        files: Contents of each file.
        left_out: Mesh names in the URDF whose format MuJoCo cannot read.
    """

    names: dict[str, str]
    files: dict[str, bytes]
    left_out: tuple[str, ...]


def collect(urdf: Urdf, source: Source, package_roots: Sequence[Path]) -> MeshBundle:
    """Find, check and name the meshes of all links.

    Meshes with the same base name from two folders get different names. Meshes in formats that
    MuJoCo cannot read are left out: they only show the module, and do not move it.

    Raises:
        UntrustedInputError, ModelError: a mesh that must not be read, is missing or is damaged.
    """
    names: dict[str, str] = {}
    files: dict[str, bytes] = {}
    known: dict[Path, str] = {}
    left_out: dict[str, None] = {}
    for link in urdf.links.values():
        where = f"{urdf.file}: link {link.name!r}"
        for uri in dict.fromkeys(shape.mesh for shape in link.shapes if shape.kind == "mesh"):
            if uri in names:
                continue
            readable = uri.lower().endswith(mesh_check.READABLE)
            try:
                path = mesh_files.find(uri, source, package_roots, where)
            except MissingMeshError:
                if readable:
                    raise
            if not readable:
                left_out[uri] = None
                continue
            if path not in known:
                mesh = mesh_check.load(path, where)
                known[path] = _free_name(path.stem, mesh.suffix, files)
                files[known[path]] = mesh.data
                if sum(map(len, files.values())) > MAXIMUM_TOTAL_BYTES:
                    raise UntrustedInputError(
                        f"{urdf.file}: its meshes have more than {MAXIMUM_TOTAL_BYTES} bytes together"
                    )
            names[uri] = known[path]
    return MeshBundle(names, files, tuple(left_out))


def file_stem(name: str) -> str:
    """`name` as part of a file name: letters, digits, dots, minus and underscore only."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80]


def _free_name(stem: str, suffix: str, taken: dict[str, bytes]) -> str:
    """A file name whose stem no other has, on systems that ignore case too.

    MuJoCo names a mesh by the stem of its file, so gear.stl and gear.obj would collide.
    """
    stems = {Path(name).stem.casefold() for name in taken}
    clean = file_stem(stem) or "mesh"
    candidate, number = clean, 1
    while candidate.casefold() in stems:
        number += 1
        candidate = f"{clean}_{number}"
    return candidate + suffix
