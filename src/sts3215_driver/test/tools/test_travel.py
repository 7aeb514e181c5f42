"""The range of travel, recorded across the 4095/0 seam."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stride_base.errors import RefusedError
from sts3215_driver import servo_table
from sts3215_driver.protocol.units import steps_from_rad
from sts3215_driver.tools.travel import (
    Travel,
    TravelRecorder,
    Unwrapper,
    limits_from,
    seam_advice,
)


def travel_of(*readings):
    unwrapper = Unwrapper("servo 1 (j1)")
    for reading in readings:
        unwrapper.feed(reading)
    return unwrapper.travel


def test_travel_across_the_seam_is_not_0_to_4095() -> None:
    """Field report: calibration says the range is 0..4095."""
    travel = travel_of(4000, 4090, 10, 100, 30, 4080)
    assert (travel.low, travel.high) == (-96, 100)
    assert travel.span == 196 and travel.crosses_seam


def test_travel_within_the_turn() -> None:
    travel = travel_of(2048, 1000, 2048, 3000)
    assert (travel.low, travel.high) == (1000, 3000)
    assert not travel.crosses_seam


@pytest.mark.parametrize("direction", [1, -1])
def test_more_than_a_turn_is_refused(direction) -> None:
    with pytest.raises(RefusedError, match="more than a turn"):
        travel_of(*((2000 + direction * 500 * n) % 4096 for n in range(20)))


def test_a_leap_that_could_have_gone_either_way_is_refused() -> None:
    with pytest.raises(RefusedError, match="more slowly"):
        travel_of(100, 2100)


def test_a_joint_that_was_never_read_has_no_travel() -> None:
    with pytest.raises(RefusedError, match="never read"):
        travel_of()


@settings(deadline=None)
@given(st.integers(0, 4095), st.lists(st.integers(-900, 900), max_size=40))
def test_unwrapping_follows_the_shaft(start, moves) -> None:
    shaft, path = start, [start]
    for move in moves:
        shaft += move
        path.append(shaft)
    if max(path) - min(path) > 4095:
        with pytest.raises(RefusedError):
            travel_of(*(place % 4096 for place in path))
        return
    travel = travel_of(*(place % 4096 for place in path))
    assert travel.span == max(path) - min(path)
    assert (travel.low - min(path)) % 4096 == 0
    assert 0 <= (travel.low + travel.high) // 2 <= 4095


@settings(deadline=None)
@given(st.integers(0, 4095), st.integers(0, 4095), st.integers(0, 4095), st.sampled_from([1, -1]))
def test_limits_lead_back_to_the_ends(low, high, zero, sign) -> None:
    low, high = sorted((low, high))
    limits = limits_from(Travel(low, high), zero, sign)
    assert sorted(steps_from_rad(limit, zero, sign) for limit in limits) == [low, high]
    assert limits[0] <= limits[1]


def test_limits_across_the_seam_lie_around_the_zero() -> None:
    low, high = limits_from(Travel(-96, 100), 4090, 1)
    assert low == pytest.approx(-90 * math.tau / 4096)
    assert high == pytest.approx(106 * math.tau / 4096)


def test_margins_are_kept_from_both_ends() -> None:
    low, high = limits_from(Travel(1000, 3000), 2000, -1, margin=0.1)
    end = 1000 * math.tau / 4096
    assert (low, high) == pytest.approx((-end + 0.1, end - 0.1))


def test_margins_that_leave_nothing_are_refused() -> None:
    with pytest.raises(RefusedError, match="too short for margins"):
        limits_from(Travel(1000, 1050), 1000, 1, margin=0.1)


def test_the_advice_for_a_travel_across_the_seam() -> None:
    """Middle at step 2 with offset 0: with -2046 it reads 2048."""
    assert "stride write 4 position_offset -2046" in seam_advice(Travel(-96, 100), 4, 0)


def test_joints_are_recorded_over_the_bus(bench, servo) -> None:
    one, two = servo(1), servo(2)
    two.raw = 4000
    two.motion = lambda now: 300 * math.sin(now - 100)
    entries = [
        {"id": i, "name": f"j{i}", "mode": "position", "sign": 1, "zero": 2048, "min": 0, "max": 0}
        for i in (1, 2)
    ]
    table = bench(one, two)
    bus = table.bus()
    recorder = TravelRecorder(bus, servo_table.parse({"servos": entries}, "robot.json"), [0, 1])
    for _ in range(100):
        recorder.step()
        bus.transport.clock.sleep_until(bus.transport.clock.now() + 0.07)
    first, second = recorder.travels
    assert first == Travel(2048, 2048)
    assert (second.low, second.high) == (pytest.approx(3700, abs=3), pytest.approx(4300, abs=3))
    assert one.written == two.written == []
