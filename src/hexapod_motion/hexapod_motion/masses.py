"""What a hexapod weighs and where: the masses of body.yaml as one point mass for each link.

The simulator makes its solids from the same file; how the servos sit in the links is said there too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hexapod_motion.arrays import FloatArray, frozen
from hexapod_motion.documents import load_document, load_schema
from hexapod_motion.geometry import Geometry

BODY = "body.yaml"
#: A servo's middle lies this far from its shaft, mm.
SHAFT = 10.0
_SCHEMA = load_schema("masses_schema.json")


class PointMass(NamedTuple):
    """Mass, kg, and its distance along the link from the link's joint, mm."""

    mass: float
    along: float


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of a hexapod with six equal legs.

    Args:
        body: Everything that is fixed to the body, kg.
        body_at: (3,) its centre in the body's frame (x forward, y left, z up), mm.
        coxa, femur, tibia: Of one leg, with what is fixed to them.
        foot: Radius of the ball that the tibia ends with, mm.
    """

    body: float
    body_at: FloatArray
    coxa: PointMass
    femur: PointMass
    tibia: PointMass
    foot: float


def load_masses(path: str | Path, geometry: Geometry) -> Masses:
    """Read body.yaml.

    Raises:
        FileError: it cannot be read, or is not YAML.
        ConfigError: a mass or place is missing or wrong.
    """
    document = load_document(path, _SCHEMA, lambda _document: _where)
    servo, leg = float(document["servo"]["mass"]), document["leg"]
    total, at = _body(document["body"], servo, geometry)
    length = geometry.tibia - leg["foot"]["radius"]
    return Masses(
        body=total,
        body_at=frozen(at),
        coxa=_joined((leg["coxa"]["mass"], geometry.coxa / 2), (servo, geometry.coxa)),
        femur=_joined((leg["femur"]["mass"], geometry.femur / 2), (servo, geometry.femur - SHAFT)),
        tibia=_joined((leg["tibia"]["mass"], length / 2), (leg["foot"]["mass"], length)),
        foot=float(leg["foot"]["radius"]),
    )


def _where(path: Iterable[str | int]) -> str:
    return " ".join(str(part) for part in path)


def _body(parts: list[dict[str, Any]], servo: float, geometry: Geometry) -> tuple[float, Any]:
    masses = [float(part["mass"]) for part in parts]
    places = [part["at"] for part in parts]
    for right, forward in geometry.mounts:
        masses.append(servo)
        places.append([forward, -(right - np.copysign(SHAFT, right)), -SHAFT])
    total = sum(masses)
    return total, np.array(masses) @ np.array(places) / max(total, 1e-9)


def _joined(*points: tuple[float, float]) -> PointMass:
    total = sum(mass for mass, _along in points)
    return PointMass(total, sum(mass * along for mass, along in points) / max(total, 1e-9))
