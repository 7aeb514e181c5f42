"""Inverse and forward kinematics: expected numbers, round trips, and what lies out of reach."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexapod_motion.geometry import load_geometry
from hexapod_motion.kinematics import Kinematics

ROBOT = Path(__file__).resolve().parents[3] / "config" / "robots" / "hexapod"
KINEMATICS = Kinematics(load_geometry(ROBOT / "geometry.yaml"))
STAND = KINEMATICS.geometry.stand

angle = st.floats(-180.0, 180.0)
limb_index = st.integers(0, 5)


def with_limb(limb: int, point: Any) -> Any:
    points = STAND.copy()
    points[limb] = point
    return points


def test_vectors(vectors: Any) -> None:
    for case in vectors["ik"]:
        limb = case["limb"]
        result = KINEMATICS.inverse(with_limb(limb, case["xyz"]))
        assert result.reachable[limb] == case["reachable"], case["id"]
        if case["reachable"]:
            expected = [case["angles_deg"][joint] for joint in ("coxa", "femur", "tibia")]
            # The numbers are rounded to nine digits, angles and points alike.
            assert result.values[limb] == pytest.approx(
                expected, abs=2e-9 if "ik" in case["id"] else 1e-7
            )


def test_vectors_forward(vectors: Any) -> None:
    for case in vectors["ik"]:
        if case["reachable"]:
            angles = KINEMATICS.inverse(STAND).values.copy()
            angles[case["limb"]] = [case["angles_deg"][j] for j in ("coxa", "femur", "tibia")]
            assert KINEMATICS.forward(angles)[case["limb"]] == pytest.approx(case["xyz"], abs=1e-7)


def test_the_check_of_the_specification_to_the_last_digit() -> None:
    angles = KINEMATICS.inverse(with_limb(0, [100.0, -40.0, 100.0])).values[0]
    assert angles == pytest.approx([0.0, 29.586265681806527, 3.552367645315549], abs=1e-11)


@given(limb_index, st.floats(-90, 90), st.floats(0, 120), st.floats(-10, 120))
def test_every_pose_within_the_limits_comes_back(limb: int, c: float, f: float, t: float) -> None:
    angles = KINEMATICS.inverse(STAND).values.copy()
    angles[limb] = c, f, t
    foot = KINEMATICS.forward(angles)
    heading = np.radians(KINEMATICS.geometry.coxa_zero[limb] + c)
    out = foot[limb, 0] * np.cos(heading) + foot[limb, 2] * np.sin(heading)
    back = KINEMATICS.inverse(foot)
    assert back.reachable[limb]
    assert KINEMATICS.forward(back.values) == pytest.approx(foot, abs=1e-6)
    # A foot behind the coxa axis is also reached with the coxa turned round; a stretched knee is
    # too flat a maximum to tell the angle from the place.
    if out > 1.0 and abs(t + 47.0 - 180.0) > 1.0:
        assert back.values[limb] == pytest.approx([c, f, t], abs=1e-6)


@given(
    limb_index,
    angle,
    st.floats(57.0 + 1e-9, 225.0 - 1e-9),
    angle,
)
def test_every_foot_in_the_shell_is_reached(limb: int, a: float, d: float, e: float) -> None:
    r, y = d * np.cos(np.radians(e)) + 40.0, d * np.sin(np.radians(e))
    foot = with_limb(limb, [r * np.cos(np.radians(a)), y, r * np.sin(np.radians(a))])
    result = KINEMATICS.inverse(foot)
    if r >= 0.0:
        assert result.reachable[limb]
        assert KINEMATICS.forward(result.values)[limb] == pytest.approx(foot[limb], abs=1e-5)


@given(
    limb_index, st.floats(0, 360), st.one_of(st.floats(0.0, 56.999), st.floats(225.001, 1e6)), angle
)
def test_every_foot_outside_is_reported_and_never_nan(
    limb: int, a: float, d: float, e: float
) -> None:
    r, y = d * np.cos(np.radians(e)) + 40.0, d * np.sin(np.radians(e))
    foot = with_limb(limb, [r * np.cos(np.radians(a)), y, r * np.sin(np.radians(a))])
    result = KINEMATICS.inverse(foot)
    assert np.isfinite(result.values).all()
    if r >= 0.0:
        assert not result.reachable[limb]
        assert ("too near" if d < 57.0 else "too far") in result.reason(limb)
    assert [result.reason(other) for other in range(6) if other != limb] == [""] * 5


@given(limb_index, st.tuples(*[st.floats(-1e4, 1e4)] * 3))
def test_no_finite_point_gives_nan(limb: int, point: tuple[float, float, float]) -> None:
    result = KINEMATICS.inverse(with_limb(limb, point))
    assert np.isfinite(result.values).all() and np.isfinite(result.distance).all()


def test_the_femur_axis_itself_is_out_of_reach() -> None:
    result = KINEMATICS.inverse(with_limb(1, [40.0, 0.0, 0.0]))
    assert not result.reachable[1] and np.isfinite(result.values).all()


@pytest.mark.parametrize("limb", range(6))
@pytest.mark.parametrize("distance", [57.0, 225.0])
def test_both_ends_of_the_reach_belong_to_it(limb: int, distance: float) -> None:
    heading = np.radians(KINEMATICS.geometry.coxa_zero[limb])
    r = 40.0 + distance
    foot = with_limb(limb, [r * np.cos(heading), 0.0, r * np.sin(heading)])
    assert KINEMATICS.inverse(foot).reachable[limb]


def test_limits_are_reported_joint_by_joint() -> None:
    result = KINEMATICS.inverse(with_limb(3, [60.0, 40.0, 60.0]))
    assert result.reachable[3] and not result.possible[3]
    assert result.within[3].tolist() == [True, False, False]
    assert "femur at -96.6 deg, beyond 0 to 120 deg and tibia at -37.0" in result.reason(3)


def test_the_rotation_of_the_article_fits_the_limits() -> None:
    result = KINEMATICS.inverse(with_limb(0, [107.878698374, -55.0, 62.049870566]))
    assert result.values[0, 2] == pytest.approx(-2.103116283, abs=1e-8)
    assert result.possible[0]


def test_many_frames_in_one_call_are_the_same_as_one_by_one() -> None:
    frames = STAND + np.linspace(-20.0, 20.0, 11)[:, None, None]
    together = KINEMATICS.inverse(frames)
    for index, frame in enumerate(frames):
        assert (together.values[index] == KINEMATICS.inverse(frame).values).all()
    assert together.reason(0, 0) == KINEMATICS.inverse(frames[0]).reason(0)
