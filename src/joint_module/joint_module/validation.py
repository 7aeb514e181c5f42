"""Checks of a joint module document: the JSON Schema, then what a schema cannot state."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from joint_module.contract import JointModule, Limits, Simulation
from stride_base.errors import ConfigError
from stride_base.schema_check import check as check_schema

SCHEMA_FILE = Path(__file__).with_name("joint-module.schema.json")
SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))

# A guard against documents that would simulate for days or fill the memory.
MAXIMUM_STEPS = 1_000_000

_TEXTS = ("module_id", "model", "input_joint", "output_joint")
_NOT_NEGATIVE = ("kp", "kd", "amplitude", "frequency", "damping")


def check(document: Any, file: str | Path) -> JointModule:
    """The typed module of a parsed document.

    Args:
        document: Parsed JSON without NaN (see `stride_base.strict_json`).
        file: Name used in messages.

    Raises:
        ConfigError: names the file, the field, its value and what was expected.
    """
    check_schema(document, SCHEMA, file, _where)
    _check_known("limits", document["limits"], Limits, file)
    _check_known("simulation", document["simulation"], Simulation, file)
    for field in _TEXTS:
        if not document[field].strip():
            raise ConfigError(file, "", field, document[field], "text that is not empty")
    module = JointModule.from_document(document)
    check_model_name(module.model, file)
    if module.input_joint == module.output_joint:
        expected = "a joint other than the input joint"
        raise ConfigError(file, "", "output_joint", module.output_joint, expected)
    _check_numbers_are_finite(module, file)
    for field, pair in vars(module.limits).items():
        if pair is not None and not pair[0] < pair[1]:
            expected = "two numbers [lower, upper] with lower < upper"
            raise ConfigError(file, "limits", field, list(pair), expected)
    _check_simulation(module.simulation, file)
    return module


def check_model_name(model: str, file: str | Path) -> None:
    """Raise ConfigError unless `model` names a file in the folder of the JSON, whatever the system."""
    bare = not any(character in model for character in "/\\:\0\n\r") and model not in (".", "..")
    if not bare or model != model.strip():
        raise ConfigError(file, "", "model", model, "a bare file name, without folders")


def warnings_of(module: JointModule) -> list[str]:
    """What a user should know of a valid module: scenarios that its own limits forbid."""
    found = []
    simulation, limits = module.simulation, module.limits
    peak = simulation.peak_velocity
    if limits.velocity and not (limits.velocity[0] <= -peak and peak <= limits.velocity[1]):
        found.append(
            f"the reference peaks at {peak:.2f} rad/s "
            f"(2 pi * {simulation.frequency:g} Hz * {simulation.amplitude:.4g} rad), beyond "
            f"the velocity limits {limits.velocity[0]:.4g} to {limits.velocity[1]:.4g} rad/s "
            f"of {module.input_joint!r}"
        )
    lower, upper = limits.position
    middle = reference_middle(module)
    if middle + simulation.amplitude > upper or middle - simulation.amplitude < lower:
        found.append(
            f"the reference ({middle:.4g} +- {simulation.amplitude:.4g} rad) leaves the position "
            f"limits {lower:.4g} to {upper:.4g} rad of {module.input_joint!r}"
        )
    ideal = -simulation.load_torque / module.gear_ratio
    if not limits.torque[0] <= ideal <= limits.torque[1]:
        found.append(
            f"the load {simulation.load_torque:g} N m needs {ideal:.4g} N m at {module.input_joint!r} "
            f"even without friction, beyond its torque limits {limits.torque[0]:.4g} to "
            f"{limits.torque[1]:.4g} N m"
        )
    if simulation.kp == 0.0:
        found.append("simulation.kp is 0: nothing holds the input joint on its reference")
    if module.gear_ratio < 1.0:
        found.append(
            f"gear_ratio {module.gear_ratio:g} is below 1: the output turns faster than the input"
        )
    return found


def reference_middle(module: JointModule) -> float:
    """Angle that the reference swings about, rad: 0, or the middle of limits that it would leave."""
    (lower, upper), amplitude = module.limits.position, module.simulation.amplitude
    return 0.0 if lower <= -amplitude and amplitude <= upper else (lower + upper) / 2.0


def _check_simulation(simulation: Simulation, file: str | Path) -> None:
    for field in ("timestep", "duration"):
        if not getattr(simulation, field) > 0.0:
            value = getattr(simulation, field)
            raise ConfigError(file, "simulation", field, value, "a number of seconds above 0")
    for field in _NOT_NEGATIVE:
        if getattr(simulation, field) < 0.0:
            value = getattr(simulation, field)
            raise ConfigError(file, "simulation", field, value, "a number of at least 0")
    if simulation.duration < simulation.timestep:
        expected = f"at least one timestep, {simulation.timestep} s"
        raise ConfigError(file, "simulation", "duration", simulation.duration, expected)
    if simulation.duration > MAXIMUM_STEPS * simulation.timestep:
        expected = f"at most {MAXIMUM_STEPS} timesteps of {simulation.timestep} s"
        raise ConfigError(file, "simulation", "duration", simulation.duration, expected)


def _check_numbers_are_finite(module: JointModule, file: str | Path) -> None:
    """Documents that never were JSON text (built in Python) may still hold NaN."""

    def refuse(where: str, field: str, value: Any) -> None:
        numbers = value if isinstance(value, tuple) else (value,)
        if any(isinstance(number, float) and not math.isfinite(number) for number in numbers):
            raise ConfigError(file, where, field, value, "finite numbers")

    refuse("", "gear_ratio", module.gear_ratio)
    for where, part in (("limits", module.limits), ("simulation", module.simulation)):
        for field, value in vars(part).items():
            refuse(where, field, value)


def _check_known(where: str, part: dict[str, Any], kind: type, file: str | Path) -> None:
    known = [field.name for field in fields(kind)]
    for key, value in part.items():
        if key not in known:
            raise ConfigError(file, where, key, value, f"only the fields {', '.join(known)}")


def _where(path: Iterable[str | int]) -> str:
    return ".".join(str(part) for part in path)
