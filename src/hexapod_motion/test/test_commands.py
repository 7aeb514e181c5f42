"""Velocity commands and levelling, step by step in time."""

import math

import pytest

from hexapod_motion.commands import Commands, CommandSettings
from hexapod_motion.levelling import LARGEST, Levelling
from hexapod_motion.planar import STILL, Twist
from stride_base.errors import RefusedError

FORWARD = Twist(100 + 0j, 0.0)


@pytest.fixture
def commands() -> Commands:
    return Commands(CommandSettings())


def test_metres_become_millimetres(commands: Commands) -> None:
    assert commands.velocity(0.1, -0.05, 0.3) == Twist(100 - 50j, 0.3)


def test_hardly_anything_is_nothing(commands: Commands) -> None:
    assert commands.velocity(1e-4, 0.0, 1e-4) == STILL


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(commands: Commands, value: float) -> None:
    for velocity in ((value, 0.0, 0.0), (0.0, value, 0.0), (0.0, 0.0, value)):
        with pytest.raises(RefusedError, match="not finite"):
            commands.velocity(*velocity)
    with pytest.raises(RefusedError):
        commands.steering(value)


def test_a_command_counts_until_the_timeout_and_no_longer(commands: Commands) -> None:
    assert commands.timed_out and commands.twist == STILL
    commands.take(FORWARD)
    commands.elapse(0.5)
    assert commands.twist == FORWARD
    commands.elapse(0.001)
    assert commands.twist == STILL and commands.timed_out


def test_the_timeout_can_change_at_run_time(commands: Commands) -> None:
    commands.take(FORWARD)
    commands.settings = CommandSettings(timeout=2.0)
    commands.elapse(1.5)
    assert commands.twist == FORWARD


def test_steering_is_clipped_and_positive_is_left(commands: Commands) -> None:
    assert commands.steering(0.5) == Twist(100 + 0j, 0.125)
    assert commands.steering(-7.0) == Twist(100 + 0j, -0.25)


def test_after_a_block_the_command_must_be_let_go_first(commands: Commands) -> None:
    commands.take(FORWARD)
    commands.block()
    assert commands.twist == STILL
    for _ in range(10):
        commands.elapse(0.3)
        with pytest.raises(RefusedError, match="let go first"):
            commands.take(FORWARD)
    commands.take(STILL)
    commands.take(FORWARD)
    assert commands.twist == FORWARD


def test_silence_lets_go_as_well(commands: Commands) -> None:
    commands.take(FORWARD)
    commands.block()
    commands.elapse(0.6)
    commands.take(FORWARD)
    assert commands.twist == FORWARD


def test_a_block_without_a_command_is_none(commands: Commands) -> None:
    commands.block()
    commands.take(FORWARD)
    assert commands.twist == FORWARD


def test_levelling_turns_against_the_tilt_until_it_is_gone() -> None:
    levelling = Levelling(enabled=True)
    for _ in range(3000):
        levelling.measure(0.1 + levelling.roll, -0.05 + levelling.pitch)
        levelling.step(0.0, 0.0, 1.0 / 150.0)
    assert (levelling.roll, levelling.pitch) == pytest.approx((-0.1, 0.05), abs=1e-3)


def test_levelling_keeps_a_wanted_tilt() -> None:
    levelling = Levelling(enabled=True)
    for _ in range(100):
        levelling.measure(0.08, 0.0)
        levelling.step(0.08, 0.0, 1.0 / 150.0)
    assert (levelling.roll, levelling.pitch) == (0.0, 0.0)


def test_levelling_is_bounded_holds_without_measurements_and_goes_back_when_switched_off() -> None:
    levelling = Levelling(enabled=True)
    for _ in range(6000):
        levelling.measure(1.0, 0.0)
        levelling.step(0.0, 0.0, 1.0 / 150.0)
    assert levelling.roll == -LARGEST
    for _ in range(500):
        levelling.step(0.0, 0.0, 1.0 / 150.0)
    assert levelling.roll == -LARGEST
    levelling.enabled = False
    for _ in range(3000):
        levelling.step(0.0, 0.0, 1.0 / 150.0)
    assert abs(levelling.roll) < 1e-3
