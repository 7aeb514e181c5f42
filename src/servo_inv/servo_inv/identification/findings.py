"""What the user must know of an identified model before using it, in sentences."""

from __future__ import annotations

import numpy as np

from servo_inv.identification.fit import LINEAR, saturated
from servo_inv.identification.identify import Identified
from servo_inv.identification.separability import WEAK

LOAD, FRICTION = {"torque", "inertia"}, {"viscous", "coulomb", "stribeck"}


def findings(identified: Identified) -> list[str]:
    """Sentences, the worst first."""
    fit, signals = identified.fit, identified.signals
    said: list[str] = []
    if not identified.helps:
        said.append("the model is worse than none on what was held out: do not use it")
    said += [_group(group) for group in fit.separability.groups]
    if signals.effort is None:
        said.append("the load is not known (no effort was recorded): torque is not identified")
    said += [
        f"nothing in the recording shows {name}: it keeps the value from before"
        for name in fit.separability.unexcited
        if not (name == "torque" and signals.effort is None)
    ]
    if not fit.curve_seen:
        said.append("Stribeck friction cannot be told from the rest: coulomb stands for both")
    said += [f"{name} ended at the bound of its search" for name in fit.at_bound]
    numbers = identified.model.numbers()
    said += [
        f"{name} is not seen above the noise ({numbers[name]:.3g} +- {fit.half_width[name]:.2g})"
        for name in LINEAR
        if abs(numbers[name]) < fit.half_width[name] < np.inf
    ]
    said += [sentence.split(": ", 1)[1] for sentence in identified.model.oddities()]
    saturated = _share_saturated(identified)
    if saturated > 0.02:
        said.append(
            f"the drive was saturated in {saturated:.0%} of the samples: move it more slowly"
        )
    per_millisecond = 1e-3 * identified.model.kp * float(np.mean(signals.voltage))
    said.append(
        f"viscous friction and delay look alike: each ms between goal and reading that is not in "
        f"goal_age counts as {per_millisecond:.2g} of viscous"
    )
    return said


def _group(group: tuple[str, ...]) -> str:
    names = ", ".join(group[:-1]) + f" and {group[-1]}"
    what = f"{names} cannot be told apart in this recording (condition over {WEAK:g})"
    members = set(group)
    if members & LOAD and members & FRICTION:
        return f"load and friction cannot be separated: {what}"
    return what


def _share_saturated(identified: Identified) -> float:
    signals = identified.signals
    return float(np.mean(saturated(signals, identified.fit.settings)[signals.whole]))
