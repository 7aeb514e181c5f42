"""The hexapod in physics, in lock-step: it stands, walks straight, turns, and repeats bit for bit."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest

from stride_bringup.lockstep import LockStep
from stride_bringup.stack_options import StackOptions
from stride_bringup.walk_figures import SETTLING, measure, walk

FORWARD = 0.10  # m/s
DRIFT = 0.10
TURNS = math.radians(20.0)  # in 10 s at full steering
STRAIGHT = math.radians(5.0)  # in 10 s without


def test_it_walks_straight_without_steering() -> None:
    figures = walk(10.0)
    assert figures.speed >= FORWARD
    assert figures.drift < DRIFT
    assert abs(figures.turn) < STRAIGHT
    assert figures.lowest > 0.07
    assert figures.tilt < math.radians(5.0)


@pytest.mark.parametrize("steering", [1.0, -1.0])
def test_it_turns_by_steering_and_positive_is_left(steering: float) -> None:
    figures = walk(10.0, steering)
    assert figures.turn * steering > TURNS
    assert figures.path > 10.0 * FORWARD


def test_steering_changed_while_walking() -> None:
    robot = LockStep()
    robot.start()
    robot.run(SETTLING)
    for steering in (1.0, -1.0, 0.0):
        robot.steer(steering)
        # The command needs half a second from end to end, and the gait a cycle after that.
        robot.run(1.5)
        figures = measure(robot, 5.0)
        assert figures.path > 5.0 * FORWARD
        if steering:
            assert figures.turn * steering > TURNS / 2
        else:
            assert abs(figures.turn) < STRAIGHT / 2


@pytest.mark.parametrize("rate", [100.0, 150.0])
def test_it_walks_as_well_at_other_rates(rate: float) -> None:
    figures = walk(5.0, robot=LockStep(StackOptions(rate=rate)))
    assert figures.speed >= FORWARD
    assert figures.drift < DRIFT


def walked(seconds: float) -> bytes:
    robot = LockStep(faults=("drop:id=3,probability=0.05",), seed=4)
    robot.start()
    robot.steer(0.4)
    digest = hashlib.sha256()
    for _ in range(round(seconds / robot.period)):
        digest.update(robot.step().steps.tobytes())
        digest.update(robot.robot.data.qpos.tobytes())
    return digest.digest()


def test_a_run_repeats_bit_for_bit() -> None:
    assert walked(4.0) == walked(4.0)


def test_a_robot_without_torque_lies_on_its_belly_and_stands_up_from_there() -> None:
    robot = LockStep()
    robot.bus.advance(0.0)
    robot.bus.advance(3.0)
    assert robot.truth.position[2] < 0.05
    robot.start()
    robot.run(6.0)
    assert robot.truth.position[2] > 0.07


def test_a_dead_servo_is_a_limp_joint_and_the_others_walk_on() -> None:
    robot = LockStep()
    robot.start()
    robot.run(SETTLING)
    robot.do("power 5 off")
    robot.run(1.0)
    limp = list(robot.session.servos.names).index("ml_femur")
    assert robot.robot.state.current[limp] == 0.0
    figures = measure(robot, 4.0)
    assert figures.path > 0.2
    assert np.isfinite(figures.turn)


def test_load_pulls_the_battery_down() -> None:
    robot = LockStep()
    robot.start()
    robot.run(SETTLING)
    before = robot.robot.state.voltage[0]
    robot.do("load all friction=3")
    robot.run(0.5)
    assert robot.robot.state.voltage[0] < before < 7.4
    assert robot.step().voltage.max() < 7.4
