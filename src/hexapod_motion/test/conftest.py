"""The robot and the expected numbers that several tests use."""

import json
from pathlib import Path
from typing import Any

import pytest

from hexapod_motion.geometry import Geometry, load_geometry
from hexapod_motion.kinematics import Kinematics

ROOT = Path(__file__).resolve().parents[3]
ROBOT = ROOT / "config" / "robots" / "hexapod"
DATA = ROOT / "test" / "data"


@pytest.fixture(scope="session")
def robot_folder() -> Path:
    return ROBOT


@pytest.fixture(scope="session")
def geometry() -> Geometry:
    return load_geometry(ROBOT / "geometry.yaml")


@pytest.fixture(scope="session")
def kinematics(geometry: Geometry) -> Kinematics:
    return Kinematics(geometry)


@pytest.fixture(scope="session")
def vectors() -> Any:
    return json.loads((DATA / "hexapod.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def article_tables() -> Any:
    return json.loads((DATA / "hexapod_sequences.json").read_text(encoding="utf-8"))["sequences"]
