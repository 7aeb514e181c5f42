"""Looks at a mesh file before a simulator does: its format, its size, its numbers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joint_module.errors import ModelError, UntrustedInputError

MAXIMUM_BYTES = 64 * 1024 * 1024
# MuJoCo's own limit for an STL file.
MAXIMUM_TRIANGLES = 200_000

READABLE = (".stl", ".obj", ".msh")

_STL_HEADER = 84
_STL_TRIANGLE = np.dtype([("vectors", "<f4", (4, 3)), ("attribute", "<u2")])


@dataclass(frozen=True)
class Mesh:
    """Contents of a mesh file as MuJoCo reads them; `suffix` tells the format."""

    data: bytes
    suffix: str
    triangles: int


def load(path: Path, where: str) -> Mesh:
    """The mesh in a file; text STL becomes binary, the only one MuJoCo reads.

    Args:
        path: An STL, OBJ or MSH file.
        where: For messages, e.g. ``gear.urdf: link 'sun'``.

    Raises:
        ModelError: another format, or damaged.
        UntrustedInputError: too many bytes or triangles.
    """
    suffix = path.suffix.lower()
    label = f"{where}: mesh {path.name!r}"
    if suffix not in READABLE:
        raise ModelError(f"{label} is no STL, OBJ or MSH file")
    size = path.stat().st_size
    if size > MAXIMUM_BYTES:
        raise UntrustedInputError(f"{label} has {size} bytes; at most {MAXIMUM_BYTES} are accepted")
    data = path.read_bytes()
    if suffix == ".stl":
        data = _binary_stl(data, label)
        triangles = struct.unpack_from("<I", data, 80)[0]
    elif suffix == ".obj":
        triangles = _obj_triangles(data, label)
    else:
        triangles = _msh_triangles(data, label)
    _check_count(triangles, label)
    return Mesh(data, suffix, triangles)


def _check_count(triangles: int, label: str) -> None:
    if triangles > MAXIMUM_TRIANGLES:
        raise UntrustedInputError(
            f"{label} has {triangles} triangles; simplify it to at most {MAXIMUM_TRIANGLES}"
        )
    if triangles < 1:
        raise ModelError(f"{label} holds no triangles")


def _binary_stl(data: bytes, label: str) -> bytes:
    # Binary files may begin with "solid" too; only their length tells.
    if len(data) >= _STL_HEADER:
        count = struct.unpack_from("<I", data, 80)[0]
        if len(data) == _STL_HEADER + count * _STL_TRIANGLE.itemsize:
            _check_count(count, label)
            found = np.frombuffer(data, _STL_TRIANGLE, count, _STL_HEADER)
            _check_vertices(found["vectors"][:, 1:].reshape(-1, 3), label)
            return data
    if not data.lstrip()[:5].lower() == b"solid":
        raise ModelError(f"{label} is a damaged STL file: its length does not fit its triangles")
    vertices = _vertices(data, b"vertex", label)
    if len(vertices) % 3:
        raise ModelError(
            f"{label} is a damaged STL file: {len(vertices)} vertices make no triangles"
        )
    _check_count(len(vertices) // 3, label)
    triangles = np.zeros(len(vertices) // 3, _STL_TRIANGLE)
    triangles["vectors"][:, 1:] = vertices.reshape(-1, 3, 3)
    header = b"converted from text STL".ljust(80)
    return header + struct.pack("<I", len(triangles)) + triangles.tobytes()


def _obj_triangles(data: bytes, label: str) -> int:
    _vertices(data, b"v", label)
    faces = [line.split() for line in data.splitlines() if line.startswith((b"f ", b"f\t"))]
    return sum(max(len(face) - 3, 0) for face in faces)


def _vertices(data: bytes, keyword: bytes, label: str) -> NDArray[np.float32]:
    """(n, 3) vertices of a text format, one after `keyword` on a line each."""
    lines = [line.split() for line in data.splitlines()]
    rows = [words[1:4] for words in lines if words and words[0] == keyword]
    if len(rows) > 3 * MAXIMUM_TRIANGLES:
        raise UntrustedInputError(
            f"{label} has {len(rows)} vertices; simplify it to at most {MAXIMUM_TRIANGLES} triangles"
        )
    try:
        vertices = np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise ModelError(f"{label} holds a vertex that is not three numbers") from error
    _check_vertices(vertices, label)
    return vertices.astype(np.float32)


def _msh_triangles(data: bytes, label: str) -> int:
    """MuJoCo's own binary format: four counts, then floats and the faces' indices."""
    if len(data) < 16:
        raise ModelError(f"{label} is a damaged MSH file")
    counts = struct.unpack_from("<4i", data)
    vertices, normals, texcoords, faces = counts
    size = 16 + 4 * (3 * vertices + 3 * normals + 2 * texcoords + 3 * faces)
    if min(counts) < 0 or len(data) != size:
        raise ModelError(f"{label} is a damaged MSH file: its length does not fit its counts")
    _check_count(faces, label)
    floats = np.frombuffer(data, "<f4", 3 * vertices, 16)
    _check_vertices(floats.reshape(-1, 3), label)
    indices = np.frombuffer(data, "<i4", 3 * faces, size - 12 * faces)
    if indices.size and not 0 <= indices.min() <= indices.max() < vertices:
        raise ModelError(f"{label} is a damaged MSH file: a face names a vertex that is not there")
    return faces


def _check_vertices(vertices: NDArray[np.floating], label: str) -> None:
    if not (np.isfinite(vertices).all() and np.abs(vertices).max(initial=0.0) < 1e6):
        raise ModelError(f"{label} holds a vertex that is not finite or beyond 1e6")
