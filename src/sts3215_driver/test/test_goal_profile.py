"""Goal registers: position from the angle, speed from what is left of the way and the time for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sts3215_driver import servo_table
from sts3215_driver.goal_profile import MAX_SPEED, GoalProfile
from sts3215_driver.goals import GoalSet
from sts3215_driver.protocol.units import RAD_PER_STEP, round_half_away, rounded

NAN = math.nan
PERIOD = 0.02


def table(sign: int = 1) -> servo_table.ServoTable:
    joint = {"id": 1, "name": "a", "mode": "position", "zero": 2048, "min": -1, "max": 1}
    wheel = {"id": 2, "name": "w", "mode": "wheel", "sign": sign}
    return servo_table.parse({"servos": [{**joint, "sign": sign}, wheel]}, "robot.json")


def goals(position: float, duration: float = PERIOD, wheel: float = NAN) -> GoalSet:
    return GoalSet(
        1,
        np.zeros(2),
        np.array([position, NAN]),
        np.array([duration, duration]),
        np.array([NAN, wheel]),
    )


def seeded(sign: int = 1, unit: int = 1, catch_up: float = 5.0) -> GoalProfile:
    profile = GoalProfile(table(sign), catch_up)
    profile.seed(np.array([2048, 0]), np.array([unit, unit]))
    return profile


@pytest.mark.parametrize("sign", [1, -1])
def test_position_follows_sign_and_zero(sign: int) -> None:
    command = seeded(sign).command(goals(0.5))
    assert command.position[0] == 2048 + sign * round(0.5 / RAD_PER_STEP)
    assert command.active.tolist() == [True, False]


@pytest.mark.parametrize(
    ("part", "steps"), [(0.5, 1), (-0.5, -1), (0.49999999999999994, 0), (-0.49999999999999994, 0)]
)
def test_halves_of_a_step_round_away_from_zero_and_less_does_not(part: float, steps: int) -> None:
    assert rounded([part]).tolist() == [steps]
    assert round_half_away(part) == steps


def test_speed_covers_the_way_in_the_given_time() -> None:
    command = seeded().command(goals(100 * RAD_PER_STEP, duration=0.1))
    assert command.speed[0] == 1000


def test_a_goal_with_lead_keeps_a_steady_speed() -> None:
    """At 1 rad/s with a lead of 40 ms each goal lies 60 ms ahead of the servo's internal target."""
    profile, lead, speed = seeded(), 0.04, 1.0
    sent = []
    for cycle in range(1, 40):
        profile.advance(PERIOD)
        q = speed * PERIOD * cycle
        sent.append(profile.command(goals(min(q + speed * lead, 1.0), lead + PERIOD)).speed[0])
    wanted = speed / RAD_PER_STEP
    assert sent[5:35] == pytest.approx([wanted] * 30, abs=20)


def test_speed_is_never_zero_and_never_beyond_the_servo() -> None:
    profile = seeded()
    assert 1 <= profile.command(goals(0.0)).speed[0] <= MAX_SPEED
    assert profile.command(goals(0.001, duration=100.0)).speed[0] == 1
    assert profile.command(goals(1.0)).speed[0] == MAX_SPEED


def test_first_goals_after_torque_on_are_approached_slowly() -> None:
    profile = seeded(catch_up=1.0)
    limit = 1.0 / RAD_PER_STEP
    speeds, cycles = [], 0
    while profile.catching_up[0]:
        speeds.append(profile.command(goals(0.8)).speed[0])
        profile.advance(PERIOD)
        cycles += 1
    assert max(speeds) <= math.ceil(limit)
    assert cycles * PERIOD == pytest.approx(0.8, abs=0.05)
    assert profile.command(goals(0.3)).speed[0] == MAX_SPEED


def test_joint_limits_hold_whatever_is_asked_and_are_counted() -> None:
    command = seeded().command(goals(1.4))
    assert command.position[0] == 2048 + round(1.0 / RAD_PER_STEP)
    assert command.clipped == 1


def test_coarse_speed_unit_divides_the_register() -> None:
    command = seeded(unit=50).command(goals(100 * RAD_PER_STEP, duration=0.1))
    assert command.speed[0] == 20


@pytest.mark.parametrize(("velocity", "steps"), [(4.71, 3070), (-4.71, -3070), (0.0, 0)])
def test_wheel_speed_is_signed_and_may_be_zero(velocity: float, steps: int) -> None:
    command = seeded().command(goals(NAN, wheel=velocity))
    assert command.speed[1] == steps
    assert command.active.tolist() == [False, True]


def test_wheel_speed_follows_the_mounting() -> None:
    assert seeded(sign=-1).command(goals(NAN, wheel=1.0)).speed[1] == -652
