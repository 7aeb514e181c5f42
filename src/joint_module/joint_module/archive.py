"""Unpacking a zip that a stranger sent: nothing outside the folder, no links, no bombs."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path

from joint_module.errors import ModelError, UntrustedInputError

MAXIMUM_FILES = 2000
MAXIMUM_FILE_BYTES = 128 * 1024 * 1024
MAXIMUM_TOTAL_BYTES = 512 * 1024 * 1024
# CAD meshes deflate 3 to 20 times; a bomb does so a thousand times.
MAXIMUM_RATIO = 200
# Files below this may be as empty as they like.
RATIO_FREE_BYTES = 1024 * 1024

_CHUNK = 1024 * 1024
_IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack `archive` into the empty `folder`.

    All names and sizes are checked before the first byte is written, and sizes again while unpacking,
    since an archive can lie about them.

    Raises:
        ModelError: it is no zip, or it is damaged.
        UntrustedInputError: an absolute path, `..`, a link, a duplicate, encryption, or too much.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = _checked(opened, archive.name)
            for entry in entries:
                _write(opened, entry, folder, archive.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeError) as error:
        raise ModelError(f"{archive.name}: is no zip archive that can be read: {error}") from error
    except OSError as error:
        raise ModelError(f"{archive.name}: cannot be unpacked: {error}") from error


def _checked(opened: zipfile.ZipFile, file: str) -> list[zipfile.ZipInfo]:
    """The entries that are to be written."""
    entries = opened.infolist()
    if len(entries) > MAXIMUM_FILES:
        raise UntrustedInputError(
            f"{file}: holds {len(entries)} files; a joint module has at most {MAXIMUM_FILES}"
        )
    total = sum(entry.file_size for entry in entries)
    if total > MAXIMUM_TOTAL_BYTES:
        raise UntrustedInputError(
            f"{file}: unpacks to {total} bytes; a joint module has at most {MAXIMUM_TOTAL_BYTES}"
        )
    seen: set[str] = set()
    wanted = []
    for entry in entries:
        _check_name(entry, file)
        _check_kind(entry, file)
        _check_size(entry, file)
        folded = entry.filename.rstrip("/").casefold()
        if folded in seen:
            raise UntrustedInputError(f"{file}: holds {entry.filename!r} twice")
        seen.add(folded)
        if not entry.is_dir() and not any(part in _IGNORED for part in _parts(entry)):
            wanted.append(entry)
    _check_overlap(entries, file)
    return wanted


def _check_name(entry: zipfile.ZipInfo, file: str) -> None:
    # zipfile cuts names at a NUL and turns backslashes of Windows into slashes; the original tells.
    name = entry.orig_filename
    if name.startswith(("/", "\\")) or ":" in name or "\0" in name:
        raise UntrustedInputError(f"{file}: holds the absolute path {name!r}")
    if "\\" in name or ".." in name.split("/"):
        raise UntrustedInputError(f"{file}: the path {name!r} leads out of its folder")
    if len(name.encode("utf-8", "replace")) > 1000 or any(
        len(part) > 200 for part in name.split("/")
    ):
        raise UntrustedInputError(f"{file}: holds a path of {len(name)} characters")


def _check_kind(entry: zipfile.ZipInfo, file: str) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise UntrustedInputError(
            f"{file}: {entry.filename!r} is a link; put the file itself there"
        )
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UntrustedInputError(f"{file}: {entry.filename!r} is neither file nor folder")
    if entry.flag_bits & 0x1:
        raise UntrustedInputError(
            f"{file}: {entry.filename!r} is encrypted; send it without password"
        )
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UntrustedInputError(
            f"{file}: {entry.filename!r} is packed by method {entry.compress_type}; use deflate"
        )


def _check_size(entry: zipfile.ZipInfo, file: str) -> None:
    if entry.file_size > MAXIMUM_FILE_BYTES:
        raise UntrustedInputError(
            f"{file}: {entry.filename!r} unpacks to {entry.file_size} bytes; a file of a joint module "
            f"has at most {MAXIMUM_FILE_BYTES}"
        )
    packed = max(entry.compress_size, 1)
    if entry.file_size > RATIO_FREE_BYTES and entry.file_size / packed > MAXIMUM_RATIO:
        raise UntrustedInputError(
            f"{file}: {entry.filename!r} unpacks to {entry.file_size / packed:.0f} times its size, "
            f"like a zip bomb; at most {MAXIMUM_RATIO} times is accepted"
        )


def _check_overlap(entries: list[zipfile.ZipInfo], file: str) -> None:
    """Bombs with a quadratic size let many entries share the same packed bytes."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise UntrustedInputError(
                f"{file}: {entry.filename!r} shares its bytes with another file"
            )
        end = entry.header_offset + entry.compress_size


def _write(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, file: str) -> None:
    target = folder.joinpath(*_parts(entry))
    target.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with opened.open(entry) as source, target.open("xb") as out:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise UntrustedInputError(f"{file}: {entry.filename!r} is larger than it claims")
            out.write(chunk)


def _parts(entry: zipfile.ZipInfo) -> list[str]:
    return [part for part in entry.filename.split("/") if part not in ("", ".")]
