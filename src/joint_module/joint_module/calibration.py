"""A gear ratio from measured motion: least-squares slope of the input over the output."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joint_module import untrusted_xml
from joint_module.contract import JointModule
from joint_module.errors import MeasurementError
from joint_module.simulate import Bench
from joint_module.transmission import rounded
from stride_base.progress import Progress, silent
from stride_base.strict_json import FileError

# Motion of the output that is noise rather than travel, rad.
LEAST_TRAVEL = 1e-6
# Share of the input's motion that may be left unexplained by a constant ratio.
MOST_RESIDUAL = 0.05

MAXIMUM_BYTES = 256 * 1024 * 1024


def ratio_from_motion(
    input_position: NDArray[np.float64], output_position: NDArray[np.float64]
) -> float:
    """Gear ratio of a recorded motion: the slope of q_in = ratio * q_out + constant.

    The mean of q_out/q_in would be its inverse, and divides by zero where the input passes zero.

    Args:
        input_position, output_position: (n,) rad, taken at the same times, without wrapping.

    Raises:
        MeasurementError: lengths differ, too few or not finite samples, the output does not move, it
            turns against the input, or there is no constant ratio.
    """
    q_in, q_out = np.asarray(input_position, float), np.asarray(output_position, float)
    if q_in.shape != q_out.shape or q_in.ndim != 1 or len(q_in) < 3:
        raise MeasurementError(
            f"calibration needs at least 3 samples of both joints, got {q_in.shape} and {q_out.shape}"
        )
    if not (np.isfinite(q_in).all() and np.isfinite(q_out).all()):
        raise MeasurementError(
            "calibration needs finite angles; the recording holds NaN or infinity"
        )
    x, y = q_out - q_out.mean(), q_in - q_in.mean()
    if np.ptp(q_out) < LEAST_TRAVEL:
        raise MeasurementError(
            f"the output joint moves by {np.ptp(q_out):.3g} rad while the input moves by "
            f"{np.ptp(q_in):.3g} rad; it does not follow, so there is no ratio to calibrate"
        )
    slope = float(x @ y / (x @ x))
    if not slope > 0.0:
        raise MeasurementError(
            f"the output turns against the input (slope {slope:.6g}), and a joint module's gear ratio "
            "is above 0; turn the output's axis around"
        )
    residual = float(np.linalg.norm(y - slope * x) / np.linalg.norm(y))
    if residual > MOST_RESIDUAL:
        raise MeasurementError(
            f"the output does not follow the input with a constant ratio: {residual:.0%} of the motion "
            f"is left unexplained by {slope:.6g}"
        )
    return rounded(slope)


def ratio_from_model(module: JointModule, model_file: Path, progress: Progress = silent) -> float:
    """Gear ratio of a simulated motion: the input is driven without load.

    Args:
        module: Names the joints and says how the input is driven; its own ratio plays no part.
        model_file: The MJCF.
        progress: Told of the run.

    Raises:
        ModelError: the model cannot be loaded.
        MeasurementError: the simulation diverged, or the output does not follow the input.
    """
    run = Bench(module, model_file, progress).run(load_torque=0.0)
    return ratio_from_motion(run.input_position, run.output_position)


def ratio_from_recording(path: Path) -> float:
    """Gear ratio from a CSV file with the columns q_in and q_out (rad), in any order, among others.

    Raises:
        FileError: it cannot be read.
        MeasurementError: columns are missing, a value is no number, or no ratio can be had.
    """
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise MeasurementError(f"{path}: has more than {MAXIMUM_BYTES} bytes")
        with path.open(encoding="utf-8", newline="") as opened:
            reader = csv.DictReader(opened)
            missing = {"q_in", "q_out"} - set(reader.fieldnames or ())
            if missing:
                raise MeasurementError(f"{path}: has no column {', '.join(sorted(missing))}")
            rows = [
                (_number(row["q_in"], path, line), _number(row["q_out"], path, line))
                for line, row in enumerate(reader, start=2)
            ]
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise MeasurementError(f"{path}: is no CSV text: {error}") from error
    samples = np.array(rows).reshape(-1, 2)
    return ratio_from_motion(samples[:, 0], samples[:, 1])


def _number(text: str | None, path: Path, line: int) -> float:
    value = untrusted_xml.plain_number(text or "")
    if value is None or not math.isfinite(value):
        raise MeasurementError(f"{path}: line {line} holds {text!r}, expected an angle in rad")
    return value
