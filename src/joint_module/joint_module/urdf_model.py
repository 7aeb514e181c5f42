"""A URDF as values: what is left of the file once everything in it was read and checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

Vector = tuple[float, ...]
JointType = Literal["revolute", "continuous", "prismatic", "fixed"]
MOVABLE: tuple[JointType, ...] = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Pose:
    """Place of a frame: xyz in m, rpy in rad."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Inertial:
    """Mass in kg and inertia (ixx, ixy, ixz, iyy, iyz, izz) in kg m^2 about the pose."""

    pose: Pose
    mass: float
    inertia: Vector


@dataclass(frozen=True)
class Shape:
    """A box, cylinder, sphere or mesh of a link.

    Args:
        kind: Name of the URDF element.
        size: Box edges; radius and length; radius; or mesh scale.
        mesh: URI of a mesh, else empty.
        rgba: Colour, or None.
    """

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: Vector
    pose: Pose = field(default_factory=Pose)
    mesh: str = ""
    rgba: Vector | None = None


@dataclass(frozen=True)
class Link:
    """A rigid body. `shapes` are its visuals, or its collisions where it has no visuals."""

    name: str
    inertial: Inertial | None = None
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q_master + offset."""

    master: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """A joint; limits are None where the file does not give them (rad or m, N m or N, rad/s or m/s)."""

    name: str
    kind: JointType
    parent: str
    child: str
    pose: Pose
    axis: Vector
    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None
    damping: float
    friction: float
    mimic: Mimic | None

    @property
    def is_movable(self) -> bool:
        return self.kind in MOVABLE

    @property
    def travel(self) -> tuple[float, float] | None:
        """(lower, upper), or None for a joint that turns freely.

        CAD exporters write 0 for both where they know none, which is no lock.
        """
        if self.kind == "continuous" or self.lower is None or self.upper is None:
            return None
        return (self.lower, self.upper) if self.lower < self.upper else None


@dataclass(frozen=True)
class Urdf:
    """A robot: one tree of links and joints. `file` names it in messages."""

    file: str
    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]

    def movable(self) -> Iterator[Joint]:
        """Joints that can move, in the order of the file."""
        return (joint for joint in self.joints.values() if joint.is_movable)

    def holding(self, names: Collection[str]) -> Urdf:
        """This robot with some joints fixed at zero."""
        joints = {
            name: replace(joint, kind="fixed", mimic=None) if name in names else joint
            for name, joint in self.joints.items()
        }
        return replace(self, joints=joints)

    def moving_together(self, link: str) -> list[Link]:
        """The links that are one body with `link`: itself, and what fixed joints hang on it."""
        body, todo = [], [link]
        while todo:
            name = todo.pop()
            body.append(self.links[name])
            todo += [j.child for j in self.joints.values() if j.parent == name and not j.is_movable]
        return body
