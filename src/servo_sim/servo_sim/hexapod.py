"""The hexapod's description from its two files: geometry.yaml and body.yaml.

In the geometry's frame of a limb x points outward, y up, z forward (mm, degrees); here x points forward,
y left, z up (m, rad), and the x axis of each link runs along it. Joint angles count from the standing
pose: coxa positive is counter-clockwise from above, femur positive lifts, tibia positive opens the knee.
"""

from __future__ import annotations

import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from servo_sim.robot_description import Joint, Link, Part, RobotDescription, Shape, Vector
from stride_base.errors import MISSING, ConfigError
from stride_base.schema_check import check
from stride_base.strict_json import FileError

MM = 0.001
GEOMETRY_FILE, BODY_FILE = "geometry.yaml", "body.yaml"
#: The body's frame, as REP-105 calls it.
BASE = "base_link"
LIFT_AXIS: Vector = (0.0, -1.0, 0.0)


def load_hexapod(folder: Path) -> RobotDescription:
    """The robot in `folder`.

    Raises:
        FileError: a file is missing or not YAML.
        ConfigError: a value is missing or wrong, or a standing foot is out of reach.
    """
    geometry = _read(folder / GEOMETRY_FILE)
    body = _read(folder / BODY_FILE)
    schemas = json.loads((resources.files(__package__) / "robot_schema.json").read_text())
    check(geometry, schemas["geometry"], folder / GEOMETRY_FILE)
    check(body, schemas["body"], folder / BODY_FILE)
    _check_colors(body, folder)
    legs = [_leg(limb, geometry, body, folder) for limb in geometry["limbs"]]
    heights = {limb["stand"][1] for limb in geometry["limbs"]}
    return RobotDescription(
        name=folder.resolve().name,
        links=(_base(geometry, body), *(link for leg in legs for link in leg)),
        colors={name: tuple(rgb) for name, rgb in body["colors"].items()},
        standing_height=-min(heights) * MM,
        floor_friction=body["friction"]["other"],
    )


def _check_colors(body: Any, folder: Path) -> None:
    used = [(part["name"], part["color"]) for part in body["body"]]
    used += [(name, part["color"]) for name, part in body["leg"].items()]
    for where, color in used:
        if color not in body["colors"]:
            raise ConfigError(folder / BODY_FILE, where, "color", color, "one of the colors")
    if "servo" not in body["colors"]:
        raise ConfigError(folder / BODY_FILE, "colors", "servo", MISSING, "red, green, blue")


def _read(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise FileError(f"{path}: is not YAML: {error}") from error


def _base(geometry: Any, body: Any) -> Link:
    parts = [
        Part(
            name=part["name"],
            shape=Shape.BOX,
            size=_mm(part["size"]),
            at=_mm(part["at"]),
            mass=part["mass"],
            color=part["color"],
            friction=body["friction"]["other"] if part.get("collides") else None,
        )
        for part in body["body"]
    ]
    long, high, wide = body["servo"]["size"]
    for limb in geometry["limbs"]:
        right, forward = limb["mount"]
        inward = math.copysign(10.0, right)
        parts.append(
            Part(
                name=f"{limb['name']}_coxa_servo",
                shape=Shape.BOX,
                size=_mm((high, long, wide)),
                at=_mm((forward, -(right - inward), -10.0)),
                mass=body["servo"]["mass"],
                color="servo",
            )
        )
    return Link(BASE, tuple(parts))


def _leg(limb: Any, geometry: Any, body: Any, folder: Path) -> tuple[Link, Link, Link]:
    name, side = limb["name"], 1.0 if limb["side"] == "left" else -1.0
    c, f, t = (float(geometry[link]) for link in ("coxa", "femur", "tibia"))
    heading, elevation, knee = _standing(limb, (c, f, t), folder)
    limits = _limits(limb, geometry, (heading, elevation, knee), side)
    right, forward = limb["mount"]
    leg, servo, other = body["leg"], body["servo"], body["friction"]["other"]
    long, high, wide = servo["size"]

    def bracket(link: str, part: str, length: float, offset: float) -> Part:
        sizes = leg[link]
        size = _mm((length, sizes["thickness"], sizes["width"]))
        at = _mm((length / 2, offset, 0.0))
        return Part(f"{name}_{part}", Shape.BOX, size, at, sizes["mass"] / 2, sizes["color"])

    def actuator(part: str, size: Vector, at: Vector) -> Part:
        return Part(f"{name}_{part}", Shape.BOX, _mm(size), _mm(at), servo["mass"], "servo")

    coxa = Link(
        f"{name}_coxa",
        (
            bracket("coxa", "coxa_left", c, wide / 2 + 2),
            bracket("coxa", "coxa_right", c, -wide / 2 - 2),
            actuator("femur_servo", (high, wide, long), (c, 0.0, -10.0)),
        ),
        Joint(
            name=f"{name}_coxa",
            parent=BASE,
            at=_mm((forward, -right, 0.0)),
            # From outward to forward, on the left as on the right.
            yaw=side * (math.pi / 2 - heading),
            pitch_up=0.0,
            axis=(0.0, 0.0, 1.0),
            low=limits[0][0],
            high=limits[0][1],
        ),
    )
    femur = Link(
        f"{name}_femur",
        (
            bracket("femur", "femur_left", f, wide / 2 + 6),
            bracket("femur", "femur_right", f, -wide / 2 - 6),
            actuator("tibia_servo", (long, wide, high), (f - 10.0, 0.0, 0.0)),
            # Massless: what the knee touches the ground with.
            Part(
                f"{name}_knee", Shape.SPHERE, (15 * MM, 0, 0), _mm((f, 0, 0)), 0.0, "servo", other
            ),
        ),
        Joint(
            f"{name}_femur",
            f"{name}_coxa",
            _mm((c, 0.0, 0.0)),
            0.0,
            elevation,
            LIFT_AXIS,
            limits[1][0],
            limits[1][1],
        ),
    )
    radius, foot = leg["tibia"]["radius"], leg["foot"]["radius"]
    # The foot's end, not its middle, is where the kinematics have it.
    length = t - foot
    tibia = Link(
        f"{name}_tibia",
        (
            Part(
                f"{name}_shin",
                Shape.CAPSULE,
                _mm((length, radius, 0.0)),
                _mm((length / 2, 0.0, 0.0)),
                leg["tibia"]["mass"],
                leg["tibia"]["color"],
                other,
            ),
            Part(
                f"{name}_foot",
                Shape.SPHERE,
                _mm((foot, 0.0, 0.0)),
                _mm((length, 0.0, 0.0)),
                leg["foot"]["mass"],
                leg["foot"]["color"],
                body["friction"]["foot"],
            ),
        ),
        Joint(
            f"{name}_tibia",
            f"{name}_femur",
            _mm((f, 0.0, 0.0)),
            0.0,
            knee - math.pi,
            LIFT_AXIS,
            limits[2][0],
            limits[2][1],
        ),
    )
    return coxa, femur, tibia


def _standing(
    limb: Any, lengths: tuple[float, float, float], folder: Path
) -> tuple[float, float, float]:
    """Heading (outward to forward), elevation of the femur and angle at the knee, rad."""
    c, f, t = lengths
    x, y, z = limb["stand"]
    reach = math.hypot(x, z) - c
    d = math.hypot(reach, y)
    if not abs(f - t) < d < f + t:
        where, expected = f"limb {limb['name']}", "a foot in reach of the leg (mm)"
        raise ConfigError(folder / GEOMETRY_FILE, where, "stand", limb["stand"], expected)
    elevation = math.atan2(y, reach) + math.acos((f * f + d * d - t * t) / (2 * f * d))
    return math.atan2(z, x), elevation, math.acos((f * f + t * t - d * d) / (2 * f * t))


def _limits(
    limb: Any, geometry: Any, standing: tuple[float, float, float], side: float
) -> list[tuple[float, float]]:
    """Lowest and highest angle of coxa, femur and tibia, rad from the standing pose."""
    heading, elevation, knee = (math.degrees(angle) for angle in standing)
    result = []
    for joint in ("coxa", "femur", "tibia"):
        low, high = geometry["limits"][joint]
        if joint == "coxa":
            ends = [-side * (limit + limb["coxa_zero"] - heading) for limit in (low, high)]
        elif joint == "femur":
            ends = [geometry["femur_zero"] - limit - elevation for limit in (low, high)]
        else:
            ends = [geometry["tibia_zero"] + limit - knee for limit in (low, high)]
        result.append((math.radians(min(ends)), math.radians(max(ends))))
    return result


def _mm(lengths: Any) -> Vector:
    x, y, z = (float(length) * MM for length in lengths)
    return x, y, z
