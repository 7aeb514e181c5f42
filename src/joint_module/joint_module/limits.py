"""Joint limits from a module file, for programs that drive or simulate the joint.

Needs no MuJoCo, so that a robot's own computer can call it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from joint_module import module_file
from joint_module.contract import JointModule, Range


@dataclass(frozen=True)
class JointLimits:
    """Limits of one joint, each (lower, upper).

    Args:
        joint: Its name in the module.
        position: rad.
        torque: N m.
        velocity: rad/s, or None where the module gives none.
    """

    joint: str
    position: Range
    torque: Range
    velocity: Range | None


def limits_of(path: str | Path) -> JointLimits:
    """Limits of the module's output joint, which is what a robot's joint is.

    The file states those of the input joint (the motor): positions and velocities are divided by the
    gear ratio, torques multiplied by it. The zeros of input and output are taken as one.

    Raises:
        FileError, ConfigError: the file is not a valid joint module.
    """
    return output_limits(module_file.read(path))


def output_limits(module: JointModule) -> JointLimits:
    """Limits of the output joint of a module, without friction."""
    ratio, limits = module.gear_ratio, module.limits
    return JointLimits(
        joint=module.output_joint,
        position=_divided(limits.position, ratio),
        torque=(limits.torque[0] * ratio, limits.torque[1] * ratio),
        velocity=_divided(limits.velocity, ratio) if limits.velocity else None,
    )


def input_limits(module: JointModule) -> JointLimits:
    """Limits of the input joint, as the module states them."""
    limits = module.limits
    return JointLimits(module.input_joint, limits.position, limits.torque, limits.velocity)


def _divided(pair: Range, ratio: float) -> Range:
    return pair[0] / ratio, pair[1] / ratio
