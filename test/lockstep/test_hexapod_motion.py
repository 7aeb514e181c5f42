"""`hexapod_motion` in physics, in lock-step: sequences and velocities do what they say."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest

from hexapod_motion.ground_contact import ContactObserver
from hexapod_motion.motion_types import State
from hexapod_motion.odometry import Odometer
from hexapod_motion.sequences import Posture
from stride_base.errors import RefusedError
from stride_bringup.hexapod_run import HexapodRun, Moved, Pass, estimated, moved
from stride_bringup.motion_cores import HexapodEngine
from stride_bringup.stack import build_stack
from stride_bringup.stack_options import StackOptions

LYING, STANDING = 0.035, 0.085  # m, height of the base
#: What the sequences' tables come to in a pass of their main block.
STRIDE, SHIFT, ROTATION = 0.180, 0.080, math.radians(32.54)
AIM = 0.10


def standing(rate: float = 50.0) -> HexapodRun:
    run = HexapodRun(rate)
    run.stand_up()
    return run


def mean(passes: list[Pass]) -> Moved:
    """Of all passes but the first, which begins from standing still."""
    rows = [(p.really.forward, p.really.left, p.really.turn) for p in passes[1:]]
    return Moved(*np.mean(rows, axis=0))


def test_from_the_floor_it_stands_up_walks_turns_shifts_and_sits_down() -> None:
    run = HexapodRun()
    assert run.truth.position[2] == pytest.approx(LYING, abs=0.002)

    run.stand_up()
    assert run.motion.posture is Posture.STANDING
    assert run.truth.position[2] == pytest.approx(STANDING, abs=0.003)
    assert run.feet_down.all()
    assert np.hypot(*run.truth.position[:2]) < 0.01

    walked = mean(run.cycles("DIRECT_MOVEMENT", 3))
    assert walked.forward == pytest.approx(STRIDE, rel=AIM)
    assert abs(walked.left) < 0.01 and abs(walked.turn) < math.radians(1.0)

    turned = mean(run.cycles("ROTATE_LEFT", 3))
    assert turned.turn == pytest.approx(ROTATION, rel=AIM)
    assert turned.distance < 0.01

    shifted = mean(run.cycles("SHIFT_LEFT", 3))
    assert shifted.left == pytest.approx(SHIFT, rel=AIM)
    assert abs(shifted.forward) < 0.01 and abs(shifted.turn) < math.radians(1.0)

    assert run.motion.posture is Posture.STANDING and run.feet_down.all()
    run.play("DOWN")
    assert run.motion.posture is Posture.FLOOR
    assert run.truth.position[2] == pytest.approx(LYING, abs=0.002)


def test_a_stride_is_as_long_at_the_rate_of_the_tables() -> None:
    walked = mean(standing(150.0).cycles("DIRECT_MOVEMENT", 2))
    assert walked.forward == pytest.approx(STRIDE, rel=AIM)


def test_a_straight_velocity_is_kept_and_odometry_knows() -> None:
    run = standing()
    run.drive((0.1, 0.0, 0.0), 2.0)
    begin, odom = run.truth, run.engine.odometry
    run.drive((0.1, 0.0, 0.0), 5.0)
    really, thought = moved(begin, run.truth), estimated(odom, run.engine.odometry)
    assert really.forward == pytest.approx(0.5, rel=AIM)
    assert abs(really.left) < AIM * really.forward
    error = math.hypot(really.forward - thought.forward, really.left - thought.left)
    assert error < AIM * really.distance
    assert run.truth.position[2] == pytest.approx(STANDING, abs=0.005)


def test_odometry_by_measured_joints_sees_what_servos_make_of_the_steps() -> None:
    run = standing()
    run.drive((0.1, 0.0, 0.0), 2.0)
    observer, odometer = ContactObserver(run.motion, measured=True), Odometer()

    def look() -> None:
        contact = observer.look()
        odometer.step(contact.feet, contact.standing, run.motion.dt)

    begin = run.truth
    run.drive((0.1, 0.0, 0.0), 4.0, look)
    really = moved(begin, run.truth)
    error = math.hypot(odometer.value.x - really.forward, odometer.value.y - really.left)
    assert error < 0.05 * really.distance


@pytest.mark.parametrize("turn", [0.3, -0.3])
def test_a_turn_is_about_the_bodys_centre(turn: float) -> None:
    run = standing()
    run.drive((0.0, 0.0, turn), 2.0)
    begin = run.truth
    assert run.drive((0.0, 0.0, turn), 5.0) == pytest.approx(5.0 * turn, rel=AIM)
    assert moved(begin, run.truth).distance < 0.01


def test_all_three_directions_at_once() -> None:
    run = standing()
    run.drive((0.05, 0.03, 0.2), 2.0)
    begin, odom = run.truth, run.engine.odometry
    assert run.drive((0.05, 0.03, 0.2), 4.0) == pytest.approx(0.8, rel=AIM)
    really, thought = moved(begin, run.truth), estimated(odom, run.engine.odometry)
    assert really.forward == pytest.approx(thought.forward, abs=0.03)
    assert really.left == pytest.approx(thought.left, abs=0.03)


@pytest.mark.parametrize("seconds", [1.5, 1.66, 1.82])
def test_without_commands_it_stops_with_all_feet_down(seconds: float) -> None:
    run = standing()
    run.drive((0.1, 0.0, 0.0), seconds)
    run.run_until(lambda: run.motion.commands.timed_out)
    run.largest_step = 0.0
    walker = run.motion.walker
    # A cycle of the gait to plant what swings, and one to bring all feet to their places.
    assert run.run_until(lambda: walker.resting) < 2.0 * walker.cycle_time
    run.run(0.2)
    assert run.motion.state is State.WALK and walker.down.all() and run.feet_down.all()
    assert run.largest_step <= math.radians(run.motion.geometry.joint_speed) * run.robot.period
    begin = run.truth
    run.run(0.5)
    assert moved(begin, run.truth).distance < 0.001


def test_asked_to_sit_while_it_walks_it_stops_first() -> None:
    run = standing()
    run.drive((0.1, 0.0, 0.0), 1.5)
    run.ask("DOWN")
    with pytest.raises(RefusedError, match="DOWN is about to start"):
        run.motion.on_velocity(0.1, 0.0, 0.0)
    run.run_until(lambda: run.motion.posture is Posture.FLOOR)
    run.run(0.5)
    assert run.truth.position[2] == pytest.approx(LYING, abs=0.002)


def test_lying_on_the_floor_it_does_not_walk() -> None:
    run = HexapodRun()
    run.robot.start()
    run.run_until(lambda: run.motion.posture is Posture.FLOOR)
    with pytest.raises(RefusedError, match="ask for the sequence UP first"):
        run.motion.on_velocity(0.1, 0.0, 0.0)


def test_steering_walks_and_positive_is_left() -> None:
    run = standing()
    begin = run.truth
    for _ in range(100):
        run.robot.steer(1.0)
        run.step()
    assert moved(begin, run.truth).turn > math.radians(15.0)


def walked() -> bytes:
    run, digest = standing(), hashlib.sha256()
    for index in range(150):
        run.motion.on_velocity(0.08, 0.02, 0.1 if index < 75 else -0.2)
        run.step()
        digest.update(run.robot.robot.data.qpos.tobytes())
        digest.update(run.motion.limbs.angles.tobytes())
    digest.update(repr(run.engine.odometry).encode())
    return digest.digest()


def test_a_run_repeats_bit_for_bit() -> None:
    assert walked() == walked()


def test_parameters_of_the_robot_are_those_of_the_node() -> None:
    robot = build_stack(StackOptions()).robot
    engine = HexapodEngine(robot, 100.0, {"approach_speed": 1, "gait": "ripple", "rate": 50.0})
    assert engine.motion.dt == 0.01
    assert engine.motion.approach_speed == 1.0
    assert engine.motion.walker.settings.gait == "ripple"
