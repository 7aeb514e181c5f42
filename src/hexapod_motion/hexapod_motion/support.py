"""What carries the robot: which feet touch the ground, and how far it is from tipping over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hexapod_motion.arrays import BoolArray, FloatArray

#: A foot this near to the ground stands on it; one this far above a level ground hangs in the air, mm.
TOUCHING, HANGING = 1.0, 5.0


def stability_margin(feet: FloatArray, center: FloatArray) -> float:
    """Distance of (2,) `center` from the edge of the convex polygon of (n, 2) `feet`, mm.

    Negative outside, and for fewer than three feet.
    """
    corners = hull([(float(x), float(y)) for x, y in feet])
    if len(corners) < 3:
        return -math.inf
    px, py = float(center[0]), float(center[1])
    margin = math.inf
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        cross = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        margin = min(margin, cross / math.hypot(bx - ax, by - ay))
    return margin


def hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(row: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for point in row:
            while len(out) >= 2 and _cross(out[-2], out[-1], point) <= 0.0:
                out.pop()
            out.append(point)
        return out[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _cross(o: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def contacts(feet: FloatArray, center: FloatArray, touching: float = TOUCHING) -> BoolArray:
    """Which feet a rigid robot stands on, however its body is tilted.

    The plane of three feet carries it when no other foot is below and `center` is above their
    triangle; all feet near that plane touch. None if it would tip over.

    Args:
        feet: (n, 3) in the body's frame (x forward, y left, z up), mm.
        center: (3,) centre of gravity in the same frame, mm.
        touching: How near to the ground a foot touches it, mm; more for measured feet.

    Returns:
        (n,) which feet touch the ground.
    """
    if len(feet) < 3:
        return np.zeros(len(feet), dtype=np.bool_)
    above = feet[:, 2] - feet[:, 2].min()
    low = above <= touching
    hanging = above >= touching + HANGING - TOUCHING
    if (low | hanging).all() and stability_margin(feet[low, :2], center[:2]) >= 0.0:
        return np.asarray(low)
    triples = _triples(len(feet))
    a, b, c = (feet[triples[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    normal *= np.where(normal[:, 2:] < 0.0, -1.0, 1.0)
    length = np.linalg.norm(normal, axis=1)
    steep = normal[:, 2] < 1e-6 * np.maximum(length, 1e-12)
    normal = normal / np.maximum(length, 1e-12)[:, None]
    heights = np.einsum("tj,tij->ti", normal, feet[None] - a[:, None])
    carries = ~steep & (heights >= -touching).all(axis=1)
    # The centre along the plane's normal, inside the triangle: same side of all three edges.
    sides = np.stack(
        [
            np.einsum("tj,tj->t", normal, np.cross(q - p, center - p))
            for p, q in ((a, b), (b, c), (c, a))
        ]
    )
    inside = (sides >= -1e-6).all(axis=0) | (sides <= 1e-6).all(axis=0)
    found = np.flatnonzero(carries & inside)
    if not found.size:
        return np.zeros(len(feet), dtype=np.bool_)
    # Of nearly equal planes the lowest: the one that leaves nothing below itself.
    best = found[np.argmax(heights[found].min(axis=1))]
    return np.asarray(np.abs(heights[best]) <= touching)


@lru_cache
def _triples(count: int) -> NDArray[np.intp]:
    """(m, 3) indices of every three of `count` feet."""
    return np.array(list(combinations(range(count), 3)), dtype=np.intp)
