"""Which joint is the input, which the output, and how the others follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joint_module.errors import ModelError
from joint_module.urdf_model import Joint, Urdf
from stride_base.errors import ConfigError

SIGNIFICANT_DIGITS = 9
LARGEST_RATIO = 1e6


@dataclass(frozen=True)
class Follower:
    """q = multiplier * q_source + offset, along the whole mimic chain."""

    source: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Transmission:
    """The joints of a module.

    Args:
        input: The joint that the motor turns.
        output: The joint that the load hangs on.
        follows: How the output follows the input by mimic; None where the URDF does not say.
        others: Movable joints that neither are nor follow input or output.
    """

    input: Joint
    output: Joint
    follows: Follower | None
    others: tuple[Joint, ...]

    @property
    def gear_ratio(self) -> float | None:
        """Input travel over output travel by mimic, to 9 significant digits; None without mimic."""
        return None if self.follows is None else rounded(1.0 / self.follows.multiplier)


def rounded(ratio: float) -> float:
    """A ratio to 9 significant digits: 1/0.166666666666667 is 6."""
    return float(f"{ratio:.{SIGNIFICANT_DIGITS}g}")


def resolve(urdf: Urdf) -> dict[str, Follower]:
    """For every joint with mimic, how it follows the joint at the end of its chain.

    The URDF must have passed `urdf_checks.check`. Multipliers multiply, offsets compose: with
    c = m2 b + o2 and b = m1 a + o1, c = m2 m1 a + (m2 o1 + o2).

    Raises:
        ConfigError: multipliers of a chain that multiply to something no gear has.
    """
    found = {}
    for joint in urdf.movable():
        multiplier, offset, step = 1.0, 0.0, joint
        while step.mimic:
            offset += multiplier * step.mimic.offset
            multiplier *= step.mimic.multiplier
            step = urdf.joints[step.mimic.master]
        if step is not joint:
            if not 1.0 / LARGEST_RATIO <= abs(multiplier) <= LARGEST_RATIO:
                where, expected = (
                    f"joint {joint.name!r}",
                    f"a size from {1.0 / LARGEST_RATIO:g} to {LARGEST_RATIO:g}",
                )
                raise ConfigError(urdf.file, where, "total mimic multiplier", multiplier, expected)
            found[joint.name] = Follower(step.name, multiplier, offset)
    return found


def choose(
    urdf: Urdf, input_joint: str | None = None, output_joint: str | None = None
) -> Transmission:
    """Input and output of a module.

    Args:
        urdf: A URDF that passed `urdf_checks.check`.
        input_joint: The user's choice among several joints without mimic.
        output_joint: The user's choice among several outputs.

    Raises:
        ConfigError: a choice is no such joint.
        ModelError: no input; several inputs or outputs and no choice; a reversing gear.
    """
    followers = resolve(urdf)
    source = _input(urdf, input_joint)
    outputs = {name: how for name, how in followers.items() if how.source == source.name}
    output = _output(urdf, source, outputs, output_joint)
    moving = {source.name, output.name, *outputs}
    moving |= {name for name, how in followers.items() if how.source == output.name}
    others = tuple(joint for joint in urdf.movable() if joint.name not in moving)
    return Transmission(source, output, outputs.get(output.name), others)


def _input(urdf: Urdf, choice: str | None) -> Joint:
    candidates = {joint.name: joint for joint in urdf.movable() if not joint.mimic}
    if choice is not None:
        if choice not in candidates:
            expected = f"a movable joint without mimic: {_listed(candidates)}"
            raise ConfigError(urdf.file, "", "input joint", choice, expected)
        return candidates[choice]
    if not candidates:
        raise ModelError(
            f"{urdf.file}: has no input joint: none of its joints is movable and without mimic"
        )
    if len(candidates) > 1:
        raise ModelError(
            f"{urdf.file}: has several joints without mimic ({_listed(candidates)}); "
            "choose the motor's with --input"
        )
    return next(iter(candidates.values()))


def _output(urdf: Urdf, source: Joint, followers: dict[str, Follower], choice: str | None) -> Joint:
    movable = {joint.name: joint for joint in urdf.movable() if joint is not source}
    if choice is not None:
        if choice not in movable:
            expected = f"a movable joint other than the input: {_listed(movable)}"
            raise ConfigError(urdf.file, "", "output joint", choice, expected)
        if choice in followers and followers[choice].multiplier < 0.0:
            raise _reversing(urdf, source, {choice: followers[choice]})
        if choice not in followers and movable[choice].mimic:
            expected = f"a joint that follows {source.name!r}, or one without mimic"
            raise ConfigError(urdf.file, "", "output joint", choice, expected)
        return movable[choice]
    positive = [name for name, how in followers.items() if how.multiplier > 0.0]
    if len(positive) > 1:
        raise ModelError(
            f"{urdf.file}: several joints follow {source.name!r} with a positive multiplier "
            f"({_listed(positive)}); choose the load's with --output"
        )
    if positive:
        return movable[positive[0]]
    if followers:
        raise _reversing(urdf, source, followers)
    free = [name for name, joint in movable.items() if not joint.mimic]
    if len(free) == 1:
        return movable[free[0]]
    if not free:
        raise ModelError(
            f"{urdf.file}: has no output joint: nothing follows {source.name!r}, and no other joint "
            "is movable"
        )
    raise ModelError(
        f"{urdf.file}: no joint follows {source.name!r} by mimic, and several could be the output "
        f"({_listed(free)}); choose the load's with --output"
    )


def _reversing(urdf: Urdf, source: Joint, followers: dict[str, Follower]) -> ModelError:
    found = ", ".join(f"{name!r} with {how.multiplier:g}" for name, how in followers.items())
    return ModelError(
        f"{urdf.file}: a reversing gear: {source.name!r} is followed only by {found}, and a joint "
        "module's gear ratio is above 0; turn the axis of the output joint and its multiplier around"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
