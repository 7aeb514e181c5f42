"""Who ends everything, and why."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from stride_base.ending import SIGNALS, Ending


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_without_a_reason(number: signal.Signals) -> None:
    ending = Ending()
    with ending.on_signals():
        os.kill(os.getpid(), number)
        assert ending.wait()
        assert ending.reason == ""
        # Impatience must not interrupt the switching off.
        os.kill(os.getpid(), number)
        assert ending.wait()


def test_under_nohup_a_lost_terminal_ends_nothing() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ending = Ending()
        with ending.on_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert not ending.wait(0.01)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_given_back() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with Ending().on_signals():
        pass
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_the_first_reason_counts() -> None:
    ending = Ending()
    ending.request("driver has ended")
    ending.request("emulator has ended")
    assert ending.wait() and ending.wait()
    assert ending.reason == "driver has ended"


@pytest.mark.parametrize("timeout", [0.0, 1e-9, 0.001])
def test_nothing_ends_by_itself(timeout: float) -> None:
    ending = Ending()
    assert not ending.wait(timeout)
    assert ending.reason == ""


def test_another_thread_wakes_a_wait_without_end() -> None:
    ending = Ending()
    threading.Timer(0.0, ending.request, ["node failed"]).start()
    assert ending.wait()
    assert ending.reason == "node failed"


def test_whether_an_end_was_requested_is_seen_without_taking_the_request() -> None:
    ending = Ending()
    assert not ending.requested
    ending.request("driver has ended")
    assert ending.requested
    assert ending.wait() and ending.reason == "driver has ended"
    assert ending.requested
