"""What the numbers of sync_step mean."""

import pytest

from gait_controller.step_counter import Advance, StepCounter


@pytest.mark.parametrize("first", [0, 1, 4711, 2**64 - 1])
def test_any_first_number_is_one_tick(first: int) -> None:
    assert StepCounter().advance(first) == Advance(1, 1, False)


@pytest.mark.parametrize("missed", [0, 1, 2, 5])
def test_up_to_five_missed_ticks_are_made_up_for(missed: int) -> None:
    counter = StepCounter()
    counter.advance(10)
    assert counter.advance(11 + missed) == Advance(missed + 1, missed + 1, False)
    assert (counter.missed, counter.gaps) == (missed, 0)


@pytest.mark.parametrize("missed", [6, 100, 10**12])
def test_a_longer_gap_is_counted_and_passes_as_one_tick(missed: int) -> None:
    counter = StepCounter()
    counter.advance(10)
    assert counter.advance(11 + missed) == Advance(missed + 1, 1, False)
    assert (counter.missed, counter.gaps) == (missed, 1)


@pytest.mark.parametrize("number", [0, 9, 10])
def test_a_number_that_does_not_grow_is_a_new_driver(number: int) -> None:
    counter = StepCounter()
    counter.advance(10)
    assert counter.advance(number) == Advance(1, 1, True)
    assert (counter.missed, counter.restarts) == (0, 1)
    assert counter.advance(number + 1) == Advance(1, 1, False)
