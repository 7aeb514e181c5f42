"""Lost messages are counted from the publishers' numbers."""

from hypothesis import given
from hypothesis import strategies as st

from stride_recording.sequence_gaps import SequenceGaps


def lost(numbers: list[int], publishers: int) -> int:
    gaps = SequenceGaps()
    for number in numbers:
        gaps.add(number, publishers)
    return gaps.lost


def test_a_gap_is_what_is_missing_in_it() -> None:
    assert lost([5, 6, 9, 10], 1) == 2


def test_joining_late_loses_nothing() -> None:
    assert lost([1000, 1001], 1) == 0


def test_a_publisher_that_begins_anew_loses_nothing() -> None:
    assert lost([7, 8, 1, 2, 3], 1) == 0


def test_a_middleware_without_numbers_loses_nothing() -> None:
    assert lost([0, 0, 0], 1) == 0


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(0, 3), max_size=60),
)
def test_publishers_that_lose_nothing_are_told_apart(starts: list[int], turns: list[int]) -> None:
    following = [start * 1000 for start in starts]
    numbers = []
    for turn in [*range(len(starts)), *turns]:
        which = turn % len(starts)
        numbers.append(following[which])
        following[which] += 1
    assert lost(numbers, len(starts)) == 0
