"""What was held up on the way is told from what is said just now, whatever the browser's clock says."""

from __future__ import annotations

import math

import pytest

from stride_viewer.freshness import LATE, WINDOW, Freshness


@pytest.mark.parametrize("offset", [0.0, 1.7e9, -500.0])
def test_only_the_difference_between_messages_counts(offset: float) -> None:
    freshness = Freshness()
    for turn in range(20):
        freshness.note(offset + turn, turn + 0.01)
    assert freshness.lateness(offset + 20.0, 20.02) == pytest.approx(0.01, abs=1e-6)
    assert freshness.lateness(offset + 21.0, 29.0) == pytest.approx(7.99, abs=1e-6)
    assert freshness.lateness(offset + 21.0, 29.0) > LATE


def test_the_first_message_is_never_late() -> None:
    assert Freshness().lateness(5.0, 1000.0) == 0.0


def test_a_clock_that_was_set_back_is_forgiven_after_a_while() -> None:
    freshness = Freshness()
    freshness.note(1000.0, 0.0)
    assert freshness.lateness(400.0, 1.0) > LATE
    assert freshness.lateness(400.0 + WINDOW, 1.0 + WINDOW) == 0.0


def test_what_is_no_time_is_late() -> None:
    freshness = Freshness()
    freshness.note(math.nan, 0.0)
    freshness.note(1.0, 1.0)
    assert not freshness.lateness(math.nan, 1.0) <= LATE
