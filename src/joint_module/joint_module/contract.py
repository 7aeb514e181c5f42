"""The joint module configuration as a typed value: what every front end reads of a module.

Fields, defaults and the JSON Schema are those of the seed; see docs/joint_module.md.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

RatioSource = Literal["mimic", "calibrated", "manual"]
Mode = Literal["normal", "overload"]
Range = tuple[float, float]


@dataclass(frozen=True)
class Limits:
    """Limits of the input joint, each (lower, upper).

    Args:
        position: rad.
        torque: N m.
        velocity: rad/s, or None where the URDF gives none.
    """

    position: Range
    torque: Range
    velocity: Range | None = None


@dataclass(frozen=True)
class Simulation:
    """How the module is simulated; the defaults are the seed's.

    Args:
        timestep, duration: s.
        kp, kd: Gains of the servo at the input joint, N m/rad and N m s/rad.
        amplitude, frequency: Of the sine that the input joint is to follow, rad and Hz.
        load_torque: Constant torque on the output joint, N m; negative resists a positive turn.
        damping: Viscous damping of every joint, N m s/rad.
        mode: What the report does with the load.
    """

    timestep: float = 0.001
    duration: float = 4.0
    kp: float = 20.0
    kd: float = 0.3
    amplitude: float = 2.0 * math.pi
    frequency: float = 0.25
    load_torque: float = -3.0
    damping: float = 0.01
    mode: Mode = "normal"

    @property
    def peak_velocity(self) -> float:
        """Highest speed of the reference, rad/s."""
        return 2.0 * math.pi * self.frequency * self.amplitude


@dataclass(frozen=True)
class JointModule:
    """One joint module; `gear_ratio` is travel of the input over travel of the output.

    `model` is the file name of the MJCF, which lies in the folder of the JSON file.
    """

    module_id: str
    model: str
    input_joint: str
    output_joint: str
    gear_ratio: float
    gear_ratio_source: RatioSource
    limits: Limits
    simulation: Simulation = field(default_factory=Simulation)
    name: str | None = None

    def to_document(self) -> dict[str, Any]:
        """The JSON document, with the keys in the seed's order and unknown limits left out."""
        limits = {key: list(value) for key, value in asdict(self.limits).items() if value}
        document: dict[str, Any] = {"module_id": self.module_id}
        if self.name is not None:
            document["name"] = self.name
        return document | {
            "model": self.model,
            "input_joint": self.input_joint,
            "output_joint": self.output_joint,
            "gear_ratio": self.gear_ratio,
            "gear_ratio_source": self.gear_ratio_source,
            "limits": limits,
            "simulation": asdict(self.simulation),
        }

    @staticmethod
    def from_document(document: dict[str, Any]) -> JointModule:
        """The typed value of a document that `validation.check` accepted; defaults are filled in."""
        limits: dict[str, Range] = {key: _range(value) for key, value in document["limits"].items()}
        given = document["simulation"]
        simulation: dict[str, Any] = {
            known.name: given[known.name] if known.name == "mode" else float(given[known.name])
            for known in fields(Simulation)
            if known.name in given
        }
        return JointModule(
            module_id=document["module_id"],
            name=document.get("name"),
            model=document["model"],
            input_joint=document["input_joint"],
            output_joint=document["output_joint"],
            gear_ratio=float(document["gear_ratio"]),
            gear_ratio_source=document["gear_ratio_source"],
            limits=Limits(**limits),
            simulation=Simulation(**simulation),
        )


def _range(pair: list[float]) -> Range:
    lower, upper = pair
    return float(lower), float(upper)
