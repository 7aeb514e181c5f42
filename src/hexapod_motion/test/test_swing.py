"""The way of a foot through the air."""

import numpy as np
import pytest

from hexapod_motion import swing

S = np.linspace(0.0, 1.0, 1001).tolist()


@pytest.mark.parametrize(
    ("place", "speed"), [(swing.way, swing.way_speed), (swing.height, swing.height_speed)]
)
def test_speeds_are_the_slopes(place: object, speed: object) -> None:
    assert callable(place) and callable(speed)
    for s in S[1:-1]:
        slope = (place(s + 1e-6) - place(s - 1e-6)) / 2e-6
        assert speed(s) == pytest.approx(slope, abs=1e-5)


def test_it_begins_and_ends_at_rest_on_the_ground() -> None:
    assert (swing.way(0.0), swing.way(1.0)) == (0.0, 1.0)
    assert (swing.height(0.0), swing.height(1.0), swing.height(0.5)) == (0.0, 0.0, 1.0)
    for s in (0.0, 1.0):
        assert swing.way_speed(s) == 0.0 and swing.height_speed(s) == 0.0


def test_the_way_never_goes_back() -> None:
    assert all(swing.way_speed(s) >= 0.0 for s in S)
    assert max(swing.way_speed(s) for s in S) == pytest.approx(1.0 / (1.0 - swing.RAMP))


def test_the_landing_place_is_free_early_fixed_late_and_smooth_between() -> None:
    freedom = [swing.freedom(s) for s in S]
    assert freedom[0] == 1.0 and freedom[-1] == 0.0
    assert np.abs(np.diff(freedom)).max() < 0.006
    assert (np.diff(freedom) <= 0.0).all()
