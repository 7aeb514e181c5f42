"""A small language for URDFs: joints by name, links and masses by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
LIMIT = 'lower="-10" upper="10" effort="10" velocity="5"'
INERTIAL = (
    '<inertial><mass value="0.2"/>'
    '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>'
)


class Urdf:
    """Collects joints; every child link has mass, and the base has not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.links = {"base": ""}
        self.joints: list[str] = []

    def link(self, name: str, content: str = INERTIAL) -> Urdf:
        self.links[name] = content
        return self

    def joint(
        self,
        name: str,
        mimic: str | None = None,
        multiplier: object = None,
        offset: object = None,
        kind: str = "revolute",
        parent: str = "base",
        child: str | None = None,
        limit: str | None = LIMIT,
        extra: str = "",
    ) -> Urdf:
        child = child or f"{name}_link"
        self.links.setdefault(child, INERTIAL)
        parts = [f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>']
        if limit is not None:
            parts.append(f"<limit {limit}/>")
        if mimic is not None:
            given = {"multiplier": multiplier, "offset": offset}
            words = " ".join(
                f'{key}="{value}"' for key, value in given.items() if value is not None
            )
            parts.append(f'<mimic joint="{mimic}" {words}/>')
        self.joints.append(f'<joint name="{name}" type="{kind}">{"".join(parts)}{extra}</joint>')
        return self

    def text(self, extra: str = "") -> str:
        links = "".join(f'<link name="{name}">{body}</link>' for name, body in self.links.items())
        return f'<robot name="gear">{links}{"".join(self.joints)}{extra}</robot>'

    def write(self, name: str = "gear.urdf", extra: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(extra))
        return path


@pytest.fixture
def urdf(tmp_path: Path) -> Urdf:
    """An empty URDF in a folder of its own."""
    return Urdf(tmp_path / "source")


@pytest.fixture
def new_urdf(tmp_path: Path) -> Callable[[], Urdf]:
    """Makes any number of empty URDFs, for property tests."""
    return lambda: Urdf(tmp_path / "source")


@pytest.fixture
def gear(urdf: Urdf) -> Urdf:
    """A motor and an output that follows it at 6:1."""
    return urdf.joint("motor").joint("output", mimic="motor", multiplier=0.166666666666667)


@pytest.fixture
def planetary() -> Path:
    """Folder of the reference case."""
    return REPOSITORY / "config" / "modules" / "planetary"


@pytest.fixture
def sts3215() -> Path:
    """Folder of the hexapod's servo."""
    return REPOSITORY / "config" / "modules" / "sts3215"


@pytest.fixture
def data() -> Path:
    """Documents of the seed."""
    return REPOSITORY / "test" / "data"
