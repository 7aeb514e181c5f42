"""URDF text into values. Refuses what MuJoCo's importer would accept in silence.

Only what a joint module needs is kept: extensions (gazebo, transmission, ros2_control, mujoco) and
sensors are left behind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joint_module import untrusted_xml as xml
from joint_module.errors import ModelError, UntrustedInputError
from joint_module.untrusted_xml import Element
from joint_module.urdf_model import Inertial, Joint, Link, Mimic, Pose, Shape, Urdf, Vector
from stride_base.errors import ConfigError

# Whole humanoids have 100 to 200 links.
MAXIMUM_LINKS = 500

_KINDS = ("revolute", "continuous", "prismatic", "fixed")
_SHAPES = {
    "box": ("size", 3),
    "sphere": ("radius", 1),
    "cylinder": ("radius", 1),
    "mesh": ("scale", 3),
}
# Drones and wheels have limits like 1e16, which mean none.
_ENDLESS = 1e100
_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read(path: Path) -> Urdf:
    """A URDF file.

    Raises:
        FileError, ModelError, UntrustedInputError: no XML that may be read, no URDF, or an
            unexpanded xacro.
        ConfigError: a value is wrong; names the joint or link.
    """
    return from_element(xml.read(path), path.name)


def from_element(root: Element, file: str) -> Urdf:
    """A parsed URDF; `file` names it in errors."""
    if root.tag != "robot":
        raise ModelError(f"{file}: is no URDF: its root is <{root.tag}>, expected <robot>")
    if any("ros.org/wiki/xacro" in str(part.tag) for part in root.iter()):
        raise ModelError(
            f"{file}: holds xacro macros; expand it first (xacro {file} > module.urdf)"
        )
    for tag in ("link", "joint"):
        count = len(root.findall(tag))
        if count > MAXIMUM_LINKS:
            raise UntrustedInputError(
                f"{file}: has {count} {tag}s; a joint module has at most {MAXIMUM_LINKS}"
            )
    colours = _colours(root, file)
    links: dict[str, Link] = {}
    for element in root.findall("link"):
        link = _link(element, file, colours)
        if link.name in links:
            raise ConfigError(file, "", "link name", link.name, "a name no other link has")
        links[link.name] = link
    joints: dict[str, Joint] = {}
    for element in root.findall("joint"):
        joint = _joint(element, file)
        if joint.name in joints:
            raise ConfigError(file, "", "joint name", joint.name, "a name no other joint has")
        joints[joint.name] = joint
    return Urdf(file, root.get("name", "").strip(), links, joints)


def _joint(element: Element, file: str) -> Joint:
    name = xml.name(element, file)
    where = f"joint {name!r}"
    kind: Any = element.get("type")
    if kind not in _KINDS:
        raise ConfigError(file, where, "type", kind, f"one of {', '.join(_KINDS)}")
    parent, child = (_link_name(element, tag, file, where) for tag in ("parent", "child"))
    axis = (1.0, 0.0, 0.0)
    axis_element = xml.only_child(element, "axis", file, where)
    if axis_element is not None:
        axis = xml.numbers(axis_element, "xyz", 3, file, where, axis)  # type: ignore[assignment]
    if kind != "fixed" and sum(part * part for part in axis) < 1e-12:
        raise ConfigError(file, where, "axis xyz", axis, "a direction that is not zero")
    limit = _limit(element, file, where)
    dynamics = xml.only_child(element, "dynamics", file, where)
    damping, friction = (
        0.0 if dynamics is None else xml.number(dynamics, part, file, where, 0.0)
        for part in ("damping", "friction")
    )
    for field, value in (("dynamics damping", damping), ("dynamics friction", friction)):
        if value < 0.0:
            raise ConfigError(file, where, field, value, "a number of at least 0")
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        pose=_pose(element, file, where),
        axis=axis,
        **limit,
        damping=damping,
        friction=friction,
        mimic=_mimic(element, file, where),
    )


def _limit(element: Element, file: str, where: str) -> dict[str, float | None]:
    """lower, upper, effort, velocity; an existing <limit> without lower or upper means 0 there."""
    limit = xml.only_child(element, "limit", file, where)
    if limit is None:
        return dict.fromkeys(("lower", "upper", "effort", "velocity"))

    def bound(part: str, default: tuple[float, ...] | None = None) -> float:
        return xml.numbers(limit, part, 1, file, where, default, largest=_ENDLESS)[0]

    lower, upper = bound("lower", (0.0,)), bound("upper", (0.0,))
    if lower > upper:
        expected = f"at most the upper limit {upper:g}"
        raise ConfigError(file, where, "limit lower", lower, expected)
    found: dict[str, float | None] = {"lower": lower, "upper": upper}
    for part in ("effort", "velocity"):
        found[part] = None if limit.get(part) is None else bound(part)
        if (found[part] or 0.0) < 0.0:
            raise ConfigError(file, where, f"limit {part}", found[part], "a number of at least 0")
    return found


def _mimic(element: Element, file: str, where: str) -> Mimic | None:
    mimic = xml.only_child(element, "mimic", file, where)
    if mimic is None:
        return None
    return Mimic(
        master=xml.name(mimic, file, "joint", where),
        multiplier=xml.number(mimic, "multiplier", file, where, 1.0),
        offset=xml.number(mimic, "offset", file, where, 0.0),
    )


def _link(element: Element, file: str, colours: dict[str, Vector]) -> Link:
    name = xml.name(element, file)
    where = f"link {name!r}"
    visuals = _shapes(element, "visual", file, where, colours)
    shapes = visuals or _shapes(element, "collision", file, where, colours)
    return Link(name, _inertial(element, file, where), shapes)


def _inertial(element: Element, file: str, where: str) -> Inertial | None:
    inertial = xml.only_child(element, "inertial", file, where)
    if inertial is None:
        return None
    mass = xml.only_child(inertial, "mass", file, where)
    inertia = xml.only_child(inertial, "inertia", file, where)
    if mass is None or inertia is None:
        expected = "<mass> and <inertia> in <inertial>"
        raise ConfigError(file, where, "inertial", "incomplete", expected)
    kilograms = xml.number(mass, "value", file, where)
    if kilograms < 0.0:
        raise ConfigError(file, where, "mass value", kilograms, "a mass of at least 0 kg")
    diagonal = ("ixx", "iyy", "izz")
    moments = tuple(
        xml.number(inertia, part, file, where, None if part in diagonal else 0.0)
        for part in _INERTIA
    )
    for part, moment in zip(_INERTIA, moments, strict=True):
        # CAD exporters round a moment of zero to -5e-20.
        if part in diagonal and moment < -1e-12:
            raise ConfigError(file, where, f"inertia {part}", moment, "at least 0 kg m^2")
    return Inertial(_pose(inertial, file, where), kilograms, moments)


def _shapes(
    element: Element, tag: str, file: str, where: str, colours: dict[str, Vector]
) -> tuple[Shape, ...]:
    found = []
    for part in element.findall(tag):
        geometry = xml.only_child(part, "geometry", file, where)
        inner = [] if geometry is None else [child for child in geometry if child.tag in _SHAPES]
        if len(inner) != 1:
            expected = f"one of {', '.join(_SHAPES)}"
            raise ConfigError(file, where, f"{tag} geometry", f"{len(inner)} shapes", expected)
        found.append(
            _shape(inner[0], _pose(part, file, where), file, where, _rgba(part, colours, file))
        )
    return tuple(found)


def _shape(element: Element, pose: Pose, file: str, where: str, rgba: Vector | None) -> Shape:
    kind: Any = element.tag
    attribute, count = _SHAPES[kind]
    default = (1.0, 1.0, 1.0) if kind == "mesh" else None
    size = xml.numbers(element, attribute, count, file, where, default)
    if kind == "cylinder":
        size += xml.numbers(element, "length", 1, file, where)
    mesh = xml.name(element, file, "filename", where) if kind == "mesh" else ""
    if any(part == 0.0 if kind == "mesh" else part <= 0.0 for part in size):
        raise ConfigError(file, where, f"{kind} size", size, "sizes above 0 m")
    return Shape(kind, size, pose, mesh, rgba)


def _pose(element: Element, file: str, where: str) -> Pose:
    origin = xml.only_child(element, "origin", file, where)
    if origin is None:
        return Pose()
    zero = (0.0, 0.0, 0.0)
    return Pose(
        xml.numbers(origin, "xyz", 3, file, where, zero),
        xml.numbers(origin, "rpy", 3, file, where, zero),
    )


def _colours(root: Element, file: str) -> dict[str, Vector]:
    """Colours that materials at the top of the file name."""
    found = {}
    for material in root.findall("material"):
        colour = material.find("color")
        if colour is not None:
            found[material.get("name", "")] = xml.numbers(colour, "rgba", 4, file, "material")
    return found


def _rgba(element: Element, colours: dict[str, Vector], file: str) -> Vector | None:
    material = element.find("material")
    if material is None:
        return None
    colour = material.find("color")
    if colour is not None:
        return xml.numbers(colour, "rgba", 4, file, "material")
    return colours.get(material.get("name", ""))


def _link_name(element: Element, tag: str, file: str, where: str) -> str:
    part = xml.only_child(element, tag, file, where)
    if part is None:
        raise ConfigError(file, where, tag, "missing", f"<{tag} link=...>")
    return xml.name(part, file, "link", where)
