"""Which parameters a set of samples can tell apart (Belsley, Kuh and Welsch, 1980).

The columns of the regression are scaled to unit length; where two or more of them are nearly dependent,
a singular value is small, and the parameters that share most of their variance with it
cannot be told apart: another mixture of them fits as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.joint_message import FloatArray

#: A direction is weak where its singular value is this many times smaller than the largest.
WEAK = 30.0
#: A parameter takes part in a weak direction with more than this share of its variance.
SHARE = 0.5


@dataclass(frozen=True)
class Separability:
    """What a regression can tell apart.

    Args:
        condition: Largest ratio of singular values of the scaled columns.
        groups: Parameters that cannot be told apart, group by group.
        unexcited: Parameters whose column is zero.
    """

    condition: float
    groups: tuple[tuple[str, ...], ...]
    unexcited: tuple[str, ...]


def separability(columns: FloatArray, names: tuple[str, ...]) -> Separability:
    """Of a regression with `columns` (m, k) for the parameters `names`."""
    length = np.linalg.norm(columns, axis=0)
    used = length > 0.0
    unexcited = tuple(name for name, is_used in zip(names, used, strict=True) if not is_used)
    kept = [name for name, is_used in zip(names, used, strict=True) if is_used]
    if not kept:
        return Separability(np.inf, (), unexcited)
    _u, singular, directions = np.linalg.svd(columns[:, used] / length[used], full_matrices=False)
    singular = np.maximum(singular, singular[0] * 1e-12)
    index = singular[0] / singular
    variance = (directions / singular[:, None]) ** 2
    share = variance / variance.sum(axis=0)
    weak = index > WEAK
    # Several weak directions can split the variance of one parameter between them.
    together = share[weak].sum(axis=0) > SHARE
    groups: list[set[str]] = []
    for row in np.flatnonzero(weak):
        strong = share[row] > SHARE
        members = strong if strong.sum() > 1 else together
        group = {name for name, is_in in zip(kept, members, strict=True) if is_in}
        for other in [other for other in groups if other & group]:
            groups.remove(other)
            group |= other
        if len(group) > 1:
            groups.append(group)
    ordered = tuple(tuple(name for name in kept if name in group) for group in groups)
    return Separability(float(index[-1]), ordered, unexcited)
