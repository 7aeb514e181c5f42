"""A robot's folder and a runtime folder of the test's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

ROBOT_YAML = """
/**:
  ros__parameters:
    stall_torque: 2.94
/**/gait_controller:
  ros__parameters:
    approach_speed: 1
/**/sts3215_driver:
  ros__parameters:
    baud_rate: 500000
"""


@pytest.fixture(autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Locks and links of a test do not meet those of a running robot."""
    folder = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return folder / "stride"


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A complete robot at 50 Hz."""
    folder = tmp_path / "robots" / "biped"
    folder.mkdir(parents=True)
    (folder / "control.json").write_text(json.dumps({"control_hz": 50}))
    (folder / "robot.yaml").write_text(ROBOT_YAML)
    return folder
