"""A robot's URDF as a tree of moving parts: for drawing, and for where feet and mass are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from hexapod_motion.arrays import FloatArray
from joint_module import untrusted_xml, urdf_reader
from joint_module.urdf_model import Joint, Pose, Shape, Urdf
from stride_base.errors import RefusedError

#: What the page can load, by ending.
MESH_KINDS = (".stl", ".glb", ".gltf")
URDF_FILE = "robot.urdf"


@dataclass(frozen=True)
class Foot:
    """The round end of a leg.

    Args:
        link: The leg's last link.
        place: (3,) its centre in that link, m.
        radius: How far the ground is from the centre, m.
    """

    link: str
    place: tuple[float, ...]
    radius: float


class RobotModel:
    """Kinematics of a URDF.

    Args:
        urdf: The checked file.

    Raises:
        RefusedError: its links are no tree.
    """

    def __init__(self, urdf: Urdf) -> None:
        self._urdf = urdf
        self.name = urdf.name
        self._order = _from_the_root(urdf)
        children = {joint.child for joint in self._order}
        self.root = next(name for name in urdf.links if name not in children)
        self.joint_names = tuple(
            joint.name for joint in self._order if joint.is_movable and joint.mimic is None
        )
        self._origins = {joint.name: _matrix(joint.pose) for joint in self._order}
        self._axes = {
            joint.name: np.array(joint.axis) / np.linalg.norm(joint.axis)
            for joint in self._order
            if joint.is_movable
        }
        self.feet = _feet(urdf, self._order)
        self.leg_joints = _joints_to({foot.link for foot in self.feet}, self._order)
        #: (n, 3) corners of the body's shapes in the root link, m.
        self.body = _corners(urdf.links[self.root].shapes)
        self._masses = [
            (link.name, np.array(link.inertial.pose.xyz), link.inertial.mass)
            for link in urdf.links.values()
            if link.inertial is not None and link.inertial.mass > 0.0
        ]

    @staticmethod
    def from_text(text: str, file: str = "robot_description") -> RobotModel:
        """Read a URDF; `file` names it in errors.

        Raises:
            StrideError: it is none, or a value in it is wrong.
        """
        return RobotModel(urdf_reader.from_element(untrusted_xml.parse(text.encode(), file), file))

    def poses(self, angles: Mapping[str, float]) -> dict[str, FloatArray]:
        """(4, 4) pose of every link in the root link; joints without an angle are at 0.

        Args:
            angles: rad or m by joint; those that are no number count as 0.
        """
        poses = {self.root: np.eye(4)}
        for joint in self._order:
            moved = poses[joint.parent] @ self._origins[joint.name]
            if joint.is_movable:
                moved = moved @ _motion(joint, self._axes[joint.name], _value(joint, angles))
            poses[joint.child] = moved
        return poses

    def foot_centers(self, poses: Mapping[str, FloatArray]) -> FloatArray:
        """(n, 3) centres of the feet in the root link, m."""
        if not self.feet:
            return np.zeros((0, 3))
        return np.array([(poses[foot.link] @ [*foot.place, 1.0])[:3] for foot in self.feet])

    def center_of_mass(self, poses: Mapping[str, FloatArray]) -> FloatArray | None:
        """(3,) centre of mass in the root link, m; None if no link weighs anything."""
        if not self._masses:
            return None
        places = np.array([(poses[link] @ [*place, 1.0])[:3] for link, place, _ in self._masses])
        return np.average(places, axis=0, weights=[mass for _, _, mass in self._masses])

    def scene(self, mesh_url: Callable[[str], str]) -> dict[str, Any]:
        """The tree for the page to draw, as JSON values.

        Args:
            mesh_url: Where the page finds a mesh; empty: it cannot, and the mesh is among `left_out`.
        """
        joints = [
            {
                "name": joint.name,
                "parent": joint.parent,
                "child": joint.child,
                "kind": joint.kind,
                "xyz": joint.pose.xyz,
                "rpy": joint.pose.rpy,
                "axis": joint.axis,
                "mimic": None
                if joint.mimic is None
                else [joint.mimic.master, joint.mimic.multiplier, joint.mimic.offset],
            }
            for joint in self._order
        ]
        links = {
            name: [_drawn(shape, mesh_url) for shape in link.shapes]
            for name, link in self._urdf.links.items()
        }
        meshes = {shape.mesh for link in self._urdf.links.values() for shape in link.shapes}
        left_out = sorted(mesh for mesh in meshes - {""} if not mesh_url(mesh))
        return {"root": self.root, "links": links, "joints": joints, "left_out": left_out}


def urdf_of(folder: Path | None) -> str:
    """Text of the robot's URDF; empty if it has none.

    Raises:
        RefusedError: it has one that cannot be read.
    """
    if folder is None or not (folder / URDF_FILE).is_file():
        return ""
    try:
        return (folder / URDF_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{folder / URDF_FILE} cannot be read: {error}") from error


def _from_the_root(urdf: Urdf) -> list[Joint]:
    """Joints in an order in which every parent comes before its children."""
    children = [joint.child for joint in urdf.joints.values()]
    roots = [name for name in urdf.links if name not in children]
    known = {name for joint in urdf.joints.values() for name in (joint.parent, joint.child)}
    if len(roots) != 1 or len(children) != len(set(children)) or known - set(urdf.links):
        raise RefusedError(f"{urdf.file}: its links are no tree with one root")
    order: list[Joint] = []
    todo = [roots[0]]
    while todo:
        link = todo.pop()
        below = [joint for joint in urdf.joints.values() if joint.parent == link]
        order += below
        todo += [joint.child for joint in below]
    if len(order) != len(urdf.joints):
        raise RefusedError(f"{urdf.file}: its links are no tree with one root")
    return order


def _feet(urdf: Urdf, order: list[Joint]) -> tuple[Foot, ...]:
    """A foot for each last link: of its spheres the one farthest from its joint."""
    parents = {joint.parent for joint in order}
    feet = []
    for joint in order:
        spheres = [shape for shape in urdf.links[joint.child].shapes if shape.kind == "sphere"]
        if joint.child in parents or not spheres:
            continue
        end = max(spheres, key=lambda shape: float(np.linalg.norm(shape.pose.xyz)))
        feet.append(Foot(joint.child, end.pose.xyz, end.size[0]))
    return tuple(feet)


def _joints_to(links: set[str], order: list[Joint]) -> tuple[str, ...]:
    """Names of the joints that move `links`, for one that mimics that of its master."""
    wanted, found = set(links), set()
    for joint in reversed(order):
        if joint.child in wanted:
            wanted.add(joint.parent)
            if joint.is_movable:
                found.add(joint.name if joint.mimic is None else joint.mimic.master)
    return tuple(sorted(found))


def _corners(shapes: tuple[Shape, ...]) -> FloatArray:
    """(n, 3) corners of the boxes around shapes; meshes are not looked into."""
    corners: list[FloatArray] = [np.zeros((0, 3))]
    for shape in shapes:
        if shape.kind == "mesh":
            continue
        a, b, c = (*shape.size, *shape.size, *shape.size)[:3]
        half = {"box": (a / 2, b / 2, c / 2), "sphere": (a, a, a), "cylinder": (a, a, b / 2)}
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        pose = _matrix(shape.pose)
        corners.append(signs * half[shape.kind] @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(corners)


def _matrix(pose: Pose) -> FloatArray:
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_euler("xyz", pose.rpy).as_matrix()
    matrix[:3, 3] = pose.xyz
    return matrix


def _motion(joint: Joint, axis: FloatArray, value: float) -> FloatArray:
    matrix = np.eye(4)
    if joint.kind == "prismatic":
        matrix[:3, 3] = value * axis
        return matrix
    # Rodrigues: many times faster here than a Rotation made for each joint.
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned = math.sin(value) * cross + (1.0 - math.cos(value)) * (cross @ cross)
    matrix[:3, :3] += turned
    return matrix


def _value(joint: Joint, angles: Mapping[str, float]) -> float:
    if joint.mimic is None:
        value = angles.get(joint.name, 0.0)
    else:
        master = angles.get(joint.mimic.master, 0.0)
        value = joint.mimic.multiplier * master + joint.mimic.offset
    return value if np.isfinite(value) else 0.0


def _drawn(shape: Shape, mesh_url: Callable[[str], str]) -> dict[str, Any]:
    return {
        "kind": shape.kind,
        "size": shape.size,
        "xyz": shape.pose.xyz,
        "rpy": shape.pose.rpy,
        "rgba": shape.rgba,
        "url": mesh_url(shape.mesh) if shape.mesh else "",
    }
