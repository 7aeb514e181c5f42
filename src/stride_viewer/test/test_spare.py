"""A slow browser is sent no more than it can take."""

from stride_viewer.page.elements import PATIENCE, Spare


def test_the_next_is_sent_when_the_last_was_answered() -> None:
    spare = Spare()
    assert [spare.may_send() for _ in range(4)] == [True, False, False, False]
    spare.answered()
    assert [spare.may_send() for _ in range(2)] == [True, False]


def test_a_browser_that_never_answers_is_sent_something_now_and_then() -> None:
    spare = Spare()
    sent = sum(spare.may_send() for _ in range(10 * (PATIENCE + 1)))
    assert sent == 10
