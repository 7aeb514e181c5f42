"""What long work tells of itself, and the estimate that is made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stride_base.progress import Work, about_text, duration_text, part_of, silent, track


def after(*told: tuple[float, float, float | None], begin: float = 0.0) -> Work:
    """A step that was told (time, done, total) each."""
    work = Work("walking", begin)
    for now, done, total in told:
        work = work.told("walking", done, total, "", now)
    return work


def test_linear_work_is_estimated_right_at_every_moment() -> None:
    work = Work("walking", 100.0)
    for second in range(1, 20):
        work = work.told("walking", second, 20, "", 100.0 + second)
        for later in (0.0, 0.3, 0.9):
            assert work.remaining(100.0 + second + later) == pytest.approx(20 - second - later)


def test_between_two_coarse_steps_the_estimate_counts_down() -> None:
    work = after((10.0, 1, 6))
    assert work.remaining(10.0) == pytest.approx(50.0)
    assert work.remaining(19.0) == pytest.approx(41.0)


def test_of_what_has_no_end_that_can_be_known_there_is_no_share_and_no_estimate() -> None:
    work = after((1.0, 5, None))
    assert work.share is None and work.remaining(60.0) is None


def test_before_anything_is_done_there_is_no_estimate() -> None:
    assert after((3.0, 0, 10)).remaining(30.0) is None


def test_a_share_that_was_there_from_the_beginning_says_nothing_of_the_pace() -> None:
    assert after((0.0, 5, 10)).remaining(1.0) is None


def test_a_stall_lets_the_estimate_grow() -> None:
    work = after((1.0, 1, 10), (2.0, 2, 10))
    estimates = [work.remaining(now) for now in (3.0, 5.0, 10.0, 100.0)]
    assert estimates == pytest.approx([7.0, 9.0, 14.0, 104.0])


def test_a_stall_of_the_last_piece_is_seen_too() -> None:
    work = after((1.0, 1, 2))
    assert work.remaining(2.0) == pytest.approx(0.0)
    assert work.remaining(5.0) == pytest.approx(3.0)


def test_what_is_done_needs_no_more_time() -> None:
    assert after((4.0, 10, 10)).remaining(9.0) == 0.0


def test_a_share_never_shrinks_even_if_the_work_grows() -> None:
    work = after((1.0, 5, 10), (2.0, 6, 100))
    assert work.share == 0.5
    assert after((1.0, 5, 10), (2.0, -3, 10)).share == 0.5


def test_another_step_begins_anew() -> None:
    work = after((5.0, 5, 10)).told("drawing", 0, 4, "", 8.0)
    assert (work.what, work.begin, work.share) == ("drawing", 8.0, 0.0)
    assert work.elapsed(9.5) == 1.5
    assert work.remaining(9.5) is None


def test_what_is_being_done_now_is_as_told_last() -> None:
    work = Work("scanning", 0.0).told("scanning", 1, 8, "500000 bit/s", 1.0)
    assert work.doing == "500000 bit/s"
    assert work.told("scanning", 2, 8, "", 2.0).doing == ""


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 100.0),
            st.floats(-10.0, 200.0) | st.just(float("nan")),
            st.none() | st.floats(-1.0, 150.0) | st.just(float("nan")),
        ),
        max_size=20,
    ),
    st.floats(0.0, 1e6),
)
def test_whatever_is_told_shares_grow_and_estimates_are_not_below_zero(
    told: list[tuple[float, float, float | None]], later: float
) -> None:
    work, now, highest = Work("a", 0.0), 0.0, 0.0
    for pause, done, total in told:
        now += pause
        work = work.told("a", done, total, "", now)
        if work.share is None:
            highest = 0.0
            continue
        assert highest <= work.share <= 1.0
        highest = work.share
        left = work.remaining(now + later)
        assert left is None or left >= 0.0


def test_track_tells_each_item_before_it_is_worked_on_and_the_end() -> None:
    calls: list[tuple[object, ...]] = []

    def progress(*told: object) -> None:
        calls.append(told)

    calls.extend((item,) for item in track(["knee", "hip"], "fitting", progress))
    assert calls == [
        ("fitting", 0, 2, "knee"),
        ("knee",),
        ("fitting", 1, 2, "hip"),
        ("hip",),
        ("fitting", 2, 2),
    ]


def test_a_part_counts_on_from_those_before_it() -> None:
    calls: list[tuple[object, ...]] = []
    part = part_of(lambda *told: calls.append(told), 5.0, 15.0)
    part("simulating", 2.0, 10.0)
    part("simulating", 10.0, None, "turning")
    assert calls == [("simulating", 7.0, 15.0, ""), ("simulating", 15.0, 15.0, "turning")]


def test_nobody_need_look() -> None:
    assert list(track([1, 2], "counting", silent)) == [1, 2]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (8.0, "8 s"), (59.6, "1 min 00 s"), (200.0, "3 min 20 s"), (3900, "1 h 05 min")],
)
def test_a_time_reads_as_people_say_it(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "about 1 s"),
        (17.3, "about 17 s"),
        (43.0, "about 45 s"),
        (130.0, "about 2 min"),
        (9000.0, "about 2.5 h"),
    ],
)
def test_an_estimate_has_no_more_digits_than_it_deserves(seconds: float, text: str) -> None:
    assert about_text(seconds) == text
