"""Gaits as data: when in the cycle each leg lifts, and how long it stays on the ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hexapod_motion.arrays import LIMBS, BoolArray, FloatArray, frozen
from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.documents import load_document, load_schema
from hexapod_motion.geometry import Geometry
from hexapod_motion.support import stability_margin
from stride_base.errors import ConfigError

_SCHEMA = load_schema("gaits_schema.json")
#: Fewest feet on the ground.
FEWEST = 3
#: Least distance of the centre of gravity from the edge of the standing feet's polygon, mm.
LEAST_MARGIN = 20.0
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait.

    Args:
        name: Its name.
        offsets: (6,) when each limb lifts, in cycles, from 0 to below 1.
        duty_factor: Part of the cycle on the ground.
        cycle_time: Duration of a cycle, s.
    """

    name: str
    offsets: FloatArray
    duty_factor: float
    cycle_time: float

    @cached_property
    def turns(self) -> tuple[float, ...]:
        """`offsets` as plain numbers."""
        return tuple(self.offsets.tolist())

    @property
    def swing_time(self) -> float:
        """How long a step takes, s."""
        return (1.0 - self.duty_factor) * self.cycle_time

    @property
    def stance_time(self) -> float:
        """How long a foot is on the ground, s."""
        return self.duty_factor * self.cycle_time

    def phases(self, clock: float | FloatArray) -> FloatArray:
        """(..., 6) cycles since each limb should have lifted, from 0 to below 1.

        Args:
            clock: Cycles, or (..., 1) of them.
        """
        return np.mod(clock - self.offsets, 1.0)

    def in_air(self, clock: float) -> BoolArray:
        """(6,) which limbs swing at that time of the cycle."""
        return np.asarray(self.phases(clock) < 1.0 - self.duty_factor - _ROUNDING)


def load_gaits(path: str | Path, geometry: Geometry) -> Mapping[str, Gait]:
    """Read gaits, and check that each keeps the standing robot on its feet at any time.

    Raises:
        FileError: the file cannot be read, or is not YAML.
        ConfigError: a value is wrong, or a gait lifts too many feet, or those it needs to stand.
    """
    document = load_document(path, _SCHEMA, lambda _document: _where)
    gaits = {
        name: Gait(
            name, frozen(row["offsets"]), float(row["duty_factor"]), float(row["cycle_time"])
        )
        for name, row in document["gaits"].items()
    }
    for gait in gaits.values():
        _check_support(gait, geometry, path)
    return gaits


def _where(path: Iterable[str | int]) -> str:
    parts = [str(part) for part in path]
    return f"gait {parts[1]}" if parts[:1] == ["gaits"] and len(parts) > 1 else ""


def _check_support(gait: Gait, geometry: Geometry, file: str | Path) -> None:
    body = BodyFrame(geometry)
    # What is in the air changes only when a limb lifts or lands.
    lifts = gait.offsets
    for clock in np.concatenate([lifts, lifts + 1.0 - gait.duty_factor]):
        down = ~gait.in_air(float(clock) + _ROUNDING)
        up = [geometry.names[index] for index in range(LIMBS) if not down[index]]
        lifted = f"it lifts {', '.join(up)} together"
        if down.sum() < FEWEST:
            expected = f"offsets that leave {FEWEST} feet on the ground ({lifted})"
            raise ConfigError(file, f"gait {gait.name}", "offsets", lifts.tolist(), expected)
        margin = stability_margin(body.stand[down, :2], body.center_of_gravity[:2])
        if margin < LEAST_MARGIN:
            expected = (
                f"offsets that keep the centre of gravity {LEAST_MARGIN:g} mm inside the standing "
                f"feet ({lifted}, which leaves {margin:.0f} mm)"
            )
            raise ConfigError(file, f"gait {gait.name}", "offsets", lifts.tolist(), expected)
