"""The numbers of a recording are those of its panels; what was not measured is a gap."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from stride_base.errors import RefusedError
from stride_recording.panels import (
    Curve,
    Panel,
    Style,
    make_panels,
    thinned,
    value_range,
    with_gaps,
)
from stride_recording.reader import Recording
from stride_recording.robot_series import RobotSeries, Series, collect, namespace_of
from stride_recording.summary import summarise
from stride_recording.tracking import at_times, lag, rms, track

Maker = Callable[..., Path]


@pytest.fixture
def series(record: Maker, walk: Any) -> RobotSeries:
    return collect(Recording.open(record(walk.said())), "")


def panel_of(series: RobotSeries, title: str) -> Panel:
    (panel,) = [p for p in make_panels(series, series.joints) if p.title == title]
    return panel


def curve_of(series: RobotSeries, title: str, name: str) -> Curve:
    (curve,) = [c for c in panel_of(series, title).curves if c.name == name]
    return curve


def test_positions_are_those_that_were_recorded(series: RobotSeries, walk: Any) -> None:
    for column, joint in enumerate("ab"):
        wanted = curve_of(series, "position", f"{joint} wanted")
        measured = curve_of(series, "position", joint)
        np.testing.assert_array_equal(wanted.values, [row[column] for row in walk.wanted])
        np.testing.assert_array_equal(measured.values, [row[column] for row in walk.measured])
        np.testing.assert_allclose(measured.time, walk.time, atol=1e-6)
        assert (wanted.style, wanted.joint) == (Style.DASHED, joint)


def test_what_was_not_read_is_unknown_and_never_zero(series: RobotSeries) -> None:
    for title in ("position", "load", "tracking error"):
        unknown = np.isnan(curve_of(series, title, "b").values)
        assert np.flatnonzero(unknown).tolist() == [20, 21]
    assert not any(c.name == "b" for c in panel_of(series, "voltage").curves)


def test_the_error_is_measured_less_wanted(series: RobotSeries) -> None:
    a, b = track(series, ("a", "b"))
    np.testing.assert_allclose(a.error, -0.1, atol=1e-9)
    np.testing.assert_allclose(b.error[~np.isnan(b.error)], 0.0, atol=1e-9)
    assert a.rms == pytest.approx(0.1)
    assert curve_of(series, "tracking error", "a").note == "rms 0.100 rad"


def test_load_voltage_temperature_and_supply_are_as_recorded(series: RobotSeries) -> None:
    assert set(curve_of(series, "load", "a").values) == {0.25}
    assert set(curve_of(series, "voltage", "a").values) == {7.5}
    assert curve_of(series, "voltage", "battery").values.tolist() == [7.25]
    assert curve_of(series, "temperature", "a").values.tolist() == [30.0 + n for n in range(50)]


def test_events_are_marked_in_their_joints_row_at_their_time(series: RobotSeries) -> None:
    panel = panel_of(series, "readings, alarms, torque")
    assert panel.rows == ("a", "b")
    found = {}
    for curve in panel.curves:
        # First and last of a run, and a gap.
        first, last, gap = zip(*curve.values.reshape(-1, 3), strict=True)
        assert set(first) == set(last) == {1.0}
        assert np.isnan(gap).all()
        found[curve.name] = curve.time.reshape(-1, 3)[:, :2].round(2).tolist()
    assert found == {
        "reading missing": [[0.4, 0.42]],
        "alarm: temperature": [[0.6, 0.6]],
        "alarm: overload": [[0.6, 0.6]],
        "torque off": [[0.9, 0.98]],
    }


def test_intervals_are_of_neighbouring_ticks_only(series: RobotSeries) -> None:
    values = curve_of(series, "interval of sync_step", "interval").values
    assert np.flatnonzero(np.isnan(values)).tolist() == [40]
    np.testing.assert_allclose(values[~np.isnan(values)], 20.0, atol=1e-3)


def test_the_bus_is_as_the_driver_says(series: RobotSeries) -> None:
    assert curve_of(series, "lateness of the bus", "lateness p99").values.tolist() == [400.0, 400.0]
    assert curve_of(series, "cycles since the beginning", "missed").values.tolist() == [0.0, 2.0]


def test_commands_are_shown(series: RobotSeries) -> None:
    names = {c.name: c.values.tolist() for c in panel_of(series, "commands").curves}
    assert names["steering sent"] == [0.5]
    assert names["steering in effect"] == [0.5]
    assert names["forward (m/s)"] == [0.1]


def test_a_part_is_only_that_part(record: Maker, walk: Any) -> None:
    recording = Recording.open(record(walk.said()))
    part = collect(recording, "", start=0.5, end=0.7)
    assert part.measured.time.min() >= 0.499
    assert part.measured.time.max() < 0.7


def test_figures_of_the_recording(record: Maker, walk: Any) -> None:
    recording = Recording.open(record(walk.said()))
    found = summarise(recording, collect(recording, ""), ("a", "b"))
    assert [(j.joint, j.missing) for j in found.joints] == [("a", 0), ("b", 2)]
    assert found.joints[0].rms == pytest.approx(0.1)
    assert found.joints[0].worst == pytest.approx(0.1)
    assert (found.missed, found.lateness) == (2.0, pytest.approx(0.0025))
    assert found.rms == pytest.approx(math.sqrt(0.01 / 2))
    rates = {topic.topic: topic.rate for topic in found.topics}
    assert rates["/joint_states"] == pytest.approx(50.0)
    assert any("2 missed cycles, at most 2.50 ms late" in line for line in found.lines())


def test_the_delay_of_joints_that_come_late_is_found() -> None:
    time = np.arange(0.0, 4.0, 0.02)
    moving = np.sin(2.0 * time)[:, None]
    late = np.sin(2.0 * (time - 0.06))[:, None]
    nothing = Series(np.zeros(0), np.zeros((0, 0)), ())
    empty = {"load": nothing, "status": nothing}
    made = RobotSeries(
        ("a",),
        Series(time, moving, ("a",)),
        nothing,
        Series(time, late, ("a",)),
        nothing,
        empty,
        *[nothing] * 6,
    )
    assert lag(made, ("a",)) == pytest.approx(0.06, abs=0.002)


def test_a_wheel_is_followed_by_its_speed(record: Maker) -> None:
    said: list[Any] = []
    for number in range(10):
        time = number * 0.02
        wanted = JointState(name=["w"], position=[math.nan], velocity=[3.0])
        measured = JointState(name=["w"], position=[0.1 * number], velocity=[2.5])
        said += [("/joints_fixed", time, wanted), ("/joint_states", time, measured)]
    series = collect(Recording.open(record(said)), "")
    assert {p.title for p in make_panels(series, ("w",))} == {"wheel speed", "wheel speed error"}
    assert track(series, ("w",))[0].rms == pytest.approx(0.5)


def test_a_stamp_far_from_the_time_of_arrival_is_not_believed(record: Maker) -> None:
    message = JointState(name=["a"], position=[0.5])
    message.header.stamp.sec = 5
    series = collect(Recording.open(record([("/joint_states", 0.0, message)])), "")
    assert series.measured.time.tolist() == [0.0]


def test_a_topic_of_another_type_is_passed_over(record: Maker) -> None:
    said = [("/joint_states", 0.0, JointState(name=["a"], position=[0.5]))]
    said += [("/cmd_vel", 0.1, Float64(data=1.0))]
    series = collect(Recording.open(record(said)), "")
    assert len(series.cmd_vel) == 0


def test_where_nothing_was_heard_there_is_a_gap() -> None:
    time = np.array([0.0, 0.1, 0.2, 2.0, 2.1])
    found = with_gaps(Curve("x", time, np.arange(5.0)))
    assert np.flatnonzero(np.isnan(found.values)).tolist() == [3]
    assert 0.2 < found.time[3] < 2.0


def test_wanted_values_are_not_joined_over_a_gap_or_beyond_their_ends() -> None:
    series = Series(np.array([0.0, 0.1, 0.2, 2.0]), np.array([[0.0], [1.0], [2.0], [9.0]]), ("a",))
    found = at_times(series, "a", np.array([-0.1, 0.05, 0.1, 1.0, 2.0, 2.1]))
    np.testing.assert_allclose(found, [math.nan, 0.5, 1.0, math.nan, math.nan, math.nan])


def test_rms_of_nothing_is_unknown() -> None:
    assert math.isnan(rms(np.array([math.nan])))


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=400))
def test_thinning_keeps_extremes_and_gaps(values: list[float]) -> None:
    curve = Curve("x", np.arange(len(values), dtype=float), np.array(values))
    found = thinned(curve, 30)
    assert len(found.time) <= max(30, 3)
    assert np.isnan(found.values).any() == np.isnan(curve.values).any()
    if not np.isnan(curve.values).all():
        assert np.nanmax(found.values) == np.nanmax(curve.values)
        assert np.nanmin(found.values) == np.nanmin(curve.values)
    assert set(found.time) <= set(curve.time)


def test_marks_that_are_hardly_apart_become_one_run_in_their_own_row() -> None:
    # In rows 0 and 1: a mark every 10 ms for ten seconds, with a pause in the middle.
    time = np.concatenate([np.arange(0.0, 4.0, 0.01), np.arange(6.0, 10.0, 0.01)])
    runs = np.repeat(np.tile(time, 2), 3)
    values = np.repeat([0.0, 1.0], 3 * len(time))
    values[2::3] = math.nan
    found = thinned(Curve("x", runs, values, style=Style.MARKS), 90)
    assert (
        found.time.reshape(-1, 3).round(2).tolist()
        == [
            [0.0, 3.99, 3.99],
            [6.0, 9.99, 9.99],
        ]
        * 2
    )
    assert found.values.reshape(-1, 3)[:, 0].tolist() == [0.0, 0.0, 1.0, 1.0]


def test_noise_does_not_fill_the_axis() -> None:
    curve = Curve("x", np.arange(2.0), np.array([7.3, 7.4]))
    low, high = value_range(Panel("voltage", "V", (curve,), least_span=1.0)) or (0.0, 0.0)
    assert (low, high) == pytest.approx((6.85, 7.85))
    assert value_range(Panel("voltage", "V", (curve,), least_span=0.05)) is None


def test_the_robot_is_the_recorded_one_or_the_only_one(record: Maker) -> None:
    left = ("/left/joint_states", 0.0, JointState(name=["a"], position=[0.5]))
    right = ("/right/joint_states", 0.0, JointState(name=["a"], position=[0.5]))
    told = Recording.open(record([left, right], namespace="/right", name="told.mcap"))
    only = Recording.open(record([left], namespace=None, name="only.mcap"))
    both = Recording.open(record([left, right], namespace=None, name="both.mcap"))
    none = Recording.open(record([("/x", 0.0, Float64())], namespace=None, name="none.mcap"))
    assert namespace_of(told) == "/right"
    assert namespace_of(only) == "/left"
    assert namespace_of(both, "/left") == "/left"
    for recording, given_, words in (
        (both, None, "several robots; name one: --namespace /left, /right"),
        (both, "", "nothing of a robot in namespace /; it has /left, /right"),
        (none, None, "holds nothing of a robot: no joint_states"),
    ):
        with pytest.raises(RefusedError, match=words):
            namespace_of(recording, given_)
