"""Makes control.json of the hexapod: a tripod gait for the CPG, from geometry.yaml and gait.yaml.

    python config/robots/hexapod/make_control.py            writes control.json beside this file
    python config/robots/hexapod/make_control.py --show     prints it

1. Each foot shall follow a path: on the ground for half a cycle, moving back; in the air for the
   other half, moving forward (`foot_path`).
2. Inverse kinematics gives the joint angles of the path, counted from the standing pose.
3. Two harmonics per joint are fitted to them, with more weight on the half on the ground.
4. The same with shorter and longer strides gives `steer_gain` and `steer_shift`.

Angle conventions are those of config/robots/README.md. Numbers are rounded to 4 digits.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

HERE = Path(__file__).resolve().parent
GEOMETRY = yaml.safe_load((HERE / "geometry.yaml").read_text(encoding="utf-8"))
JOINTS = ("coxa", "femur", "tibia")
TRIPOD = ("fl", "mr", "rl")  # lifts first; the other three follow half a cycle later


class Gait(NamedTuple):
    """The values of gait.yaml, where they are explained."""

    frequency: float
    stride: float
    lift: float
    outward: float
    turn: float
    stance_weight: float


def load_gait() -> Gait:
    """The gait beside this file."""
    return Gait(**yaml.safe_load((HERE / "gait.yaml").read_text(encoding="utf-8")))


THETA = np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False)
HARMONICS = np.stack(
    [np.ones_like(THETA), np.sin(THETA), np.cos(THETA), np.sin(2 * THETA), np.cos(2 * THETA)],
    axis=1,
)


def inverse(limb: dict[str, Any], foot: np.ndarray) -> np.ndarray:
    """(n, 3) heading, elevation of the femur and angle at the knee, rad, for (n, 3) feet in mm."""
    c, f, t = GEOMETRY["coxa"], GEOMETRY["femur"], GEOMETRY["tibia"]
    x, y, z = foot.T
    heading = np.arctan2(z, x)
    reach = np.hypot(x, z) - c
    d = np.hypot(reach, y)
    elevation = np.arctan2(y, reach) + np.arccos((f * f + d * d - t * t) / (2 * f * d))
    knee = np.arccos((f * f + t * t - d * d) / (2 * f * t))
    return np.stack([heading, elevation, knee], axis=1)


def joint_angles(limb: dict[str, Any], foot: np.ndarray) -> np.ndarray:
    """(n, 3) coxa, femur and tibia in rad from the standing pose, signs of README.md."""
    change = inverse(limb, foot) - inverse(limb, np.array([limb["stand"]], dtype=float))
    return change * [turn_of_heading(limb), 1.0, 1.0]


def forward(limb: dict[str, Any], angles: np.ndarray) -> np.ndarray:
    """(n, 3) feet in mm for (n, 3) joint angles; the inverse of `joint_angles`."""
    c, f, t = GEOMETRY["coxa"], GEOMETRY["femur"], GEOMETRY["tibia"]
    stand = inverse(limb, np.array([limb["stand"]], dtype=float))
    heading, elevation, knee = (stand + angles * [turn_of_heading(limb), 1.0, 1.0]).T
    tibia = elevation - math.pi + knee
    reach = c + f * np.cos(elevation) + t * np.cos(tibia)
    y = f * np.sin(elevation) + t * np.sin(tibia)
    return np.stack([reach * np.cos(heading), y, reach * np.sin(heading)], axis=1)


def turn_of_heading(limb: dict[str, Any]) -> float:
    """Change of the heading (outward to forward) per turn counter-clockwise seen from above."""
    return -1.0 if limb["side"] == "left" else 1.0


def lift(theta: np.ndarray) -> np.ndarray:
    """Height over a cycle, 1 at the top and within 1/17 of 0 on the ground.

    No curve of two harmonics is flatter there: the ends and the middle of the half on the ground
    are equally high, and the two dips between them equally low.
    """
    return (1.25 + 2.0 * np.sin(theta) - np.cos(2.0 * theta)) / 4.25


def foot_path(limb: dict[str, Any], gait: Gait, stride: float) -> np.ndarray:
    """(360, 3) foot in mm over a cycle: in the air for sin(theta) > 0, on the ground otherwise."""
    x, y, z = limb["stand"]
    lifted = lift(THETA)
    forward = z - stride / 2 * np.cos(THETA)
    return np.stack([x + gait.outward * lifted, y + gait.lift * lifted, forward], axis=1)


def fit(columns: np.ndarray, wanted: np.ndarray, gait: Gait) -> np.ndarray:
    """Coefficients of (360, k) columns that come nearest to (360,) wanted angles."""
    weight = np.where(np.sin(THETA) < 0.0, gait.stance_weight, 1.0)
    return np.linalg.lstsq(columns * weight[:, None], wanted * weight, rcond=None)[0]


def servo(index: int, limb: dict[str, Any], joint: str, gait: Gait) -> dict[str, Any]:
    """One entry of `servos`."""
    axis = JOINTS.index(joint)
    wanted = {}
    for command in (-1, 0, 1):
        path = foot_path(limb, gait, gait.stride * stride_factor(limb, gait, command))
        wanted[command] = joint_angles(limb, path)[:, axis]
    offset, s1, c1, s2, c2 = fit(HARMONICS, wanted[0], gait)
    motion = HARMONICS[:, 1:] @ np.array([s1, c1, s2, c2])
    shift, gain = fit(
        np.stack([np.ones_like(motion), motion], axis=1), (wanted[1] - wanted[-1]) / 2, gait
    )
    start = 0.0 if limb["name"] in TRIPOD else math.pi
    low, high = limits(limb, joint)
    return {
        "id": index + 1,
        "name": f"{limb['name']}_{joint}",
        "mode": "position",
        "amp1": rounded(math.hypot(s1, c1)),
        "phase1": rounded((math.atan2(c1, s1) + start) % (2 * math.pi)),
        "offset": rounded(offset),
        "amp2": rounded(math.hypot(s2, c2)),
        "phase2": rounded((math.atan2(c2, s2) + 2 * start) % (2 * math.pi)),
        "sigma": 0.0,
        "steer_gain": rounded(gain),
        "steer_shift": rounded(shift),
        "sign": sign(limb, joint),
        "zero": 2048,
        "min": rounded(low),
        "max": rounded(high),
    }


def rounded(value: float) -> float:
    """4 digits, and no -0.0."""
    return round(float(value), 4) + 0.0


def stride_factor(limb: dict[str, Any], gait: Gait, command: int) -> float:
    """Steering +1 turns left: shorter strides on the left, longer ones on the right."""
    return 1.0 + command * gait.turn * (-1.0 if limb["side"] == "left" else 1.0)


def sign(limb: dict[str, Any], joint: str) -> int:
    """Mirrored mounting: coxa shafts point up on both sides, the others forward on both sides,
    where the same turn of a servo lifts a left leg and lowers a right one."""
    return 1 if joint == "coxa" or limb["side"] == "left" else -1


def limits(limb: dict[str, Any], joint: str) -> tuple[float, float]:
    """Limits in rad from the standing pose."""
    stand = np.degrees(inverse(limb, np.array([limb["stand"]], dtype=float))[0])
    low, high = GEOMETRY["limits"][joint]
    if joint == "coxa":
        turn = turn_of_heading(limb)
        ends = [turn * (limit + limb["coxa_zero"] - stand[0]) for limit in (low, high)]
    elif joint == "femur":
        ends = [GEOMETRY["femur_zero"] - limit - stand[1] for limit in (low, high)]
    else:
        ends = [GEOMETRY["tibia_zero"] + limit - stand[2] for limit in (low, high)]
    return math.radians(min(ends)), math.radians(max(ends))


def document(gait: Gait | None = None) -> dict[str, Any]:
    """The control file; of another gait than that of gait.yaml if one is given."""
    gait = load_gait() if gait is None else gait
    joints = [(limb, joint) for limb in GEOMETRY["limbs"] for joint in JOINTS]
    return {
        "format": 3,
        "robot": "hexapod-tripod",
        "fitness": 0.0,
        "control_hz": 50,
        "ramp_time": 1.0,
        "load_full_scale": 0.7,
        "frequency": gait.frequency,
        "servos": [servo(index, limb, joint, gait) for index, (limb, joint) in enumerate(joints)],
    }


def text() -> str:
    """The control file as text, a few lines per servo."""
    fields = document()
    servos = ",\n".join(servo_text(entry) for entry in fields.pop("servos"))
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in fields.items())
    return f'{{\n{head}  "servos": [\n{servos}\n  ]\n}}\n'


def servo_text(entry: dict[str, Any]) -> str:
    """One servo, with a new line before the harmonics, the steering and the mounting."""
    pairs = [(key, f"{json.dumps(key)}: {json.dumps(value)}") for key, value in entry.items()]
    starts = ("amp1", "sigma", "sign")
    lines = "".join(("\n     " if key in starts else " ") + pair + "," for key, pair in pairs)
    return f"    {{{lines.strip().rstrip(',')}}}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print instead of writing the file")
    if parser.parse_args().show:
        print(text(), end="")
    else:
        (HERE / "control.json").write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
