"""Films and pictures: motion is kept in simulated time, and a missing EGL says what to install."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from servo_sim.film import FRAMES_PER_SECOND, Film, write_picture
from servo_sim.offscreen import Camera
from servo_sim.simulated_bus import build_simulated_bus
from stride_base.errors import RefusedError
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.servo_file import load_joints

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod"


def test_a_film_keeps_a_pose_per_frame_of_simulated_time() -> None:
    setup = Setup(joints=load_joints(HEXAPOD / "control.json"))
    simulated = build_simulated_bus(setup, HEXAPOD / "robot.xml")
    film = Film(simulated.robot)
    simulated.bus.advance(0.0)
    simulated.bus.advance(2.0)
    assert film.seconds == pytest.approx(2.0, abs=1.5 / FRAMES_PER_SECOND)


def test_without_egl_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco.egl", None)
    setup = Setup(joints=load_joints(HEXAPOD / "control.json"))
    robot = build_simulated_bus(setup, HEXAPOD / "robot.xml").robot
    with pytest.raises(RefusedError, match="apt-get install -y libegl1 libegl-mesa0"):
        Camera(robot.model)


def test_pictures_are_written_as_png_and_bad_places_are_named(tmp_path: Path) -> None:
    picture = np.zeros((32, 48, 3), np.uint8)
    write_picture(tmp_path / "still.png", picture)
    assert (tmp_path / "still.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(RefusedError, match="no picture can be written there"):
        write_picture(tmp_path / "missing" / "still.png", picture)
