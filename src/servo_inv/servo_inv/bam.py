"""Servo models from parameters of BAM (Rhoban, "better actuator models").

BAM simulates the servo forwards: torque = kt/R * (duty*V - kt*v), duty = error_gain*P*(u - q), and
friction Kc + Kcs*exp(-|v/qs|^delta) + Kv*|v|. Solved for u, that is the 7-parameter model with

    kp = P * error_gain,   a = [R*Kv/kt + kt, R*J/kt, R*Kc/kt, R*Kcs/kt, R/kt]

exactly, while the duty is below its limit. Friction that depends on the load (BAM's models M3 to M6) has
no place in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from stride_base.errors import MISSING, ConfigError
from stride_base.parameters import Param
from stride_base.strict_json import load

#: Duty per rad and unit of the P register, of servos that BAM measured (its `actuator` names).
ERROR_GAINS = {"sts3215": 0.166, "mx64": 0.158, "mx106": 0.158, "xl320": 0.05048199}

KT = Param("kt", 1.0, "torque constant, N m/A", above=0.0)
R = Param("R", 1.0, "resistance, ohm", above=0.0)
ARMATURE = Param("armature", 0.0, "inertia of the rotor at the joint, kg m^2", minimum=0.0)
COULOMB = Param("friction_base", 0.0, "Coulomb friction, N m", minimum=0.0)
STRIBECK = Param("friction_stribeck", 0.0, "excess friction at rest, N m", minimum=0.0)
VISCOUS = Param("friction_viscous", 0.0, "viscous friction, N m s/rad", minimum=0.0)
VELOCITY = Param("dtheta_stribeck", 1.0, "Stribeck velocity, rad/s", above=0.0)
EXPONENT = Param("alpha", 1.0, "Stribeck exponent", above=0.0)
GAIN_RATIO = Param("error_gain_ratio", 1.0, "factor on the error gain", above=0.0)
P_GAIN = Param("p", 32.0, "P register of the servo", above=0.0)
ERROR_GAIN = Param("error_gain", 0.166, "duty per rad and unit of P", above=0.0)


@dataclass(frozen=True)
class Converted:
    """A servo model, and in sentences what of the BAM parameters it cannot hold."""

    model: ServoModel
    left_out: tuple[str, ...]


def convert(
    name: str,
    bam: Mapping[str, object],
    p_gain: float,
    error_gain: float | None = None,
    source: str = "BAM parameters",
) -> Converted:
    """The servo model of a joint.

    Args:
        name: Name of the joint.
        bam: Parameters by their names in BAM's files; kt and R at least.
        p_gain: P register that the servo runs with.
        error_gain: Duty per rad and unit of P; None: that of the `actuator` the parameters name.
        source: File that holds them, for messages.

    Raises:
        ConfigError: a parameter is missing or wrong, or the error gain is not known.
    """

    def number(param: Param, needed: bool = False) -> float:
        if needed or param.name in bam:
            return float(param.check(source, bam.get(param.name, MISSING)))
        return float(param.default)

    kt, resistance = number(KT, needed=True), number(R, needed=True)
    volts_per_torque = resistance / kt
    model = ServoModel(
        name,
        kp=float(P_GAIN.check(source, p_gain))
        * _error_gain(bam, error_gain, source)
        * number(GAIN_RATIO),
        viscous=volts_per_torque * number(VISCOUS) + kt,
        inertia=volts_per_torque * number(ARMATURE),
        coulomb=volts_per_torque * number(COULOMB),
        stribeck=volts_per_torque * number(STRIBECK),
        torque=volts_per_torque,
        stribeck_velocity=number(VELOCITY),
        stribeck_exponent=number(EXPONENT),
    )
    return Converted(model, tuple(_left_out(bam)))


def convert_file(
    path: Path, p_gain: float, error_gain: float | None, joints: Sequence[str]
) -> tuple[ModelList, tuple[str, ...]]:
    """The models of `joints`, else a default one, from BAM's JSON; and what is left out.

    Raises:
        FileError: it cannot be read, or is no JSON.
        ConfigError: see `convert`.
    """
    bam = load(path)
    if not isinstance(bam, dict):
        raise ConfigError(path, "", "document", bam, "an object with BAM parameters")
    converted = [
        convert(name, bam, p_gain, error_gain, str(path)) for name in joints or ["default"]
    ]
    models = [one.model for one in converted]
    return (
        ModelList(models) if joints else ModelList([], models[0]),
        converted[0].left_out,
    )


def _error_gain(bam: Mapping[str, object], given: float | None, source: str) -> float:
    if given is not None:
        return float(ERROR_GAIN.check(source, given))
    actuator = bam.get("actuator", MISSING)
    if isinstance(actuator, str) and actuator in ERROR_GAINS:
        return ERROR_GAINS[actuator]
    known = ", ".join(ERROR_GAINS)
    raise ConfigError(
        source, "", "actuator", actuator, f"one of {known}, or --error-gain for another servo"
    )


def _left_out(bam: Mapping[str, object]) -> list[str]:
    sentences = [
        f"{name} {value:g} is left out: the 7-parameter model has no friction that grows with load"
        for name, value in bam.items()
        if name.startswith("load_friction") and isinstance(value, (int, float)) and value
    ]
    offset = bam.get("q_offset")
    if isinstance(offset, (int, float)) and offset:
        sentences.append(
            f"q_offset {offset:g} rad is left out: it is the zero of BAM's test bench, not of a servo"
        )
    return sentences
