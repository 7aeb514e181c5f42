"""Pictures of a MuJoCo model without a screen, by EGL in software if need be."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError

Picture = NDArray[np.uint8]
PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri"
MOST_GEOMS = 2000


class Camera:
    """Draws one model.

    Args:
        model: The model.
        width, height: px.
        name: A camera of the model; one that follows the first free body if it has none of that name.
        fast: Without shadows, reflections and anti-aliasing, for software rendering.

    Raises:
        RefusedError: EGL is missing; says what to install.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        width: int = 640,
        height: int = 480,
        name: str = "chase",
        fast: bool = False,
    ) -> None:
        self._context = _context(width, height)
        self._model, self._fast = model, fast
        model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
        model.vis.global_.offheight = max(height, model.vis.global_.offheight)
        model.vis.quality.offsamples = 0 if fast else 4
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._scene = mujoco.MjvScene(model, MOST_GEOMS)
        self._graphics = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._graphics)
        self._options = mujoco.MjvOption()
        self._camera = _camera(model, name)
        self._pixels = np.zeros((height, width, 3), np.uint8)

    def picture(self, data: mujoco.MjData) -> Picture:
        """(height, width, 3) red, green, blue of `data`, which has been through mj_forward."""
        flags = self._scene.flags
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            flags[flag] = not self._fast
        mujoco.mjv_updateScene(
            self._model,
            data,
            self._options,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._rect, self._scene, self._graphics)
        mujoco.mjr_readPixels(self._pixels, None, self._rect, self._graphics)
        return self._pixels[::-1].copy()

    def close(self) -> None:
        """Give the graphics back."""
        self._graphics.free()
        self._context.free()

    def __enter__(self) -> Camera:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _context(width: int, height: int) -> Any:
    try:
        # Not by MUJOCO_GL, which counts only before the first import of mujoco.
        from mujoco.egl import GLContext

        context = GLContext(width, height)
        context.make_current()
    except (ImportError, AttributeError, RuntimeError) as error:
        raise RefusedError(
            f"there is no EGL to draw pictures with ({error}). Install it with: "
            f"sudo apt-get install -y {PACKAGES}"
        ) from error
    return context


def _camera(model: mujoco.MjModel, name: str) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name)
    if number >= 0:
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = number
        return camera
    mujoco.mjv_defaultFreeCamera(model, camera)
    free = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == 0]
    if free:
        camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
        camera.trackbodyid = free[0]
    return camera
