"""One frame of motion: what every joint shall do now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Targets of all joints in the order of the control file, joint side.

    Args:
        position: (n,) rad; NaN for wheels.
        velocity: (n,) rad/s; of a position joint the rate of change of its target.
    """

    position: FloatArray
    velocity: FloatArray
