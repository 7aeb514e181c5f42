"""Iterative learning control."""

import numpy as np
import pytest
from exact_servo import LOAD, PERIOD
from sts3215_joint import Joint, follow

from servo_inv.identification.excitation import JointLimits, design_excitation
from servo_inv.identification.learning import Learning, learning_step, loop_delay


def test_goals_are_corrected_by_a_share_of_the_error_before_it_happens() -> None:
    goal, error = np.zeros(40), np.zeros(40)
    error[20] = 1.0
    better = learning_step(goal, error, delay=3.0, gain=0.8)
    assert int(np.argmax(better)) == 17
    assert better.sum() == pytest.approx(0.8)
    assert learning_step(goal, np.ones(40), 3.0) == pytest.approx(np.full(40, 0.8))


@pytest.mark.parametrize("delay", [2, 5])
def test_the_delay_of_the_loop_is_found_whatever_the_sag(delay: int) -> None:
    wave = np.sin(0.1 * np.arange(400)) + 0.3 * np.sin(0.37 * np.arange(400))
    position = np.concatenate([np.full(delay, wave[0]), wave[:-delay]]) - 0.05
    assert loop_delay(wave, position) == pytest.approx(delay, abs=0.1)


@pytest.mark.parametrize("voltage", [8.4, 6.4])
def test_the_joint_learns_to_follow(voltage: float) -> None:
    motion = design_excitation(JointLimits(), PERIOD, 20.0, LOAD)
    learning = Learning(motion.position, furthest=0.18)
    while not learning.finished:
        course = follow(Joint(voltage), learning.goal.tolist(), PERIOD, PERIOD)
        learning.repeat(np.array(course.position))
    assert 2.0 < learning.delay < 6.0
    assert len(learning.errors) < 9
    assert min(learning.errors) < 0.05 * learning.errors[0]


def test_goals_stay_near_the_wanted_motion() -> None:
    wanted = np.zeros(100)
    learning = Learning(wanted, furthest=0.1)
    for _ in range(5):
        learning.repeat(np.full(100, -1.0))
    assert learning.goal.tolist() == [0.1] * 100
    assert learning.finished


def test_the_best_goals_are_kept() -> None:
    learning = Learning(np.zeros(100), furthest=1.0)
    learning.repeat(np.full(100, 0.1))
    second = learning.goal
    learning.repeat(np.full(100, 0.05))
    assert not learning.finished
    learning.repeat(np.full(100, 0.2))
    assert learning.finished
    assert learning.best.tolist() == second.tolist()
