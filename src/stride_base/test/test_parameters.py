"""Parameter values: types, ranges, and messages that name node and parameter."""

import math

import pytest

from stride_base.errors import ConfigError
from stride_base.parameters import Param

RATE = Param("rate", 50.0, "cycles per second, Hz", minimum=1.0, maximum=1000.0)


def test_an_integer_is_a_fine_value_for_a_float() -> None:
    value = RATE.check("driver", 100)
    assert value == 100.0 and isinstance(value, float)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.5, 2000, "fast", True, None])
def test_bad_values_name_node_parameter_and_range(value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        RATE.check("driver", value)
    assert str(caught.value).startswith("driver: 'rate' is ")
    assert "a number from 1 to 1000 (cycles per second, Hz)" in str(caught.value)


def test_choices() -> None:
    source = Param("clock_source", "sync_step", "what ticks", choices=("sync_step", "timer"))
    assert source.check("gait", "timer") == "timer"
    with pytest.raises(ConfigError, match="one of sync_step, timer"):
        source.check("gait", "clock")


@pytest.mark.parametrize("value", [0, 0.0, -0.0, -1e-9, math.nan, math.inf])
def test_an_open_lower_bound_excludes_itself(value: float) -> None:
    period = Param("period", 0.02, "control period, s", above=0.0)
    assert period.check("servo_inv_lead", 5e-324) == 5e-324
    with pytest.raises(ConfigError, match=r"a number greater than 0 \(control period, s\)"):
        period.check("servo_inv_lead", value)


def test_an_open_lower_bound_goes_with_a_maximum() -> None:
    scale = Param("scale", 1.0, "time scale", above=0.0, maximum=4.0)
    assert scale.check("motion", 4) == 4.0
    with pytest.raises(ConfigError, match="a number greater than 0 and at most 4 "):
        scale.check("motion", 4.1)
