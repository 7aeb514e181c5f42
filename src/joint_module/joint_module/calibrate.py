"""A gear ratio by simulation: drive the input without load, and see how far the output goes."""

from __future__ import annotations

from pathlib import Path

from joint_module.calibration import ratio_from_motion
from joint_module.contract import JointModule
from joint_module.simulate import Bench


def ratio_from_model(module: JointModule, model_file: Path) -> float:
    """Measured gear ratio of a model.

    Args:
        module: Names the joints and says how the input is driven; its own ratio plays no part.
        model_file: The MJCF.

    Raises:
        ModelError: the model cannot be loaded.
        MeasurementError: the simulation diverged, or the output does not follow the input.
    """
    run = Bench(module, model_file).run(load_torque=0.0)
    return ratio_from_motion(run.input_position, run.output_position)
