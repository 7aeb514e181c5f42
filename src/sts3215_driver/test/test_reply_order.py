"""Who answers out of turn, when replies should come in the order of the request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts3215_driver.protocol.reply_order import out_of_turn

ASKED = [7, 3, 9, 1, 5, 8, 2]


@given(st.sets(st.sampled_from(ASKED)))
def test_missing_replies_leave_the_others_in_order(missing: set[int]) -> None:
    heard = [servo_id for servo_id in ASKED if servo_id not in missing]
    assert out_of_turn(heard, ASKED) == set()


@pytest.mark.parametrize(
    ("heard", "suspects"),
    [
        ([7, 3, 8, 1, 5, 2], {8}),  # 9 answered as 8, whose reply was lost
        ([3, 9, 1, 7, 8, 2], {7}),  # 5 answered as 7
        ([3, 7, 9, 1, 5], {3, 7}),  # one of two
        ([2, 8, 5], {2, 8, 5}),
        ([], set()),
        ([5], set()),
    ],
)
def test_a_reply_in_anothers_place_is_named(heard: list[int], suspects: set[int]) -> None:
    assert out_of_turn(heard, ASKED) == suspects


@given(st.permutations(range(8)), st.integers(0, 7), st.integers(0, 7))
def test_one_in_anothers_place_is_found_whenever_one_between_was_heard(
    asked: list[int], liar: int, victim: int
) -> None:
    """`liar` answers in the name of `victim`, whose own reply is lost."""
    if abs(liar - victim) < 2:
        return
    heard = [asked[victim] if place == liar else asked[place] for place in range(8)]
    heard = [servo_id for place, servo_id in enumerate(heard) if place == liar or place != victim]
    suspects = out_of_turn(heard, asked)
    assert asked[victim] in suspects
    assert len(suspects) <= 2


@given(st.permutations(ASKED))
def test_what_is_certain_is_in_order(heard: list[int]) -> None:
    certain = [i for i in heard if i not in out_of_turn(heard, ASKED)]
    assert certain == [i for i in ASKED if i in certain]
