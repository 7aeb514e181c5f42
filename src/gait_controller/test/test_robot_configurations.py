"""The robots in config/robots: they load, and the hexapod's file really makes it walk.

Feet are computed here from the conventions in config/robots/README.md, apart from the script that
made the file: body axes x forward, y left, z up, in mm.
"""

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gait_controller import control_file
from gait_controller.cpg import Cpg
from gait_controller.report import JointAtCommand, report

ROBOTS = Path(__file__).resolve().parents[3] / "config" / "robots"
HEXAPOD = ROBOTS / "hexapod" / "control.json"
LIMBS = ("fl", "ml", "rl", "fr", "mr", "rr")
LEFT = np.array([True, True, True, False, False, False])
FIRST_TRIPOD = np.array([limb in ("fl", "mr", "rl") for limb in LIMBS])
COXA, FEMUR, TIBIA = 40.0, 84.0, 141.0
# Coxa axes (x forward, y left) and headings of the legs in the standing pose.
MOUNTS = np.array([(104, 53), (0, 80), (-104, 53), (104, -53), (0, -80), (-104, -53)], dtype=float)
HEADINGS = np.radians([45, 90, 135, -45, -90, -135])
STAND_REACH = np.array([math.hypot(88, 88), 125, math.hypot(88, 88)] * 2) - COXA
HEIGHT = -85.0
HZ = 50
COMMANDS = (-1.0, 0.0, 1.0)

specification = importlib.util.spec_from_file_location(
    "make_control", HEXAPOD.with_name("make_control.py")
)
assert specification is not None and specification.loader is not None
make_control = importlib.util.module_from_spec(specification)
specification.loader.exec_module(make_control)


def feet(joints: np.ndarray) -> np.ndarray:
    """(ticks, 6, 3) feet in the body frame for (ticks, 18) joint angles in rad."""
    coxa, femur, tibia = np.moveaxis(joints.reshape(-1, 6, 3), -1, 0)
    # The triangle of femur and tibia in the standing pose.
    far = np.hypot(STAND_REACH, HEIGHT)
    at_hip = np.arccos((FEMUR**2 + far**2 - TIBIA**2) / (2 * FEMUR * far))
    thigh = np.arctan2(HEIGHT, STAND_REACH) + at_hip + femur
    at_knee = np.arccos((FEMUR**2 + TIBIA**2 - far**2) / (2 * FEMUR * TIBIA))
    shin = thigh + at_knee + tibia - math.pi
    reach = COXA + FEMUR * np.cos(thigh) + TIBIA * np.cos(shin)
    heading = HEADINGS + coxa
    x = MOUNTS[:, 0] + reach * np.cos(heading)
    y = MOUNTS[:, 1] + reach * np.sin(heading)
    return np.stack([x, y, FEMUR * np.sin(thigh) + TIBIA * np.sin(shin)], axis=-1)


def cycle(command: float) -> tuple[np.ndarray, np.ndarray]:
    """(50, 6, 3) feet over one cycle after the ramp, and (50, 6) whether each is in stance."""
    cpg = Cpg(control_file.load(HEXAPOD))
    load = np.zeros(18)
    frames = [cpg.step(load, command) for _ in range(4 * HZ)][-HZ:]
    phase = np.array([frame.theta[0] for frame in frames])[:, None]
    stance = np.where(FIRST_TRIPOD, np.sin(phase), -np.sin(phase)) < 0.0
    return feet(np.array([frame.position for frame in frames])), stance


def moved(path: np.ndarray) -> np.ndarray:
    """Change per tick, (50, ...), of a path that is periodic."""
    return np.roll(path, -1, axis=0) - path


def body_motion(path: np.ndarray, stance: np.ndarray) -> tuple[float, float, float]:
    """Mean forward and sideways speed (mm/s) and yaw rate (rad/s) of a body whose stance feet do
    not slip, in the sense of least squares."""
    both = stance & np.roll(stance, -1, axis=0)
    rates = []
    for feet_now, change, down in zip(path, moved(path), both, strict=True):
        rows, right = [], []
        for (x, y, _), (dx, dy, _) in zip(feet_now[down], change[down], strict=True):
            # A foot that stands still moves in the body by -(v + w x r).
            rows += [(-1, 0, y), (0, -1, -x)]
            right += [dx * HZ, dy * HZ]
        if rows:
            rates.append(
                np.linalg.lstsq(np.array(rows, dtype=float), np.array(right), rcond=None)[0]
            )
    forward, sideways, yaw = np.mean(rates, axis=0)
    return float(forward), float(sideways), float(yaw)


@pytest.mark.parametrize("robot", ["seed_example", "hexapod"])
def test_every_robot_loads_without_a_warning(robot: str) -> None:
    assert control_file.load(ROBOTS / robot / "control.json").warnings == ()


def test_the_seed_example_is_the_one_that_the_vectors_were_computed_for() -> None:
    data = json.loads((ROBOTS.parents[1] / "test/data/control.json").read_text(encoding="utf-8"))
    written = json.loads((ROBOTS / "seed_example/control.json").read_text(encoding="utf-8"))
    assert written == data["cases"][0]["control"]


def test_the_hexapods_file_is_what_its_script_makes() -> None:
    assert HEXAPOD.read_text(encoding="utf-8") == make_control.text()


def test_the_scripts_kinematics_give_the_published_angles() -> None:
    limb: dict[str, Any] = make_control.GEOMETRY["limbs"][0]
    heading, elevation, knee = np.degrees(make_control.inverse(limb, np.array([[100, -40, 100]])))[
        0
    ]
    assert heading - 45 == pytest.approx(0.0, abs=1e-9)
    assert 101 - elevation == pytest.approx(29.586265681806527, abs=1e-9)
    assert knee - 47 == pytest.approx(3.552367645315549, abs=1e-9)


def test_the_hexapod_has_the_names_and_ids_of_its_readme() -> None:
    control = control_file.load(HEXAPOD)
    joints = [f"{limb}_{joint}" for limb in LIMBS for joint in ("coxa", "femur", "tibia")]
    assert list(control.names) == joints
    assert [servo.id for servo in control.servos] == list(range(1, 19))
    assert (control.control_hz, control.load_full_scale) == (50, 0.7)
    assert all(servo.mode == "position" and servo.sigma == 0.0 for servo in control.servos)


def test_zero_is_the_standing_pose() -> None:
    standing = feet(np.zeros((1, 18)))[0]
    reach = np.array([(88, 88), (0, 125), (-88, 88), (88, -88), (0, -125), (-88, -88)])
    np.testing.assert_allclose(standing[:, :2], MOUNTS + reach, atol=1e-9)
    np.testing.assert_allclose(standing[:, 2], HEIGHT, atol=1e-9)


def test_positive_joints_turn_counter_clockwise_lift_and_open_the_knee() -> None:
    standing = feet(np.zeros((1, 18)))[0]
    for joint in range(3):
        angles = np.zeros((1, 18))
        angles[0, joint::3] = 0.1
        change = feet(angles)[0] - standing
        outward = np.where(LEFT, 1, -1)
        if joint == 0:
            assert (np.where(LEFT, -change[:, 0], change[:, 0]) > 0).all()
        else:
            assert (change[:, 2] > 0).all()
            assert joint == 1 or (change[:, 1] * outward > 0).all()


def test_signs_are_those_of_a_mirrored_mounting() -> None:
    signs = np.array([servo.sign for servo in control_file.load(HEXAPOD).servos]).reshape(6, 3)
    assert (signs[:, 0] == signs[0, 0]).all()
    assert (signs[:3, 1:] == -signs[3:, 1:]).all()


@pytest.mark.parametrize("command", COMMANDS)
def test_feet_are_level_on_the_ground_and_clear_it_in_the_air(command: float) -> None:
    path, stance = cycle(command)
    height = path[..., 2]
    ground = height[stance]
    assert np.ptp(ground) < (6.0 if command == 0.0 else 11.0)
    assert abs(np.median(ground) - HEIGHT) < 3.0
    for limb in range(6):
        assert height[:, limb].max() - ground.max() > (35.0 if command == 0.0 else 30.0)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_tripods_alternate(command: float) -> None:
    path, stance = cycle(command)
    assert (stance.sum(axis=1) == 3).all()
    high = path[..., 2] > HEIGHT + 15.0
    assert high.any(axis=0).all()
    assert not (high[:, FIRST_TRIPOD].any(axis=1) & high[:, ~FIRST_TRIPOD].any(axis=1)).any()


@pytest.mark.parametrize("command", COMMANDS)
def test_legs_push_back_on_the_ground_and_swing_forward_in_the_air(command: float) -> None:
    path, stance = cycle(command)
    forward = moved(path[..., 0])
    on_ground = stance & np.roll(stance, -1, axis=0)
    in_air = ~stance & np.roll(~stance, -1, axis=0)
    # At lift-off and touch-down a foot stands still for a moment, in either sense.
    nearly = 0.1 if command == 0.0 else 1.0
    assert (forward[on_ground] < nearly).all()
    assert (forward[in_air] > -nearly).all()
    assert (np.sum(np.where(on_ground, forward, 0.0), axis=0) < -30.0).all()
    assert (np.sum(np.where(in_air, forward, 0.0), axis=0) > 30.0).all()


def test_straight_ahead_it_walks_in_plus_x_and_does_not_turn() -> None:
    forward, sideways, yaw = body_motion(*cycle(0.0))
    assert forward == pytest.approx(160.0, abs=10.0)
    assert abs(sideways) < 0.5 and abs(yaw) < 0.01


def test_left_and_right_legs_do_the_same_half_a_cycle_apart() -> None:
    path, _ = cycle(0.0)
    mirrored = np.roll(path[:, 3:], HZ // 2, axis=0) * [1, -1, 1]
    np.testing.assert_allclose(path[:, :3], mirrored, atol=0.1)


@pytest.mark.parametrize("command", [0.5, 1.0, -0.5, -1.0])
def test_positive_steering_turns_left_with_shorter_strides_on_the_inner_side(
    command: float,
) -> None:
    path, stance = cycle(command)
    forward, _, yaw = body_motion(path, stance)
    assert forward > 140.0
    assert yaw * command > 0.0 and abs(yaw) > 0.2 * abs(command)
    stride = -np.sum(np.where(stance, moved(path[..., 0]), 0.0), axis=0)
    inner, outer = (LEFT, ~LEFT) if command > 0 else (~LEFT, LEFT)
    assert stride[inner].max() < stride[outer].min() * (0.7 if abs(command) == 0.5 else 0.4)


def test_no_joint_is_cut_clipped_or_too_fast_at_any_steering() -> None:
    found = report(control_file.load(HEXAPOD))
    assert found.fastest < 4.0
    for servo in found.servos:
        for entry in servo.commands:
            assert isinstance(entry, JointAtCommand)
            assert entry.cut == 1.0 and entry.clipped == 0.0
