"""Degrees and radians, limb frames and the body's frame: nothing is mirrored by mistake (REP-103)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.geometry import Geometry
from hexapod_motion.joint_frame import JointFrame
from hexapod_motion.kinematics import Kinematics

FL, ML, RL, FR, MR, RR = range(6)


def moved(geometry: Geometry, joint: str, rad: float) -> np.ndarray:
    """How feet of a standing robot move in the body's frame when one joint of ROS turns."""
    frame, kinematics, body = JointFrame(geometry), Kinematics(geometry), BodyFrame(geometry)
    position = np.zeros(18)
    position[geometry.joint_names.index(joint)] = rad
    return body.from_limbs(kinematics.forward(frame.from_ros(position))) - body.stand


def test_joint_names_and_order(geometry: Geometry) -> None:
    assert geometry.joint_names[:4] == ("fl_coxa", "fl_femur", "fl_tibia", "ml_coxa")
    assert geometry.joint_names[9] == "fr_coxa" and geometry.joint_names[17] == "rr_tibia"


def test_all_joints_at_zero_is_the_standing_pose(geometry: Geometry) -> None:
    feet = Kinematics(geometry).forward(JointFrame(geometry).from_ros(np.zeros(18)))
    assert feet == pytest.approx(geometry.stand, abs=1e-9)


def test_feet_stand_around_the_body_as_in_rep_103(geometry: Geometry) -> None:
    stand = BodyFrame(geometry).stand
    assert stand[FL].tolist() == [192.0, 141.0, -85.0]
    assert stand[MR].tolist() == [0.0, -205.0, -85.0]
    assert stand[RR].tolist() == [-192.0, -141.0, -85.0]


def test_coxa_positive_turns_counter_clockwise_on_both_sides(geometry: Geometry) -> None:
    assert moved(geometry, "ml_coxa", 0.1)[ML][0] < -5.0
    assert moved(geometry, "mr_coxa", 0.1)[MR][0] > 5.0
    for name, limb in (("fl", FL), ("rl", RL), ("fr", FR), ("rr", RR)):
        foot, mount = BodyFrame(geometry).stand[limb], geometry.mounts[limb]
        arm = foot[:2] - [mount[1], -mount[0]]
        way = moved(geometry, f"{name}_coxa", 0.01)[limb]
        assert arm[0] * way[1] - arm[1] * way[0] > 0.0


@pytest.mark.parametrize("limb", range(6))
def test_femur_positive_lifts_and_tibia_positive_opens(geometry: Geometry, limb: int) -> None:
    name, left = geometry.names[limb], geometry.left[limb]
    assert moved(geometry, f"{name}_femur", 0.1)[limb][2] > 5.0
    opened = moved(geometry, f"{name}_tibia", 0.1)[limb]
    assert opened[2] > 0.0 and opened[1] * left > 2.0


def test_only_the_joints_of_a_leg_move_its_foot(geometry: Geometry) -> None:
    still = moved(geometry, "fr_tibia", 0.3)
    assert np.abs(np.delete(still, FR, axis=0)).max() < 1e-9


@given(angles=arrays(np.float64, (6, 3), elements=st.floats(-180, 180)))
def test_radians_and_back(geometry: Geometry, angles: np.ndarray) -> None:
    frame = JointFrame(geometry)
    assert frame.from_ros(frame.to_ros(angles)) == pytest.approx(angles, abs=1e-9)


@given(points=arrays(np.float64, (2, 6, 3), elements=st.floats(-500, 500)))
def test_body_frame_and_back(geometry: Geometry, points: np.ndarray) -> None:
    body = BodyFrame(geometry)
    assert body.to_limbs(body.from_limbs(points)) == pytest.approx(points, abs=1e-9)


def test_limits_in_radians(geometry: Geometry) -> None:
    frame = JointFrame(geometry)
    femur = np.degrees(frame.limits[geometry.joint_names.index("ml_femur")])
    assert femur == pytest.approx([60.615 - 120.0, 60.615], abs=1e-3)
    tibia = np.degrees(frame.limits[geometry.joint_names.index("ml_tibia")])
    assert tibia == pytest.approx([-10.0 - 11.187, 120.0 - 11.187], abs=1e-3)
    assert (frame.limits[:, 0] < 0.0).all() and (frame.limits[:, 1] > 0.0).all()
    assert frame.speed == pytest.approx(4.71, abs=1e-3)
