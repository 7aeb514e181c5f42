"""Names for the arrays that everything here works on.

Limb-wise arrays have six rows in the order of the geometry file: front, middle and rear left, then
front, middle and rear right. Unless said otherwise points are mm in the frame of their limb
(x outward, y up, z forward) and angles are degrees (coxa, femur, tibia).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]
BoolArray: TypeAlias = NDArray[np.bool_]

LIMBS = 6
JOINTS = ("coxa", "femur", "tibia")


def frozen(values: object) -> FloatArray:
    """`values` as an array of floats that nobody can change."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
