"""Steps a walker and watches what must hold in every frame."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from hexapod_motion.body_frame import BodyFrame
from hexapod_motion.gaits import load_gaits
from hexapod_motion.geometry import load_geometry
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.planar import PlanarMove
from hexapod_motion.walk_rules import WalkSettings
from hexapod_motion.walker import Walker

ROBOT = Path(__file__).resolve().parents[3] / "config" / "robots" / "hexapod"
GEOMETRY = load_geometry(ROBOT / "geometry.yaml")
GAITS = load_gaits(ROBOT / "gaits.yaml", GEOMETRY)
KINEMATICS = Kinematics(GEOMETRY)
BODY = BodyFrame(GEOMETRY)
DT = 1.0 / 150.0
PAIRS = np.array(list(combinations(range(6), 2)))


class WalkRecorder:
    """A walker in the world.

    Attributes:
        place: Where the level frame under the body is in the world.
        landings: (leg, planned place, real place in the world) of every landing.
        ground_speeds: Speed over the ground of each foot in the frame before it landed, mm/s.
        jolts: Largest change of a foot's velocity between frames, mm/s.
        joint_speed: Fastest joint, degrees/s.
        margin: Least static stability margin, mm.
    """

    def __init__(self, gait: str = "tripod", **settings: float) -> None:
        self.walker = Walker(GEOMETRY, GAITS, WalkSettings(gait=gait, **settings))
        self.place = PlanarMove(0j, 1 + 0j)
        self.points = self.walker.points()
        self.angles = KINEMATICS.inverse(self.points).values
        self.velocity = np.zeros((6, 3))
        self.landings: list[tuple[int, complex, complex]] = []
        self.ground_speeds: list[float] = []
        self.jolts = self.joint_speed = 0.0
        self.margin = self.walker.margin()
        self._planned: dict[int, complex] = {}
        self._last_ground = self._grounds()

    def _world(self, place: complex) -> complex:
        return self.place.seen_before(place)

    def _grounds(self) -> list[complex]:
        return [self._world(leg.ground) for leg in self.walker.state.legs]

    def lifts(self) -> list[int]:
        return [leg.lifts for leg in self.walker.state.legs]

    def run(self, frames: int) -> None:
        for _ in range(frames):
            self.step()

    def until_settled(self, most: int = 3000) -> int:
        for frame in range(most):
            if self.walker.resting:
                return frame
            self.step()
        raise AssertionError("the robot never came to rest")

    def step(self) -> None:
        before = self.walker.state
        points = self.walker.step(DT)
        after = self.walker.state
        self.place = self.place.then(PlanarMove.along(before.twist.middle(after.twist), DT))
        angles = KINEMATICS.inverse(points)
        assert angles.all_possible, [angles.reason(limb) for limb in range(6)]
        down = [index for index, leg in enumerate(after.legs) if not leg.air]
        assert len(down) >= 3
        self.margin = min(self.margin, self.walker.margin())
        assert self.walker.margin() > 0.0
        self._check_slip(points, [i for i in down if not before.legs[i].air])
        speed = float(np.abs(angles.values - self.angles).max()) / DT
        self.joint_speed = max(self.joint_speed, speed)
        velocity = (BODY.from_limbs(points) - BODY.from_limbs(self.points)) / DT
        self.jolts = max(self.jolts, float(np.abs(velocity - self.velocity).max()))
        self.points, self.angles, self.velocity = points, angles.values, velocity
        self._watch_landings(before.legs, after.legs)

    def _check_slip(self, points: np.ndarray, standing: list[int]) -> None:
        """Feet that stand keep their distances: the body moves over them as one piece."""
        pairs = PAIRS[np.isin(PAIRS, standing).all(axis=1)]
        old, new = (
            np.linalg.norm(feet[pairs[:, 0]] - feet[pairs[:, 1]], axis=1)
            for feet in (BODY.from_limbs(self.points), BODY.from_limbs(points))
        )
        assert np.abs(new - old).max(initial=0.0) < 1e-6

    def _watch_landings(self, before: tuple, after: tuple) -> None:
        grounds = self._grounds()
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if new.air and new.progress >= 0.8:
                planned = self._planned.setdefault(index, self._world(new.landing))
                assert abs(planned - self._world(new.landing)) < 1e-6
            if old.air and not new.air:
                landed = self._world(new.foot)
                self.landings.append((index, self._planned.pop(index, landed), landed))
                self.ground_speeds.append(abs(grounds[index] - self._last_ground[index]) / DT)
        self._last_ground = grounds
