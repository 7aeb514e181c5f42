"""Calibration: zero is measured at rest, torque off, and refused where it cannot be used."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stride_base.errors import RefusedError
from sts3215_driver import servo_table
from sts3215_driver.tools.calibration import (
    centred_zero,
    measure_zero,
    misfit,
    recentre,
    select,
)


def table_of(*servos):
    """A servo table of joints `(id, low, high, sign)`, or of wheels `id`."""
    entries = []
    for servo in servos:
        if isinstance(servo, int):
            entries.append({"id": servo, "name": f"w{servo}", "mode": "wheel", "sign": 1})
            continue
        servo_id, low, high, sign = servo
        entries.append(
            {"id": servo_id, "name": f"j{servo_id}", "mode": "position", "sign": sign,
             "zero": 2048, "min": low, "max": high}
        )  # fmt: skip
    return servo_table.parse({"servos": entries}, "robot.json")


def test_the_zero_is_where_the_joint_stands(bench, servo) -> None:
    one, two = servo(1), servo(2)
    one.raw, two.raw = 1990, 2113
    zeros = measure_zero(bench(one, two).bus(), table_of((1, -1, 1, 1), (2, -1, 1, -1)), [0, 1])
    assert zeros.tolist() == [1990, 2113]
    assert one.written == two.written == []


def test_the_median_of_several_samples_counts(bench, servo) -> None:
    subject = servo(1)
    noise = iter([0, 1, -1, 2, 0, 0, 1, -2, 0, 0] * 100)
    subject.motion = lambda now: next(noise)
    zeros = measure_zero(bench(subject).bus(), table_of((1, -1, 1, 1)), [0], samples=21)
    assert zeros.tolist() == [2048]


def test_readings_around_the_seam_are_not_averaged_across_the_turn(bench, servo) -> None:
    subject = servo(1)
    subject.raw = 4095
    noise = iter([0, 1, 0, 2, 1, 1, 0, 1] * 100)
    subject.motion = lambda now: next(noise)
    zeros = measure_zero(bench(subject).bus(), table_of((1, 0, 1, 1)), [0], samples=9)
    assert zeros.tolist() in ([0], [1])


def test_a_servo_that_moves_is_refused_and_named(bench, servo) -> None:
    still, moving = servo(1), servo(2)
    moving.motion = lambda now: 30 * (now - 100)
    with pytest.raises(RefusedError, match=r"moved while being measured: servo 2 \(j2\) by"):
        measure_zero(bench(still, moving).bus(), table_of((1, -1, 1, 1), (2, -1, 1, 1)), [0, 1])


def test_missing_servos_are_refused_and_all_named(bench) -> None:
    table = table_of((1, -1, 1, 1), (2, -1, 1, 1), (3, -1, 1, 1))
    with pytest.raises(RefusedError, match=r"servo 2 \(j2\) does not answer; servo 3"):
        measure_zero(bench(1).bus(), table, [0, 1, 2])


def test_a_servo_that_falls_silent_while_sampling_is_refused(bench, servo) -> None:
    subject = servo(1)
    table = bench(subject, 2)
    bus = table.bus()

    def unplug(request: bytes) -> None:
        if request[4] == 0x82:
            subject.powered = False

    table.on_request = unplug
    with pytest.raises(RefusedError, match="no answer from servo 1"):
        measure_zero(bus, table_of((1, -1, 1, 1), (2, -1, 1, 1)), [0, 1])


def test_a_lost_packet_now_and_then_is_no_missing_servo(bench) -> None:
    table = bench(1, 2)
    table.mangle = lambda reply, number: None if number % 5 == 0 else reply
    zeros = measure_zero(table.bus(), table_of((1, -1, 1, 1), (2, -1, 1, 1)), [0, 1])
    assert zeros.tolist() == [2048, 2048]


def test_old_firmware_without_sync_read_is_measured_too(bench, servo) -> None:
    old = servo(1)
    old.knows_sync_read, old.raw = False, 2000
    zeros = measure_zero(bench(old, 2).bus(), table_of((1, -1, 1, 1), (2, -1, 1, 1)), [0, 1])
    assert zeros.tolist() == [2000, 2048]


@pytest.mark.parametrize(
    ("register", "value", "reason"),
    [
        ("torque_enable", 1, "holds: torque must be off"),
        ("torque_enable", 2, "holds: torque must be off"),
        ("operating_mode", 1, "is in wheel mode"),
        ("phase", 28, r"counts turns.*stride write 1 phase 12"),
    ],
)
def test_a_servo_that_is_not_ready_is_refused(bench, servo, register, value, reason) -> None:
    subject = servo(1)
    subject.goes_to_goal = False
    subject.set(register, value)
    with pytest.raises(RefusedError, match=reason):
        measure_zero(bench(subject).bus(), table_of((1, -1, 1, 1)), [0])


def test_a_zero_whose_limits_leave_the_turn_is_refused_with_what_to_do(bench, servo) -> None:
    """Field report: 0 rad at tick 0; position mode has no way across the seam."""
    subject = servo(1)
    subject.raw = 20
    with pytest.raises(RefusedError) as caught:
        measure_zero(bench(subject).bus(), table_of((1, -1, 1, 1)), [0])
    message = str(caught.value)
    assert "reads step 20" in message and "min -1 rad at step -632" in message
    assert "turn its horn by 178 deg" in message
    assert "stride write 1 position_offset -2028" in message


def test_doing_what_the_message_says_helps(bench, servo) -> None:
    subject = servo(1, position_offset=300)
    subject.raw = 320
    bus = bench(subject).bus()
    table = table_of((1, -0.5, 1, -1))
    assert recentre(bus, table, [0]) == [0]
    zeros = measure_zero(bus, table, [0])
    assert zeros[0] == centred_zero(table, 0)
    assert subject.get("lock") == 1
    subject.power_cycle()
    assert measure_zero(bus, table, [0]).tolist() == zeros.tolist()


def test_servos_that_fit_are_not_recentred(bench, servo) -> None:
    one, two = servo(1), servo(2)
    two.raw = 4000
    assert recentre(bench(one, two).bus(), table_of((1, -1, 1, 1), (2, -1, 1, 1)), [0, 1]) == [1]
    assert one.written == []


@settings(deadline=None)
@given(
    st.integers(0, 4095), st.integers(-2047, 2047),
    st.floats(-3, 3), st.floats(0, 6), st.sampled_from([1, -1]),
)  # fmt: skip
def test_the_centred_zero_fits_whenever_any_zero_does(raw, offset, low, span, sign) -> None:
    table = servo_table.ServoTable(
        ids=(1,), names=("j",), wheel=table_of((1, 0, 0, 1)).wheel, sign=table_of((1, 0, 0, sign)).sign,
        zero=table_of((1, 0, 0, 1)).zero, minimum=_one(low), maximum=_one(low + span),
    )  # fmt: skip
    wanted = centred_zero(table, 0)
    assert wanted is None or misfit(table, 0, wanted, offset) == ""
    if wanted is None:
        assert all(misfit(table, 0, zero, offset) for zero in range(0, 4096, 64))


def _one(value: float):
    import numpy as np

    return np.array([value])


def test_joints_are_chosen_by_name() -> None:
    table = table_of((1, -1, 1, 1), 2, (3, -1, 1, 1))
    assert select(table) == [0, 2]
    assert select(table, ["j3"]) == [2]


@pytest.mark.parametrize(
    ("names", "reason"),
    [(["j9"], "not in the servo file"), (["w2"], "a wheel has no zero"), (["j1", "j1"], "twice")],
)
def test_what_cannot_be_calibrated(names, reason) -> None:
    with pytest.raises(RefusedError, match=reason):
        select(table_of((1, -1, 1, 1), 2), names)


def test_a_robot_of_wheels_has_nothing_to_calibrate() -> None:
    with pytest.raises(RefusedError, match="wheels only"):
        select(table_of(1, 2))
