"""The dead man's grip: nobody holds, nothing moves."""

from __future__ import annotations

import math

import pytest

from stride_base.errors import RefusedError
from stride_viewer.pilot import GRIP, STILL, ZEROS, Pilot, Velocity

AHEAD = Velocity(forward=0.1)
BACK = Velocity(forward=-0.1)


def sent(pilot: Pilot, now: float) -> list[Velocity]:
    """What is sent by many steps at one moment."""
    return [velocity for _ in range(10) if (velocity := pilot.step(now)) is not None]


def test_nothing_is_sent_before_somebody_holds() -> None:
    assert Pilot().step(0.0) is None


def test_a_held_pad_is_sent_again_and_again() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    assert sent(pilot, 0.1) == [AHEAD] * 10


def test_release_sends_zeros_and_then_nothing() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.release("a")
    assert sent(pilot, 0.0) == [STILL] * ZEROS


def test_a_grip_that_is_not_renewed_ends_by_itself() -> None:
    """The browser crashed, the cable was pulled, the laptop sleeps."""
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    assert pilot.step(GRIP) == AHEAD
    assert sent(pilot, GRIP + 0.01) == [STILL] * ZEROS
    assert pilot.driver == ""


def test_the_last_page_that_speaks_drives() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.hold("b", BACK, 0.1)
    assert (pilot.driver, pilot.step(0.1)) == ("b", BACK)


def test_letting_go_of_a_page_that_does_not_drive_changes_nothing() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.hold("b", BACK, 0.1)
    pilot.release("a")
    assert pilot.step(0.1) == BACK


def test_after_stop_a_pad_that_is_still_held_does_not_drive() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.stop()
    with pytest.raises(RefusedError, match="let go"):
        pilot.hold("a", AHEAD, 0.1)
    assert sent(pilot, 0.1) == [STILL] * ZEROS
    pilot.stop()
    with pytest.raises(RefusedError):
        pilot.hold("a", AHEAD, 0.2)
    pilot.release("a")
    pilot.hold("a", AHEAD, 0.3)
    assert pilot.step(0.3) == AHEAD


def test_stop_does_not_block_those_who_did_not_drive() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.stop()
    pilot.hold("b", BACK, 0.1)
    assert pilot.step(0.1) == BACK


def test_stop_ends_every_grip_and_not_only_the_one_that_drives() -> None:
    """Two pages hold their pads; STOP must not hand the robot to the other one."""
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.hold("b", BACK, 0.05)
    pilot.stop()
    for page in ("a", "b"):
        with pytest.raises(RefusedError, match="let go"):
            pilot.hold(page, AHEAD, 0.1)
    assert AHEAD not in sent(pilot, 0.1)


def test_a_grip_that_was_not_heard_for_a_while_does_not_outlive_stop() -> None:
    """The browser of a held pad was busy while STOP was pressed."""
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    sent(pilot, 2.0 * GRIP)
    pilot.stop()
    with pytest.raises(RefusedError, match="let go"):
        pilot.hold("a", AHEAD, 1.0)
    assert sent(pilot, 1.0) == []


def test_a_lost_connection_is_no_letting_go() -> None:
    pilot = Pilot()
    pilot.hold("a", AHEAD, 0.0)
    pilot.lose("a")
    assert sent(pilot, 0.0) == [STILL] * ZEROS
    pilot.stop()
    pilot.lose("a")
    with pytest.raises(RefusedError, match="let go"):
        pilot.hold("a", AHEAD, 0.1)
    pilot.release("a")
    pilot.hold("a", AHEAD, 0.2)
    assert pilot.step(0.2) == AHEAD


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_velocity_that_is_no_number_is_refused(value: float) -> None:
    pilot = Pilot()
    with pytest.raises(RefusedError):
        pilot.hold("a", Velocity(turn=value), 0.0)
    assert pilot.step(0.0) is None
