"""What a user may decide about a module where its URDF leaves it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joint_module.contract import Range, Simulation


@dataclass(frozen=True)
class Choices:
    """What a user may decide where the URDF leaves it open.

    Args:
        urdf, mjcf: Which file of the source; the MJCF may also lie elsewhere.
        input_joint, output_joint: Among several candidates.
        position_limits: Of the input joint, rad; needed if it is continuous.
        ratio: Gear ratio where neither mimic nor calibration tells it.
        recording: CSV of measured angles q_in, q_out to calibrate the ratio with.
        package_roots: Folders for package://NAME/..., before the source itself.
        module_id, name: Instead of the robot's name; display name.
        simulation: Parameters of the simulation.
    """

    urdf: str | None = None
    mjcf: str | None = None
    input_joint: str | None = None
    output_joint: str | None = None
    position_limits: Range | None = None
    ratio: float | None = None
    recording: Path | None = None
    package_roots: Sequence[Path] = ()
    module_id: str | None = None
    name: str | None = None
    simulation: Simulation = field(default_factory=Simulation)
