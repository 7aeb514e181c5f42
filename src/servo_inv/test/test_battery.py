"""Which supply voltage is in force (point 7 of the specification)."""

import math

import pytest

from servo_inv.battery import Battery
from stride_base.diagnostics import Level
from stride_base.errors import RefusedError


def test_without_measurements_the_default_is_in_force() -> None:
    battery = Battery(default=7.4, timeout=5.0)
    assert battery.voltage(100.0) == 7.4
    assert battery.report(100.0).level == Level.OK
    assert battery.report(100.0).values == {"voltage": 7.4}


def test_a_measurement_is_in_force_until_it_times_out() -> None:
    battery = Battery(default=7.4, timeout=5.0)
    battery.measure(8.1, 10.0)
    assert battery.voltage(15.0) == 8.1
    assert battery.report(11.0).values == {"voltage": 8.1, "age": 1.0}
    assert battery.voltage(15.1) == 7.4
    late = battery.report(15.1)
    assert late.level == Level.WARN
    assert late.message == "battery_state stopped: battery_voltage is used"
    battery.measure(6.9, 16.0)
    assert battery.voltage(16.0) == 6.9


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.0, -7.4])
def test_a_bad_measurement_is_refused_and_the_last_good_one_stays(bad: float) -> None:
    battery = Battery(default=7.4, timeout=5.0)
    with pytest.raises(RefusedError, match=f"voltage is {bad:g} V"):
        battery.measure(bad, 9.0)
    assert battery.voltage(9.0) == 7.4
    battery.measure(8.1, 10.0)
    with pytest.raises(RefusedError):
        battery.measure(bad, 14.0)
    assert battery.voltage(14.0) == 8.1
    assert battery.voltage(15.5) == 7.4


def test_default_and_timeout_may_change() -> None:
    battery = Battery(default=7.4, timeout=5.0)
    battery.measure(8.1, 10.0)
    battery.timeout = 1.0
    battery.default = 6.0
    assert battery.voltage(12.0) == 6.0
