"""A robot as links, joints and simple solids: what MJCF and URDF are both written from. SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]


class Shape(Enum):
    """Solids; a capsule lies along x, and has its length between the centres of its ends."""

    BOX = "box"
    CAPSULE = "capsule"
    SPHERE = "sphere"


@dataclass(frozen=True)
class Part:
    """One solid of a link, parallel to the link's axes.

    Args:
        name: Unique in the robot.
        shape: Which solid.
        size: Box: lengths along x, y, z. Capsule: (length, radius, 0). Sphere: (radius, 0, 0); m.
        at: Its middle in the link's frame, m.
        mass: kg.
        color: Name in the description's colors.
        friction: Coulomb friction against the ground; None: it touches nothing.
    """

    name: str
    shape: Shape
    size: Vector
    at: Vector
    mass: float
    color: str
    friction: float | None = None

    def inertia(self) -> NDArray[np.float64]:
        """(3, 3) moments of inertia about its middle, kg m^2."""
        a, b, c = self.size
        if self.shape is Shape.SPHERE:
            return np.eye(3) * (0.4 * self.mass * a * a)
        if self.shape is Shape.BOX:
            squares = np.array([b * b + c * c, a * a + c * c, a * a + b * b])
            return np.diag(self.mass / 12.0 * squares)
        return np.diag(_capsule(self.mass, a, b))


def _capsule(mass: float, length: float, radius: float) -> NDArray[np.float64]:
    """Moments about the middle: a cylinder and two half spheres of the same density."""
    cylinder_volume = np.pi * radius**2 * length
    density = mass / (cylinder_volume + 4.0 / 3.0 * np.pi * radius**3)
    cylinder = density * cylinder_volume
    ends = mass - cylinder
    along = 0.5 * cylinder * radius**2 + 0.4 * ends * radius**2
    shift = length**2 / 4.0 + 3.0 / 8.0 * length * radius
    across = cylinder * (radius**2 / 4.0 + length**2 / 12.0) + ends * (0.4 * radius**2 + shift)
    return np.array([along, across, across])


@dataclass(frozen=True)
class Joint:
    """A hinge between a link and its parent, which also is the frame of the link.

    Args:
        name: As on the servo bus.
        parent: Name of the parent link.
        at: In the parent's frame, m.
        yaw, pitch_up: Frame of the link at 0 rad: turned about the parent's z, then raised about -y.
        axis: In the link's frame.
        low, high: Limits, rad.
    """

    name: str
    parent: str
    at: Vector
    yaw: float
    pitch_up: float
    axis: Vector
    low: float
    high: float


@dataclass(frozen=True)
class Link:
    """A rigid body; `joint` is None for the base."""

    name: str
    parts: tuple[Part, ...]
    joint: Joint | None = None

    @property
    def mass(self) -> float:
        """kg."""
        return sum(part.mass for part in self.parts)

    def centre(self) -> NDArray[np.float64]:
        """(3,) centre of mass in its own frame, m."""
        moments = [part.mass * np.array(part.at) for part in self.parts]
        return np.asarray(np.sum(moments, axis=0) / self.mass)

    def inertia(self) -> NDArray[np.float64]:
        """(3, 3) moments of inertia about the centre of mass, kg m^2."""
        total = np.zeros((3, 3))
        centre = self.centre()
        for part in self.parts:
            d = np.array(part.at) - centre
            total += part.inertia() + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return total


@dataclass(frozen=True)
class RobotDescription:
    """A robot with a free base.

    Args:
        name: Of the robot.
        links: The base first, every other one after its parent.
        colors: Red, green, blue (and opacity) by name.
        standing_height: Of the base frame over the ground with all joints at 0, m.
        floor_friction: Of the ground.
    """

    name: str
    links: tuple[Link, ...]
    colors: Mapping[str, tuple[float, ...]]
    standing_height: float
    floor_friction: float

    @property
    def mass(self) -> float:
        """kg."""
        return sum(link.mass for link in self.links)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints in order."""
        return tuple(link.joint for link in self.links if link.joint is not None)
