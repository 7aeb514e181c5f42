"""Isolation: a domain of its own, discovery on this machine only."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import Emulated, own_domain

ROBOTS = Path(__file__).parents[2] / "config" / "robots"


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", own_domain())
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    os.environ.setdefault("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")


@pytest.fixture
def hexapod(tmp_path: Path):
    with Emulated(tmp_path / "bus", ROBOTS / "hexapod" / "control.json") as emulated:
        yield emulated
