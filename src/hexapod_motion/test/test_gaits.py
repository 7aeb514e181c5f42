"""Gaits as data: the shipped ones, and those that would let the robot fall."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hexapod_motion.gaits import load_gaits
from hexapod_motion.geometry import Geometry
from hexapod_motion.step_clock import StepClock
from stride_base.errors import ConfigError


@pytest.mark.parametrize(("name", "up"), [("tripod", 3), ("ripple", 2), ("wave", 1), ("amble", 2)])
def test_how_many_feet_a_gait_has_in_the_air(
    robot_folder: Path, geometry: Geometry, name: str, up: int
) -> None:
    gait = load_gaits(robot_folder / "gaits.yaml", geometry)[name]
    counts = {int(gait.in_air(clock).sum()) for clock in np.linspace(0.003, 0.997, 200)}
    assert max(counts) == up and min(counts) >= up - 1


def test_a_wave_runs_from_rear_to_front(robot_folder: Path, geometry: Geometry) -> None:
    for name in ("ripple", "wave"):
        fl, ml, rl, fr, mr, rr = load_gaits(robot_folder / "gaits.yaml", geometry)[name].turns
        assert rl < ml < fl
        assert (mr - rr) % 1.0 == pytest.approx((ml - rl) % 1.0)
        assert (fr - rr) % 1.0 == pytest.approx((fl - rl) % 1.0)
        assert abs(rr - rl) == pytest.approx(0.5)


ROW: dict[str, Any] = {"duty_factor": 0.5, "cycle_time": 1.0, "offsets": [0, 0.5, 0, 0.5, 0, 0.5]}
WRONG = [
    ({"duty_factor": 0.3}, "gait mine: 'duty_factor' is 0.3; expected a number from 0.5"),
    ({"cycle_time": 0}, "gait mine: 'cycle_time' is 0; expected a number from 0.1"),
    ({"offsets": [0, 0, 0]}, "gait mine: 'offsets' is .*; expected six numbers"),
    (
        {"offsets": [0, 0.5, 0, 0.5, 0, 1.0]},
        r"'offsets\[5\]' is 1.0; expected a number from 0 to below 1",
    ),
    ({"offsets": [0, 0, 0, 0, 0.5, 0.5]}, r"leave 3 feet on the ground \(it lifts fl, ml, rl, fr"),
    ({"offsets": [0, 0, 0, 0.5, 0.5, 0.5]}, r"20 mm inside .*it lifts fl, ml, rl together"),
    ({"offsets": [0, 0, 0.5, 0.5, 0.7, 0.7], "duty_factor": 0.7}, "it lifts fl, ml together"),
    ({"speed": 1}, "gait mine: 'speed' is 1; expected only the fields"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_wrong_gait_is_refused_by_name(
    tmp_path: Path, geometry: Geometry, change: Any, message: str
) -> None:
    path = tmp_path / "gaits.yaml"
    path.write_text(yaml.safe_dump({"gaits": {"mine": ROW | change}}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_gaits(path, geometry)


def test_the_clock_knows_when_each_leg_lifts(robot_folder: Path, geometry: Geometry) -> None:
    gait = load_gaits(robot_folder / "gaits.yaml", geometry)["tripod"]
    clock = StepClock(gait, 0.25)
    assert clock.times_to_lift() == pytest.approx([0.6, 0.2, 0.6, 0.2, 0.6, 0.2])
    assert clock.after(0.1).times_to_lift() == pytest.approx([0.5, 0.1] * 3)
    assert clock.at_turn_of(1).times_to_lift() == pytest.approx([0.4, 0.0] * 3, abs=1e-8)
