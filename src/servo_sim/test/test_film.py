"""Films and pictures: motion is kept in simulated time, and a missing EGL says what to install."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from servo_sim import film as film_module
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


class Painter:
    """A camera that needs no EGL; no two of its pictures are alike."""

    def __init__(self, _model: Any, width: int, height: int, fast: bool = False) -> None:
        self._size, self._random = (height, width, 3), np.random.default_rng(1)

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Nothing to give back."""

    def picture(self, _data: Any) -> Any:
        return self._random.integers(0, 255, self._size, np.uint8)


@pytest.mark.parametrize(("name", "codec"), [("walk.mp4", "h264"), ("walk.webp", "webp")])
def test_a_film_is_written_as_the_ending_of_its_name_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, codec: str
) -> None:
    monkeypatch.setattr(film_module, "Camera", Painter)
    setup = Setup(joints=load_joints(HEXAPOD / "control.json"))
    simulated = build_simulated_bus(setup, HEXAPOD / "robot.xml")
    film = Film(simulated.robot)
    simulated.bus.advance(0.0)
    simulated.bus.advance(1.0)
    film.write(tmp_path / name, 64, 48)
    written = (tmp_path / name).read_bytes()
    if codec == "webp":
        # Its animation chunk, which plays for ever, and a chunk for each picture.
        assert written[written.index(b"ANIM") + 12 :][:2] == b"\0\0"
        assert written.count(b"ANMF") == round(film.seconds * FRAMES_PER_SECOND)
        return
    with av.open(str(tmp_path / name)) as file:
        assert file.streams.video[0].codec_context.name == codec
        assert sum(1 for _ in file.decode(video=0)) == round(film.seconds * FRAMES_PER_SECOND)


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
