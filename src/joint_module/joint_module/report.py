"""Whether a module meets its load: torques, efficiency and margins from a simulated run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from joint_module import output
from joint_module.calibration import ratio_from_motion
from joint_module.contract import JointModule, Mode, Range
from joint_module.errors import MeasurementError
from joint_module.simulate import Bench, Run, Samples
from joint_module.validation import warnings_of
from stride_base.progress import Progress, silent

# The overload search ends this close to the torque limit, relative to it.
OVERLOAD_TOLERANCE = 1e-4
_MOST_TRIALS = 40
# Slower than this the input stands still, and its power is rounding, rad/s.
STANDSTILL = 1e-6
# A larger deviation of the measured from the nominal ratio is worth a word.
RATIO_TOLERANCE = 0.01


@dataclass(frozen=True)
class Margin:
    """How far a quantity of the input joint stays from its limits.

    Args:
        limits: (lower, upper).
        lowest, highest: Reached in the run.
        margin: Distance to the nearer limit, in the quantity's unit; negative if it was passed.
        fraction: `margin` over half the width of the limits.
    """

    limits: Range
    lowest: float
    highest: float
    margin: float
    fraction: float


@dataclass(frozen=True)
class Report:
    """What a run of a module shows. Torques in N m, angles in rad; see docs/joint_module.md.

    Args:
        meets_load: Whether the torque that the load needs stays within the limits.
        within_limits: Whether torque, position and velocity do.
        efficiency: Output work over input work while the motor drives, or None if it never does.
        overload_torque: In overload mode the load at which the peak torque reaches the limit.
        measured_ratio: From the run, or None if it cannot be measured.
    """

    module_id: str
    mode: Mode
    meets_load: bool
    within_limits: bool
    load_torque: float
    overload_torque: float | None
    ideal_input_torque: float
    peak_input_torque: float
    rms_input_torque: float
    efficiency: float | None
    torque: Margin
    position: Margin
    velocity: Margin | None
    peak_tracking_error: float
    rms_tracking_error: float
    nominal_ratio: float
    measured_ratio: float | None
    ratio_error: float | None
    warnings: tuple[str, ...]

    def to_document(self) -> dict[str, Any]:
        """The JSON document; margins are grouped under one key."""
        document = asdict(self)
        document["margins"] = {key: document.pop(key) for key in ("torque", "position", "velocity")}
        return document


@dataclass(frozen=True)
class Runs:
    """The runs behind a report.

    Args:
        needed: The servo was not limited; torques and efficiency are its.
        limited: The servo kept to its torque limits; angles and speeds are its. The same run, unless
            the load is too much.
    """

    needed: Run
    limited: Run


def report(
    module: JointModule,
    model_file: Path,
    mode: Mode | None = None,
    progress: Progress = silent,
) -> tuple[Report, Runs]:
    """Simulate a module and report.

    Args:
        module: A valid module.
        model_file: Its MJCF.
        mode: ``normal`` or ``overload``; the module's own by default.
        progress: Told of each run; how many an overload takes is known only at the end.

    Raises:
        ModelError: the model cannot be loaded.
        MeasurementError: the simulation diverged, or no load brings the torque to its limit.
    """
    bench = Bench(module, model_file, progress)
    mode = mode or module.simulation.mode
    overload = None
    load = module.simulation.load_torque
    if mode == "overload":
        load = overload = overload_torque(module, lambda trial: bench.run(trial).input_torque)
    needed = bench.run(load)
    too_much = mode == "normal" and margin(needed.input_torque, module.limits.torque).margin < 0.0
    runs = Runs(needed, bench.run(load, module.limits.torque) if too_much else needed)
    return evaluate(module, mode, runs, overload), runs


def evaluate(module: JointModule, mode: Mode, runs: Runs, overload: float | None = None) -> Report:
    """The report of runs under one load.

    Args:
        module: The module.
        mode: What the report is called.
        runs: The runs.
        overload: The load found in overload mode, N m.
    """
    limits, needed, run = module.limits, runs.needed, runs.limited
    torque = margin(needed.input_torque, limits.torque)
    position = margin(run.input_position, limits.position)
    velocity = margin(run.input_velocity, limits.velocity) if limits.velocity else None
    error = run.reference - run.input_position
    measured = _measured_ratio(needed)
    ratio_error = None if measured is None else measured / module.gear_ratio - 1.0
    # At the load that was searched for, the torque touches its limit by construction.
    slack = OVERLOAD_TOLERANCE if mode == "overload" else 0.0
    meets_load = torque.fraction >= -slack
    in_reach = position.margin >= 0.0 and (velocity is None or velocity.margin >= 0.0)
    return Report(
        module_id=module.module_id,
        mode=mode,
        meets_load=meets_load,
        within_limits=meets_load and in_reach,
        load_torque=run.load_torque,
        overload_torque=overload,
        ideal_input_torque=abs(run.load_torque) / module.gear_ratio,
        peak_input_torque=_peak(needed.input_torque),
        rms_input_torque=_rms(needed.input_torque),
        efficiency=efficiency(needed),
        torque=torque,
        position=position,
        velocity=velocity,
        peak_tracking_error=_peak(error),
        rms_tracking_error=_rms(error),
        nominal_ratio=module.gear_ratio,
        measured_ratio=measured,
        ratio_error=ratio_error,
        warnings=(*warnings_of(module), *_ratio_warnings(ratio_error)),
    )


def efficiency(run: Run) -> float | None:
    """sum(P_out) / sum(P_in) over the samples where the motor drives; None if there are none.

    A constant load resists in one direction and helps in the other, so the motor drives during half
    of the cycle: where both P_in = torque * velocity at the input and P_out = -load * velocity at
    the output are above 0.
    """
    power_in = run.input_torque * run.input_velocity
    power_out = -run.load_torque * run.output_velocity
    drives = (power_in > 0.0) & (power_out > 0.0) & (np.abs(run.input_velocity) > STANDSTILL)
    if not drives.any():
        return None
    return float(power_out[drives].sum() / power_in[drives].sum())


def margin(samples: Samples, limits: Range) -> Margin:
    """Margin of (n,) samples against limits of the same unit."""
    lowest, highest = float(samples.min()), float(samples.max())
    distance = min(limits[1] - highest, lowest - limits[0])
    return Margin(limits, lowest, highest, distance, distance / ((limits[1] - limits[0]) / 2.0))


def overload_torque(module: JointModule, input_torque: Callable[[float], Samples]) -> float:
    """The load at which the peak input torque just reaches its limit, N m, with the load's sign.

    The peak grows almost linearly with the load, so regula falsi (with the Illinois rule, which keeps
    it from creeping) needs few trials. 0 if the torque limit is reached even without load.

    Args:
        module: The module; its `load_torque` says which way the load acts (negative if it is 0).
        input_torque: Simulated (n,) torque under a load, not limited.

    Raises:
        MeasurementError: no load brings the torque to its limit.
    """
    sign = 1.0 if module.simulation.load_torque > 0.0 else -1.0

    def use(load: float) -> float:
        """How far the torque passes its limit, relative to half the width of the limits."""
        return -margin(input_torque(sign * load), module.limits.torque).fraction

    low, low_use = 0.0, use(0.0)
    if low_use >= 0.0:
        return 0.0
    high = max(map(abs, module.limits.torque)) * module.gear_ratio
    high_use = use(high)
    for _ in range(_MOST_TRIALS):
        if high_use >= 0.0:
            break
        low, low_use, high = high, high_use, 2.0 * high
        high_use = use(high)
    else:
        raise MeasurementError(
            f"{module.module_id}: no load brings the torque of {module.input_joint!r} to its limit; "
            "does the output follow the input?"
        )
    for _ in range(_MOST_TRIALS):
        load = (low * high_use - high * low_use) / (high_use - low_use)
        found = use(load)
        if abs(found) <= OVERLOAD_TOLERANCE:
            return sign * load
        if found < 0.0:
            low, low_use, high_use = load, found, high_use / 2.0
        else:
            high, high_use, low_use = load, found, low_use / 2.0
    raise MeasurementError(
        f"{module.module_id}: the torque of {module.input_joint!r} jumps past its limit between the "
        f"loads {sign * low:.4g} and {sign * high:.4g} N m"
    )


def write(found: Report, path: Path) -> None:
    """Write a report as JSON without NaN."""
    text = json.dumps(found.to_document(), ensure_ascii=False, allow_nan=False, indent=2)
    output.write(path, text + "\n")


def _measured_ratio(run: Run) -> float | None:
    try:
        return ratio_from_motion(run.input_position, run.output_position)
    except MeasurementError:
        return None


def _ratio_warnings(error: float | None) -> list[str]:
    if error is None or abs(error) <= RATIO_TOLERANCE:
        return []
    return [
        f"the measured ratio is off by {error:.1%}: the ratio is wrong, a joint stops at a limit, or "
        "the timestep is so long that the transmission gives way"
    ]


def _peak(samples: Samples) -> float:
    return float(np.abs(samples).max())


def _rms(samples: Samples) -> float:
    return float(np.sqrt(np.mean(samples * samples)))
