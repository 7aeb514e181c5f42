"""The hexapod in physics with the 7-parameter model and efforts: it stands where it was told to."""

from __future__ import annotations

import numpy as np
import pytest

from stride_bringup.lockstep import LockStep
from stride_bringup.stack_options import StackOptions
from stride_bringup.stand_figures import joints, stand
from stride_bringup.walk_figures import SETTLING, measure, walk

WANTED_HEIGHT = 0.085  # m
#: Dry friction of a servo over its stiffness: where within it a joint rests is chance, rad.
STUCK = np.radians(0.25)


def lead(voltage: float) -> LockStep:
    return LockStep(StackOptions(inverse="lead"), voltage=voltage)


def model(voltage: float, **setup: object) -> LockStep:
    return LockStep(StackOptions(inverse="7param", effort="statics"), voltage=voltage, **setup)


@pytest.mark.parametrize("voltage", [7.4, 6.4])
def test_it_sags_less_with_the_model_at_any_voltage(voltage: float) -> None:
    with_lead, with_model = lead(voltage), model(voltage)
    sag = [np.abs(stand(robot)).reshape(6, 3) for robot in (with_lead, with_model)]
    assert sag[1][:, 1].max() < 0.5 * sag[0][:, 1].min()
    assert sag[1].max() < STUCK
    heights = [robot.truth.position[2] for robot in (with_lead, with_model)]
    assert abs(heights[1] - WANTED_HEIGHT) < 0.6 * abs(heights[0] - WANTED_HEIGHT)


def test_without_efforts_the_model_sags_as_much_as_the_lead() -> None:
    robot = LockStep(StackOptions(inverse="7param"))
    assert stand(robot) == pytest.approx(stand(lead(7.4)), abs=1e-6)


def test_it_stays_up_while_the_battery_sags() -> None:
    sinks = []
    for robot in (lead(7.4), model(7.4)):
        stand(robot)
        before = joints(robot)
        for volts in np.arange(7.3, 5.9, -0.1):
            robot.do(f"supply {volts:.1f}")
            robot.run(0.2)
        robot.run(1.0)
        sinks.append(np.abs(joints(robot) - before).reshape(6, 3)[:, 1].mean())
    assert sinks[1] < 0.2 * sinks[0]


@pytest.mark.parametrize("voltage", [7.4, 6.4])
def test_it_walks_with_the_model(voltage: float) -> None:
    figures = walk(3.0, robot=model(voltage))
    assert figures.speed > 0.14
    assert figures.drift < 0.1
    assert figures.lowest > walk(3.0, robot=lead(voltage)).lowest


def test_it_walks_on_while_the_battery_sags() -> None:
    robot = model(7.4)
    robot.start()
    robot.run(SETTLING)
    robot.do("supply 6.2")
    figures = measure(robot, 3.0)
    assert figures.speed > 0.14
    assert figures.lowest > 0.08


def test_a_run_with_the_model_repeats_bit_for_bit() -> None:
    runs = []
    for _ in range(2):
        robot = model(6.4, seed=3)
        robot.start()
        robot.run(2.5)
        runs.append(robot.robot.data.qpos.tobytes())
    assert runs[0] == runs[1]
