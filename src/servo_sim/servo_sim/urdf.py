"""A robot description as URDF, for RViz and other tools."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from servo_sim.robot_description import Link, Part, RobotDescription, Shape

Element = ElementTree.Element
#: STS3215 at 7.4 V: stall torque, N m, and the fastest that the driver asks for, rad/s.
EFFORT, VELOCITY = 3.4, 4.71
#: Frame of the IMU's measurements: the site `imu` of the MJCF.
IMU = "imu_link"


def urdf_text(robot: RobotDescription, source: str) -> str:
    """The URDF file; `source` says in it what it was made from."""
    root = Element("robot", name=robot.name)
    for name, color in robot.colors.items():
        material = _add(root, "material", name=name)
        _add(material, "color", rgba=_words(*color, *[1.0] * (4 - len(color))))
    for link in robot.links:
        _link(root, link)
    for link in robot.links:
        if link.joint is not None:
            _joint(root, link)
    _imu(root, robot.links[0])
    ElementTree.indent(root)
    return f"<!-- {source} -->\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _link(root: Element, link: Link) -> None:
    element = _add(root, "link", name=link.name)
    inertial = _add(element, "inertial")
    _add(inertial, "origin", xyz=_words(*link.centre()), rpy="0 0 0")
    _add(inertial, "mass", value=_words(link.mass))
    tensor = link.inertia()
    names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
    names["izz"] = (2, 2)
    _add(inertial, "inertia", **{name: _words(tensor[place]) for name, place in names.items()})
    for part in link.parts:
        if part.color != "hidden" and part.mass:
            visual = _solid(element, "visual", part)
            _add(visual, "material", name=part.color)
        if part.friction is not None:
            _solid(element, "collision", part)


def _solid(element: Element, tag: str, part: Part) -> Element:
    solid = _add(element, tag, name=part.name)
    a, b, c = part.size
    # A URDF has no capsules: a cylinder along z, turned to lie along x.
    turned = part.shape is Shape.CAPSULE
    _add(solid, "origin", xyz=_words(*part.at), rpy="0 1.5707963 0" if turned else "0 0 0")
    geometry = _add(solid, "geometry")
    if part.shape is Shape.BOX:
        _add(geometry, "box", size=_words(a, b, c))
    elif part.shape is Shape.SPHERE:
        _add(geometry, "sphere", radius=_words(a))
    else:
        _add(geometry, "cylinder", length=_words(a), radius=_words(b))
    return solid


def _joint(root: Element, link: Link) -> None:
    joint = link.joint
    assert joint is not None
    element = _add(root, "joint", name=joint.name, type="revolute")
    # About -y upwards, that is about y by the negative angle.
    _add(element, "origin", xyz=_words(*joint.at), rpy=_words(0, -joint.pitch_up, joint.yaw))
    _add(element, "parent", link=joint.parent)
    _add(element, "child", link=link.name)
    _add(element, "axis", xyz=_words(*joint.axis))
    _add(
        element,
        "limit",
        lower=_words(joint.low),
        upper=_words(joint.high),
        effort=_words(EFFORT),
        velocity=_words(VELOCITY),
    )


def _imu(root: Element, base: Link) -> None:
    _add(root, "link", name=IMU)
    joint = _add(root, "joint", name="imu", type="fixed")
    _add(joint, "parent", link=base.name)
    _add(joint, "child", link=IMU)


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _words(*numbers: float) -> str:
    return " ".join(f"{number + 0.0:.7g}" for number in numbers)
