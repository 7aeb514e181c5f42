"""Odometry from the feet that stand."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walk_recorder import BODY, DT, GEOMETRY, ROBOT, WalkRecorder

from hexapod_motion.gaits import load_gaits
from hexapod_motion.ground_contact import ContactObserver
from hexapod_motion.motion import Motion
from hexapod_motion.motion_types import MotionSettings
from hexapod_motion.odometry import Odometer, body_move
from hexapod_motion.planar import Twist
from hexapod_motion.sequences import load_book


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(-0.5, 0.5))
def test_a_rigid_move_is_found_exactly(x: float, y: float, angle: float) -> None:
    feet = BODY.stand[[0, 2, 4]]
    old = feet[:, 0] + 1j * feet[:, 1]
    new = (old - complex(x, y)) * np.exp(-1j * angle)
    after = np.stack([new.real, new.imag, feet[:, 2]], axis=1)
    shift, turn = body_move(feet, after)
    assert shift == pytest.approx(complex(x, y), abs=1e-9) and turn == pytest.approx(angle)


@settings(max_examples=6, deadline=None)
@given(st.floats(-150, 150), st.floats(-150, 150), st.floats(-0.6, 0.6))
def test_it_follows_the_body_of_a_walking_robot(x: float, y: float, turn: float) -> None:
    walk, odometer = WalkRecorder(), Odometer()
    walk.walker.command(Twist(complex(x, y), turn))
    for _ in range(400):
        value = odometer.step(BODY.from_limbs(walk.points), walk.walker.down, DT)
        walk.step()
    value = odometer.step(BODY.from_limbs(walk.points), walk.walker.down, DT)
    assert complex(value.x, value.y) * 1000 == pytest.approx(walk.place.shift, abs=1e-6)
    assert value.yaw == pytest.approx(float(np.angle(walk.place.turn)), abs=1e-9)
    assert value.z == pytest.approx(0.085)


def test_velocity_is_in_the_axes_of_the_body() -> None:
    walk, odometer = WalkRecorder(), Odometer()
    walk.walker.command(Twist(60 + 30j, 0.3))
    for _ in range(900):
        walk.step()
        value = odometer.step(BODY.from_limbs(walk.points), walk.walker.down, DT)
    assert (value.forward, value.left) == pytest.approx((0.06, 0.03), abs=1e-6)
    assert value.turn == pytest.approx(0.3)


def test_the_variance_grows_with_the_way_and_not_with_time() -> None:
    odometer = Odometer()
    standing = np.ones(6, dtype=bool)
    for _ in range(100):
        odometer.step(BODY.stand, standing, DT)
    assert odometer.value.xy_variance == 0.0
    feet = BODY.stand.copy()
    for _ in range(100):
        feet = feet - [10.0, 0.0, 0.0]
        odometer.step(feet, standing, DT)
    assert odometer.value.x == pytest.approx(1.0)
    assert math.sqrt(odometer.value.xy_variance) == pytest.approx(0.05)
    assert odometer.value.yaw_variance > 0.0


def test_without_standing_feet_it_stays() -> None:
    odometer = Odometer()
    standing = np.ones(6, dtype=bool)
    odometer.step(BODY.stand, standing, DT)
    odometer.step(BODY.stand - [5.0, 0.0, 0.0], standing, DT)
    before = odometer.value
    odometer.rest()
    odometer.step(BODY.stand, standing, DT)
    assert (odometer.value.x, odometer.value.forward) == (before.x, 0.0)


def robot(rate: float = 150.0) -> Motion:
    gaits = load_gaits(ROBOT / "gaits.yaml", GEOMETRY)
    book = load_book(Path(ROBOT) / "sequences")
    return Motion(GEOMETRY, book, gaits, MotionSettings(rate=rate, start_measured=False))


@pytest.mark.parametrize("measured", [False, True])
def test_direct_movement_counts_180_mm_a_cycle(measured: bool) -> None:
    motion, odometer = robot(), Odometer()
    observer = ContactObserver(motion, measured)
    for number in range(1, 1400):
        if number == 2:
            motion.select("UP")
        if number == 200:
            motion.select("DIRECT_MOVEMENT")
        if number == 200 + 84 + 102 + 30:
            motion.select("NONE")
        frame = motion.step(number)
        assert frame is not None
        motion.on_joint_states(GEOMETRY.joint_names, frame.position.tolist())
        contact = observer.look()
        odometer.step(contact.feet, contact.standing, motion.dt)
    assert motion.engine.idle
    # Two cycles of main; prepare and finalize move single legs and no body.
    assert odometer.value.x == pytest.approx(0.36, abs=1e-3)
    assert abs(odometer.value.y) < 1e-3 and abs(odometer.value.yaw) < 1e-3


@pytest.mark.parametrize("rate", [50.0, 150.0])
def test_measured_feet_stand_when_they_really_do_not_when_they_should(rate: float) -> None:
    motion, odometer = robot(rate), Odometer()
    observer = ContactObserver(motion, measured=True)
    lag, cycle = round(0.08 * rate), round(0.8 * rate)
    frames: list[list[float]] = []
    start = end = 0.0
    for number in range(1, 12 * cycle + 1):
        if number == 2:
            motion.select("UP")
        if number > 3 * cycle:
            motion.on_velocity(0.1, 0.0, 0.0)
        frame = motion.step(number)
        assert frame is not None
        frames.append(frame.position.tolist())
        motion.on_joint_states(GEOMETRY.joint_names, frames[max(0, len(frames) - 1 - lag)])
        contact = observer.look()
        end = odometer.step(contact.feet, contact.standing, motion.dt).x
        if number == 6 * cycle:
            start = end
    assert end - start == pytest.approx(0.1 * 6 * 0.8, rel=0.02)
