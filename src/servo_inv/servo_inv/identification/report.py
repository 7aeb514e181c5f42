"""The report of an identification, as text and as data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from servo_inv.identification.findings import findings
from servo_inv.identification.fit import LINEAR, saturated
from servo_inv.identification.identify import Identified

#: Of the parameters divided by kp and voltage: what they make of the goal.
UNITS = {
    "viscous": "s",
    "inertia": "s^2",
    "coulomb": "rad",
    "stribeck": "rad",
    "torque": "rad/(N m)",
    "stribeck_velocity": "rad/s",
    "stribeck_exponent": "",
}


def report_data(identified: Identified) -> dict[str, Any]:
    """For JSON: no NaN, no infinity; null stands for "not seen"."""
    fit, model = identified.fit, identified.model
    numbers = model.numbers()
    return {
        "joint": identified.name,
        "model": numbers,
        "confidence_95": {name: _finite(width) for name, width in fit.half_width.items()},
        "voltage": float(np.mean(identified.signals.voltage)),
        "samples": samples(identified),
        "condition": _finite(fit.separability.condition),
        "cannot_be_separated": [list(group) for group in fit.separability.groups],
        "not_excited": list(fit.separability.unexcited),
        "at_bound": list(fit.at_bound),
        "held_out_rms": {"without_model": identified.before, "with_model": identified.after},
        "trial_rms": _trial(identified),
        "helps": identified.helps,
        "findings": findings(identified),
    }


def report_text(identified: Identified) -> str:
    """For people."""
    fit, numbers = identified.fit, identified.model.numbers()
    voltage = float(np.mean(identified.signals.voltage))
    share = 1.0 / (identified.model.kp * voltage)
    counts = samples(identified)
    lines = [
        f"joint {identified.name}",
        f"  samples: {counts['used']} of {counts['all']} used, {counts['held_out']} held out, "
        f"{counts['slow']} too slow, {counts['saturated']} saturated, {counts['torn']} at gaps",
        f"  kp {numbers['kp']:g}, kgear {numbers['kgear']:g} (settings)",
        f"  {'parameter':<18}{'value':>11}{'+- (95 %)':>12}   on the goal at {voltage:.2f} V",
    ]
    for name, unit in UNITS.items():
        effect = f"{numbers[name] * share:.5f} {unit}" if name in LINEAR else unit
        width = fit.half_width[name]
        shown = f"{width:.4g}" if math.isfinite(width) else "not seen"
        lines.append(f"  {name:<18}{numbers[name]:>11.5g}{shown:>12}   {effect}".rstrip())
    before, after = math.degrees(identified.before), math.degrees(identified.after)
    lines += [
        f"  condition {fit.separability.condition:.1f} (1 is perfect, 30 is bad)",
        f"  distance from position to target, RMS of held-out samples: "
        f"{before:.3f} deg without the model, {after:.3f} deg with it",
        *_tracking_lines(identified),
        *(f"  - {sentence}" for sentence in findings(identified)),
    ]
    return "\n".join(lines) + "\n"


def _tracking_lines(identified: Identified) -> list[str]:
    if identified.tracking is None:
        return []
    before, after = (math.degrees(error) for error in identified.tracking.errors)
    return [
        f"  tracking error, RMS, of a trial that was not fitted: "
        f"{before:.3f} deg without the model, {after:.3f} deg with it"
    ]


def samples(identified: Identified) -> dict[str, int]:
    """How many samples there are, and why some were not used."""
    fit, signals = identified.fit, identified.signals
    slow = np.abs(signals.velocity) <= fit.settings.slowest
    return {
        "all": len(signals.time),
        "used": int(fit.used.sum()),
        "held_out": int(identified.held_out.sum()),
        "slow": int((signals.whole & slow).sum()),
        "saturated": int((signals.whole & saturated(signals, fit.settings)).sum()),
        "torn": int((~signals.whole).sum()),
    }


def _trial(identified: Identified) -> dict[str, float] | None:
    if identified.tracking is None:
        return None
    before, after = identified.tracking.errors
    return {"without_model": before, "with_model": after}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
