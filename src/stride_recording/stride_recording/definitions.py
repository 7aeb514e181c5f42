"""Complete message definitions as MCAP's encoding `ros2msg` wants them, from the installed .msg files.

rosidl installs the text of each message in ``share/<package>/msg`` and keeps it nowhere at run time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from stride_base.errors import RefusedError

SEPARATOR = "=" * 80
#: Types that need no definition.
PRIMITIVES = frozenset(
    {"bool", "byte", "char", "float32", "float64", "string", "wstring"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
#: First word of a line that declares a field or a constant: a type, perhaps with bounds.
_DECLARATION = re.compile(r"^\s*([A-Za-z][\w/]*)(?:<=\d+)?(?:\[(?:<=)?\d*\])?\s+[A-Za-z]\w*", re.M)


def full_definition(type_name: str, read: Callable[[str, str], str] | None = None) -> str:
    """The definition of a type, followed by those of all types in it.

    Args:
        type_name: ``package/msg/Name``.
        read: Gives the .msg text of a package and name; default: the installed files.

    Raises:
        RefusedError: the type, or one in it, is not installed with a .msg file.
    """
    read = installed_text if read is None else read
    package, name = _split(type_name)
    parts = [read(package, name)]
    known = {(package, name)}
    waiting = _dependencies(parts[0], package)
    while waiting:
        dependency = waiting.pop(0)
        if dependency in known:
            continue
        known.add(dependency)
        text = read(*dependency)
        parts.append(f"{SEPARATOR}\nMSG: {'/'.join(dependency)}\n{text}")
        waiting += _dependencies(text, dependency[0])
    return "\n".join(parts)


def installed_text(package: str, name: str) -> str:
    """The .msg file of an installed package. Raises RefusedError: there is none."""
    from ament_index_python.packages import PackageNotFoundError, get_package_share_path

    try:
        share = get_package_share_path(package)
    except (PackageNotFoundError, OSError, ValueError):
        # ROS 2 from wheels lies where Python does, and need not be named in AMENT_PREFIX_PATH.
        share = Path(sys.prefix) / "share" / package
    try:
        return (share / "msg" / f"{name}.msg").read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise RefusedError(f"message type {package}/msg/{name} is not installed here") from error


def _split(type_name: str) -> tuple[str, str]:
    package, _, name = type_name.partition("/msg/")
    if not package or not name or "/" in name:
        raise RefusedError(f"{type_name} is no message type, as package/msg/Name")
    return package, name


def _dependencies(text: str, package: str) -> list[tuple[str, str]]:
    found = []
    for kind in _DECLARATION.findall(text):
        if kind not in PRIMITIVES:
            inside = kind.split("/")
            found.append((inside[0] if len(inside) > 1 else package, inside[-1]))
    return found
