"""From the mesh names of a URDF to files that may be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from joint_module import untrusted_xml
from joint_module.errors import MissingMeshError, ModelError, UntrustedInputError
from joint_module.source import Source


def find(uri: str, source: Source, package_roots: Sequence[Path], where: str) -> Path:
    """The file that a mesh name means.

    Args:
        uri: ``package://NAME/rest`` or a path relative to the URDF.
        source: Folder of the URDF.
        package_roots: Folders that are packages or hold packages, asked in this order; then the
            source is.
        where: For messages, e.g. ``gear.urdf: link 'sun'``.

    Returns:
        An existing file inside the source or inside one of the roots.

    Raises:
        UntrustedInputError: an absolute path, or one that leads out of its folder, also by a link.
        MissingMeshError: no such file.
        ModelError: the name means no file at all.
    """
    scheme, separator, rest = uri.partition("://")
    if separator and scheme != "package":
        raise UntrustedInputError(
            f"{where}: mesh {uri!r} is neither package://NAME/... nor a path relative to the URDF"
        )
    path = unquote(rest) if separator else uri
    # C:/x is absolute for Windows alone, and a backslash separates folders there.
    if path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:", path) or "\0" in path:
        raise UntrustedInputError(f"{where}: mesh {uri!r} is an absolute path")
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if separator:
        return _in_packages(parts, uri, source, package_roots, where)
    return _inside(source.urdf.parent.joinpath(*parts), source.root, uri, where)


def _in_packages(
    parts: list[str], uri: str, source: Source, roots: Sequence[Path], where: str
) -> Path:
    if ".." in parts:
        raise UntrustedInputError(f"{where}: mesh {uri!r} leads out of its package")
    if len(parts) < 2:
        raise ModelError(f"{where}: mesh {uri!r} names no file in a package")
    package, rest = parts[0], parts[1:]
    for root in roots:
        for folder in (root / package, *([root] if _is_package(root, package) else [])):
            if folder.joinpath(*rest).exists():
                return _inside(folder.joinpath(*rest), root.resolve(), uri, where)
    for above in (source.urdf.parent, *source.urdf.parent.parents):
        if not above.is_relative_to(source.root):
            break
        for folder in (above / package, *([above] if _is_package(above, package) else [])):
            if folder.joinpath(*rest).exists():
                return _inside(folder.joinpath(*rest), source.root, uri, where)
    # A zip of a package's content, without the package's own folder.
    if source.root.joinpath(*rest).exists():
        return _inside(source.root.joinpath(*rest), source.root, uri, where)
    raise MissingMeshError(
        f"{where}: mesh {uri!r} was not found; put the folder {package!r} beside the URDF, or name "
        "the folder that holds it with --package-root"
    )


def _is_package(folder: Path, package: str) -> bool:
    if folder.resolve().name == package:
        return True
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return False
    return (untrusted_xml.read(manifest).findtext("name") or "").strip() == package


def _inside(path: Path, folder: Path, uri: str, where: str) -> Path:
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError) as error:
        raise ModelError(f"{where}: mesh {uri!r} is a link to itself") from error
    if not resolved.is_relative_to(folder):
        raise UntrustedInputError(
            f"{where}: mesh {uri!r} leads out of the module's folder; give the folder that holds both "
            "URDF and meshes"
        )
    if not resolved.is_file():
        raise MissingMeshError(f"{where}: mesh {uri!r} was not found")
    return resolved
