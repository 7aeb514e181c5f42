"""Limits and gear ratio of a module, each from the first source that tells it."""

from __future__ import annotations

from pathlib import Path

from joint_module import calibration, foreign_mjcf, transmission
from joint_module.choices import Choices
from joint_module.contract import Limits, Range, RatioSource
from joint_module.errors import ModelError
from joint_module.transmission import Transmission
from joint_module.urdf_model import Joint
from stride_base.errors import ConfigError


def limits(joint: Joint, file: str, mjcf_file: Path | None, choices: Choices) -> Limits:
    """Limits of the input joint.

    Position: the user's choice, else the URDF's. Torque: the MJCF's motor, else the URDF's effort.
    Velocity: the URDF's, if it has one.

    Raises:
        ConfigError: none of them tells position or torque; names the joint.
    """
    return Limits(
        position=_position_limits(joint, file, choices.position_limits),
        torque=_torque_limits(joint, file, mjcf_file),
        velocity=(-joint.velocity, joint.velocity) if joint.velocity else None,
    )


def _position_limits(joint: Joint, file: str, choice: Range | None) -> Range:
    where = f"joint {joint.name!r}"
    if choice is not None:
        if not choice[0] < choice[1]:
            raise ConfigError(file, where, "position limits", list(choice), "lower < upper")
        return choice
    expected = "--position-limits LOWER UPPER"
    if joint.kind == "continuous":
        raise ConfigError(
            file, where, "type", joint.kind, f"{expected}, as it has no limits itself"
        )
    if joint.travel is None:
        expected = f"lower < upper, or {expected}"
        raise ConfigError(file, where, "limit", [joint.lower, joint.upper], expected)
    return joint.travel


def _torque_limits(joint: Joint, file: str, mjcf_file: Path | None) -> Range:
    by_motor = foreign_mjcf.torque_limits(mjcf_file, joint.name) if mjcf_file else None
    if by_motor:
        return by_motor
    if joint.effort:
        return -joint.effort, joint.effort
    expected = "an effort above 0, or an MJCF with a motor and its ctrlrange on this joint"
    raise ConfigError(file, f"joint {joint.name!r}", "limit effort", joint.effort, expected)


def gear_ratio(
    chosen: Transmission, file: str, choices: Choices, couplings_are_measured: bool
) -> tuple[float, RatioSource]:
    """Gear ratio and where it comes from: mimic before calibrated before manual.

    Args:
        chosen: Input and output.
        file: For messages.
        choices: A recording or a ratio by hand.
        couplings_are_measured: The followers were found in an MJCF, not in the URDF's mimics.

    Raises:
        ModelError: nothing tells it.
        ConfigError, FileError, MeasurementError: what the user gave is no ratio.
    """
    by_mimic = chosen.gear_ratio
    if choices.ratio is not None and not 0.0 < choices.ratio < float("inf"):
        raise ConfigError(file, "", "ratio", choices.ratio, "a finite number above 0")
    if by_mimic is not None and not couplings_are_measured:
        return by_mimic, "mimic"
    if choices.recording:
        return calibration.ratio_from_recording(choices.recording), "calibrated"
    if by_mimic is not None:
        return by_mimic, "calibrated"
    if choices.ratio is not None:
        return transmission.rounded(choices.ratio), "manual"
    raise ModelError(
        f"{file}: joint {chosen.output.name!r} does not follow {chosen.input.name!r} by mimic; "
        "give a --recording or an --mjcf with their coupling to calibrate the ratio, or a --ratio"
    )
