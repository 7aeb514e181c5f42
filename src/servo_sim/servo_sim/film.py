"""A film of a simulated robot: its motion is kept while it runs, and drawn afterwards, so that drawing
disturbs nothing."""

from __future__ import annotations

from pathlib import Path

import av
import mujoco
import numpy as np
from numpy.typing import NDArray

from servo_sim.offscreen import Camera, Picture
from servo_sim.robot_plant import RobotPlant
from servo_sim.servo_joints import TIMESTEP
from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent

FRAMES_PER_SECOND = 25
#: By ending of the file: codec, its options, and those of the file. Any other ending is a video.
_FORMATS = {".webp": ("libwebp_anim", {"quality": "45"}, {"loop": "0"})}
_VIDEO: tuple[str, dict[str, str], dict[str, str]] = ("libx264", {}, {})
#: About an hour.
MOST_FRAMES = 90_000


class Film:
    """Keeps the motion of a robot from now on.

    Args:
        robot: The robot; its `on_step` is taken.
    """

    def __init__(self, robot: RobotPlant) -> None:
        self._robot = robot
        self._poses: list[NDArray[np.float64]] = []
        self._steps = 0
        self._every = round(1.0 / (FRAMES_PER_SECOND * TIMESTEP))
        robot.on_step = self._keep

    @property
    def seconds(self) -> float:
        """What is kept, s."""
        return len(self._poses) / FRAMES_PER_SECOND

    def write(
        self, path: Path, width: int = 640, height: int = 480, progress: Progress = silent
    ) -> None:
        """Draw what was kept, and write it in the format that the name of `path` says: .mp4, or .webp
        for a picture that moves.

        Raises:
            RefusedError: there is no EGL, or the file cannot be written.
        """
        data = mujoco.MjData(self._robot.model)
        codec, options, file_options = _FORMATS.get(path.suffix.lower(), _VIDEO)
        try:
            with (
                Camera(self._robot.model, width, height, fast=True) as camera,
                av.open(str(path), "w", options=file_options) as file,
            ):
                stream = file.add_stream(codec, rate=FRAMES_PER_SECOND, options=options)
                stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
                for number, pose in enumerate(self._poses):
                    progress("drawing the film", number, len(self._poses))
                    data.qpos[:] = pose
                    mujoco.mj_forward(self._robot.model, data)
                    frame = av.VideoFrame.from_ndarray(camera.picture(data), format="rgb24")
                    file.mux(stream.encode(frame))
                progress("writing the film")
                file.mux(stream.encode())
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise RefusedError(f"{path}: no film can be written there: {error}") from error

    def _keep(self) -> None:
        if self._steps % self._every == 0 and len(self._poses) < MOST_FRAMES:
            self._poses.append(self._robot.data.qpos.copy())
        self._steps += 1


def still(robot: RobotPlant, width: int = 960, height: int = 640) -> Picture:
    """(height, width, 3) a good picture of the robot as it is now. Raises RefusedError without EGL."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.data.qpos
    mujoco.mj_forward(robot.model, data)
    with Camera(robot.model, width, height) as camera:
        return camera.picture(data)


def write_picture(path: Path, picture: Picture) -> None:
    """Write a PNG. Raises RefusedError if that fails."""
    height, width, _ = picture.shape
    try:
        with av.open(str(path), "w", format="image2", options={"update": "1"}) as file:
            stream = file.add_stream("png", rate=1)
            stream.width, stream.height, stream.pix_fmt = width, height, "rgb24"
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            file.mux(stream.encode())
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise RefusedError(f"{path}: no picture can be written there: {error}") from error
