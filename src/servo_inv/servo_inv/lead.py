"""Lead: a goal that lies as far ahead on the line of motion as the loop is late.

    out = g + (g - g_prev) * lead / (period * cycles)

(seed `servo_inv`, both components). The servo moves at constant speed (rectangular profile) and
is given `lead + period` to get there.
"""

from __future__ import annotations

import numpy as np

from servo_inv.joint_message import FloatArray


def change_since(before: FloatArray, now: FloatArray) -> FloatArray:
    """`now - before`, (n,); 0 for a joint that is or was a wheel (NaN), which has no change."""
    change = now - before
    change[np.isnan(change)] = 0.0
    return change


def with_lead(goal: FloatArray, before: FloatArray, elapsed: float, lead: float) -> FloatArray:
    """`goal`, extrapolated by `lead`.

    Args:
        goal: (n,) rad; NaN for a wheel, and stays so.
        before: (n,) rad, the goals without lead `elapsed` s ago.
        elapsed: Time between the two, s, > 0.
        lead: How far ahead, s, >= 0.
    """
    if lead == 0.0:
        return goal
    return goal + change_since(before, goal) * (lead / elapsed)
