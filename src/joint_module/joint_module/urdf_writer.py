"""A checked URDF written anew for MuJoCo's importer: nothing of the stranger's text reaches it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping

import numpy as np

from joint_module.urdf_model import Joint, Link, Pose, Shape, Urdf, Vector


def text(urdf: Urdf, meshes: Mapping[str, str]) -> str:
    """URDF text for MuJoCo: bodies, shapes, axes and mimics; limits and damping are left out.

    Args:
        urdf: A URDF that passed `urdf_checks.check`.
        meshes: For each mesh name in the URDF its file name; shapes of other meshes are left out.
    """
    root = ElementTree.Element("robot", name=urdf.name or "module")
    moving = {link.name for joint in urdf.movable() for link in urdf.moving_together(joint.child)}
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        extension, "compiler", discardvisual="false", fusestatic="true", balanceinertia="true"
    )
    for link in urdf.links.values():
        _add_link(root, link, meshes, link.name in moving)
    for joint in urdf.joints.values():
        _add_joint(root, joint)
    return ElementTree.tostring(root, encoding="unicode")


def _add_link(
    root: ElementTree.Element, link: Link, meshes: Mapping[str, str], moves: bool
) -> None:
    element = ElementTree.SubElement(root, "link", name=link.name)
    if link.inertial and moves:
        inertial = ElementTree.SubElement(element, "inertial")
        _add_pose(inertial, link.inertial.pose)
        ElementTree.SubElement(inertial, "mass", value=repr(link.inertial.mass))
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        moments = map(repr, _positive(link.inertial.inertia))
        ElementTree.SubElement(inertial, "inertia", dict(zip(names, moments, strict=True)))
    for shape in link.shapes:
        if shape.kind != "mesh" or shape.mesh in meshes:
            _add_shape(element, shape, meshes)


def _positive(inertia: Vector) -> Vector:
    """The inertia with a millionth added where it is singular, as that of a point is.

    MuJoCo wants positive moments of every link, also of one that is fixed to a heavier one.
    """
    xx, xy, xz, yy, yz, zz = inertia
    lowest, _, highest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    least = max(1e-6 * highest, 1e-12)
    if lowest >= least:
        return inertia
    more = float(least - lowest)
    return (xx + more, xy, xz, yy + more, yz, zz + more)


def _add_shape(link: ElementTree.Element, shape: Shape, meshes: Mapping[str, str]) -> None:
    visual = ElementTree.SubElement(link, "visual")
    _add_pose(visual, shape.pose)
    geometry = ElementTree.SubElement(visual, "geometry")
    if shape.kind == "mesh":
        file = meshes[shape.mesh]
        ElementTree.SubElement(geometry, "mesh", filename=file, scale=_words(shape.size))
    elif shape.kind == "box":
        ElementTree.SubElement(geometry, "box", size=_words(shape.size))
    elif shape.kind == "sphere":
        ElementTree.SubElement(geometry, "sphere", radius=repr(shape.size[0]))
    else:
        radius, length = map(repr, shape.size)
        ElementTree.SubElement(geometry, "cylinder", radius=radius, length=length)
    if shape.rgba:
        material = ElementTree.SubElement(visual, "material", name="")
        rgba = (min(max(part, 0.0), 1.0) for part in shape.rgba)
        ElementTree.SubElement(material, "color", rgba=_words(rgba))


def _add_joint(root: ElementTree.Element, joint: Joint) -> None:
    element = ElementTree.SubElement(root, "joint", name=joint.name, type=joint.kind)
    _add_pose(element, joint.pose)
    ElementTree.SubElement(element, "parent", link=joint.parent)
    ElementTree.SubElement(element, "child", link=joint.child)
    if not joint.is_movable:
        return
    ElementTree.SubElement(element, "axis", xyz=_words(joint.axis))
    if joint.mimic:
        mimic = joint.mimic
        attributes = {"multiplier": repr(mimic.multiplier), "offset": repr(mimic.offset)}
        ElementTree.SubElement(element, "mimic", {"joint": mimic.master, **attributes})


def _add_pose(element: ElementTree.Element, pose: Pose) -> None:
    ElementTree.SubElement(element, "origin", xyz=_words(pose.xyz), rpy=_words(pose.rpy))


def _words(numbers: Iterable[float]) -> str:
    return " ".join(repr(number) for number in numbers)
