"""The robot's shape: read from one file, checked, and trusted from then on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hexapod_motion.arrays import JOINTS, LIMBS, FloatArray, frozen
from hexapod_motion.documents import Where, load_document, load_schema
from stride_base.errors import ConfigError

_SCHEMA = load_schema("geometry_schema.json")


@dataclass(frozen=True, eq=False)
class Geometry:
    """A hexapod. Arrays are read-only and have one row per limb.

    Args:
        file: Where it was read from, for messages.
        names: Six limb names.
        coxa, femur, tibia: Lengths of the links, mm.
        coxa_zero: (6,) heading of the leg at coxa 0, degrees from outward to forward.
        femur_zero: Elevation of the femur at femur 0, degrees.
        tibia_zero: Angle at the knee at tibia 0, degrees.
        limits: (3, 2) lowest and highest angle of coxa, femur and tibia, degrees.
        left: (6,) +1 for a limb of the left side, -1 for one of the right side.
        mounts: (6, 2) coxa axis in the body, x to the right and z forward, mm.
        stand: (6, 3) feet when standing, mm.
        joint_signs: (6, 3) how the joints of ROS turn, +1 or -1.
        joint_speed: Fastest joint, degrees/s.
        center_of_gravity: (3,) in the body, x to the right, y up, z forward, mm.
        floor: Height of the body's underside, mm, not above 0.
    """

    file: str
    names: tuple[str, ...]
    coxa: float
    femur: float
    tibia: float
    coxa_zero: FloatArray
    femur_zero: float
    tibia_zero: float
    limits: FloatArray
    left: FloatArray
    mounts: FloatArray
    stand: FloatArray
    joint_signs: FloatArray
    joint_speed: float
    center_of_gravity: FloatArray
    floor: float

    @property
    def nearest(self) -> float:
        """Shortest distance from the femur's axis to the foot, mm."""
        return abs(self.tibia - self.femur)

    @property
    def farthest(self) -> float:
        """Longest distance from the femur's axis to the foot, mm."""
        return self.tibia + self.femur

    @property
    def standing_height(self) -> float:
        """Height of the coxa joints over the ground when standing, mm."""
        return -float(self.stand[0, 1])

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """18 names, limb by limb: coxa, femur, tibia."""
        return tuple(f"{limb}_{joint}" for limb in self.names for joint in JOINTS)


def load_geometry(path: str | Path) -> Geometry:
    """Read a geometry file.

    Raises:
        FileError: it cannot be read, or is not YAML.
        ConfigError: a value is missing, unknown, of the wrong kind or out of range; limits are
            turned round; names repeat; or the standing feet are out of reach or not level.
    """
    return _geometry(str(path), load_document(path, _SCHEMA, _where))


def _where(document: Any) -> Where:
    def where(path: Iterable[str | int]) -> str:
        parts = list(path)
        if len(parts) >= 2 and parts[0] == "limbs" and isinstance(parts[1], int):
            limb = document["limbs"][parts[1]]
            name = limb.get("name", "?") if isinstance(limb, dict) else "?"
            parts = [f"limb {parts[1]} ({name})", *parts[2:]]
        return " ".join(str(part) for part in parts)

    return where


def _geometry(file: str, document: dict[str, Any]) -> Geometry:
    limbs = document["limbs"]
    names = tuple(limb["name"] for limb in limbs)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ConfigError(file, f"limb {index}", "name", name, "a name of its own")
    for joint in JOINTS:
        low, high = document["limits"][joint]
        if not low < high:
            raise ConfigError(file, "limits", joint, [low, high], "the lower limit first")
    signs = document["joint_signs"]
    geometry = Geometry(
        file=file,
        names=names,
        coxa=float(document["coxa"]),
        femur=float(document["femur"]),
        tibia=float(document["tibia"]),
        coxa_zero=frozen([limb["coxa_zero"] for limb in limbs]),
        femur_zero=float(document["femur_zero"]),
        tibia_zero=float(document["tibia_zero"]),
        limits=frozen([document["limits"][joint] for joint in JOINTS]),
        left=frozen([1.0 if limb["side"] == "left" else -1.0 for limb in limbs]),
        mounts=frozen([limb["mount"] for limb in limbs]),
        stand=frozen([limb["stand"] for limb in limbs]),
        joint_signs=frozen([[signs[limb["side"]][joint] for joint in JOINTS] for limb in limbs]),
        joint_speed=float(document["joint_speed"]),
        center_of_gravity=frozen(document["body"]["center_of_gravity"]),
        floor=float(document["body"]["floor"]),
    )
    _check_standing(geometry)
    return geometry


def _check_standing(geometry: Geometry) -> None:
    # Here, because the kinematics need a geometry.
    from hexapod_motion.kinematics import Kinematics

    for index in range(LIMBS):
        where, stand = f"limb {index} ({geometry.names[index]})", geometry.stand[index]
        if stand[1] != geometry.stand[0, 1] or not stand[1] < geometry.floor:
            expected = "all feet at one height below the body's underside"
            raise ConfigError(geometry.file, where, "stand", stand.tolist(), expected)
        reason = Kinematics(geometry).inverse(geometry.stand).reason(index)
        if reason:
            expected = f"a foot in reach ({reason})"
            raise ConfigError(geometry.file, where, "stand", stand.tolist(), expected)
    mirrored = np.sign(geometry.mounts[:, 0]) == -geometry.left
    if not mirrored.all():
        index = int(np.argmin(mirrored))
        where, mount = f"limb {index} ({geometry.names[index]})", geometry.mounts[index].tolist()
        raise ConfigError(geometry.file, where, "mount", mount, "x < 0 on the left, > 0 right")
