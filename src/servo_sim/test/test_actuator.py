"""The lesson's functions, and every one of its printed figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servo_sim.actuator import (
    actuator_force,
    kv_from_dampratio,
    rise_time,
    semi_implicit_euler,
    servo_sag,
    step_growth,
)
from servo_sim.seed_figures import Figure, seed_figures
from servo_sim.seed_tables import plot, summary, text

positive = st.floats(1e-3, 1e3)


@pytest.fixture(scope="module")
def figures() -> list[Figure]:
    return seed_figures()


def test_every_printed_figure_is_reproduced(figures: list[Figure]) -> None:
    wrong = [figure for figure in figures if not figure.within]
    assert not wrong
    assert sum(not figure.band for figure in figures) >= 142


def test_only_chaos_rounding_and_the_arms_revision_have_bands(figures: list[Figure]) -> None:
    banded = {figure.table for figure in figures if figure.band}
    assert banded == {"force law", "kp sweep", "A with forcerange", "SO-101 arm"}


def test_the_tables_show_both_numbers_and_say_what_differs(figures: list[Figure]) -> None:
    wrong = Figure("kp sweep", "kp 1", "sag (deg)", "16.193", "16.200", False)
    assert "DIFFERS" in text([wrong])
    assert "0 of 1 equal" in summary([wrong])
    assert "DIFFERS" not in text(figures)


def test_the_plots_are_drawn(tmp_path: Path) -> None:
    plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@given(kp=positive, tau_g=st.floats(1e-3, 1.0))
def test_sag_is_where_spring_and_gravity_are_equal(kp: float, tau_g: float) -> None:
    if kp < tau_g:
        kp += tau_g
    e = servo_sag(kp, tau_g)
    assert kp * e == pytest.approx(tau_g * np.cos(e), rel=1e-9)
    assert e <= tau_g / kp


@given(ctrl=st.floats(-10, 10), q=st.floats(-10, 10), v=st.floats(-10, 10))
def test_force_is_a_clamped_spring_and_damper(ctrl: float, q: float, v: float) -> None:
    force = actuator_force(ctrl, q, v, [40.0], [0.0, -40.0, -2.0], (-5.0, 5.0))
    assert force == pytest.approx(np.clip(40.0 * (ctrl - q) - 2.0 * v, -5.0, 5.0), abs=1e-9)


@given(h=st.floats(1e-4, 2e-2), w2=st.floats(1.0, 1e6), c=st.floats(0.0, 1e3))
def test_growth_says_stable_exactly_within_the_two_bounds(h: float, w2: float, c: float) -> None:
    for implicit, bound in ((c, 4.0 + 2.0 * h * c), (0.0, 4.0 - 2.0 * h * c)):
        left = h * h * w2
        if abs(left - bound) < 1e-3 * bound or (implicit == 0.0 and c == 0.0):
            continue
        growth = step_growth(semi_implicit_euler, h, w2, c, c_implicit=implicit)
        # Without damping it neither grows nor shrinks.
        assert (growth < 1.0 + 1e-9) == (left < bound)


@given(kp=positive, inertia=positive)
def test_damping_ratio_one_is_critical(kp: float, inertia: float) -> None:
    kv = kv_from_dampratio(kp, 1.0, inertia)
    assert kv * kv - 4.0 * kp * inertia == pytest.approx(0.0, abs=1e-9 * kv * kv)


def test_rise_time_is_interpolated_between_samples() -> None:
    time = np.array([0.0, 1.0, 2.0])
    assert rise_time(time, np.array([-1.0, 0.0, 0.0]), 0.0) == pytest.approx(0.8)
