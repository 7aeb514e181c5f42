"""The four paths and their frames."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexapod_motion.trajectories import PATH_NAMES, Move, Path, Progress, frame_count

coordinate = st.floats(-200.0, 200.0)
points = st.tuples(coordinate, coordinate, coordinate)


def move(start: Any, table: Any, path: Path) -> Move:
    return Move(np.array([start], float), np.array([table], float), [path])


def test_vectors(vectors: Any) -> None:
    for case in vectors["trajectories"]:
        path = move(case["start"], case["dest"], PATH_NAMES[case["path"]])
        for sample in case["samples"]:
            point = path.at(Progress.at(sample["t"]))[0]
            assert point == pytest.approx(sample["xyz"], abs=1e-9), (case["id"], sample["t"])


def test_vectors_of_the_smoothing(vectors: Any) -> None:
    for case in vectors["smoothing"]:
        n = case["n"]
        ts = [180.0 * Progress.of_frame(k, n).part for k in range(n + 1)]
        assert ts == pytest.approx(case["t"], abs=1e-9)
        frames = move([1, 2, 3], [4, 5, 6], Path.XYZ_LINEAR).frames(n)
        assert len(frames) == case["ticks"]
        assert case["duration_s_150hz"] == pytest.approx(len(frames) / 150.0, abs=1e-9)


def test_names_of_the_article_are_understood() -> None:
    assert PATH_NAMES["XYZ_LINAR"] is PATH_NAMES["LINEAR"] is Path.XYZ_LINEAR
    assert PATH_NAMES["YZ_ARC_Y_LINEAR"] is Path.XZ_ARC_Y_LINEAR


@given(points, points, st.integers(1, 90))
def test_the_ends_are_exact(p0: Any, p1: Any, n: int) -> None:
    (x0, y0, z0), (x1, y1, z1) = p0, p1
    radius, ray = np.hypot(x0, z0), np.arctan2(x1, z1)
    arc = [radius * np.sin(ray), None, radius * np.cos(ray)]
    ends = {
        Path.XYZ_LINEAR: [x1, y1, z1],
        Path.XZ_ARC_Y_LINEAR: [arc[0], y1, arc[2]],
        Path.XZ_ARC_Y_SINUS: [arc[0], y0, arc[2]],
        Path.XZ_ELLIPTICAL_Y_SINUS: [x0, y0, z1],
    }
    for path, end in ends.items():
        frames = move(p0, p1, path).frames(n)
        assert len(frames) == n + 1
        assert frames[0, 0] == pytest.approx(p0, abs=1e-12)
        assert frames[-1, 0].tolist() == end
        assert move(p0, p1, path).end_points()[0].tolist() == end


@given(points, points, st.floats(0.0, 180.0))
def test_arcs_keep_their_distance_from_the_coxa_axis(p0: Any, p1: Any, t: float) -> None:
    for path in (Path.XZ_ARC_Y_LINEAR, Path.XZ_ARC_Y_SINUS):
        x, _y, z = move(p0, p1, path).at(Progress.at(t))[0]
        assert np.hypot(x, z) == pytest.approx(np.hypot(p0[0], p0[2]), abs=1e-9)


def test_limbs_with_different_paths_do_not_touch_each_other() -> None:
    start = np.array([[110.0, -85, 20], [125, -85, 0], [88, -85, 88], [0, -85, 0]])
    table = np.array([[130.0, -55, 110], [108, -85, 62], [121, -55, 32], [50, -40, 50]])
    kinds = list(Path)
    kinds = [kinds[3], kinds[1], kinds[2], kinds[0]]
    for t in (0.0, 31.0, 90.0, 144.0, 180.0):
        together = Move(start, table, kinds).at(Progress.at(t))
        for index, kind in enumerate(kinds):
            alone = move(start[index], table[index], kind).at(Progress.at(t))[0]
            assert together[index].tolist() == alone.tolist()


def test_an_arc_across_the_back_goes_the_long_way_and_says_so() -> None:
    path = move([17.36, -85, -98.48], [-17.36, -85, -98.48], Path.XZ_ARC_Y_LINEAR)
    assert path.sweeps()[0] == pytest.approx(-340.0, abs=0.1)
    assert move([1, 0, 1], [1, 0, -1], Path.XYZ_LINEAR).sweeps()[0] == 0.0


@pytest.mark.parametrize(
    ("n", "rate", "speed", "steps"),
    [(50, 150.0, 1.0, 50), (50, 75.0, 1.0, 25), (15, 50.0, 1.0, 5), (1, 50.0, 1.0, 1),
     (50, 150.0, 2.0, 25), (50, 150.0, 0.5, 100), (20, 200.0, 1.0, 27)],
)  # fmt: skip
def test_another_rate_keeps_the_duration(n: int, rate: float, speed: float, steps: int) -> None:
    assert frame_count(n, rate, speed) == steps
