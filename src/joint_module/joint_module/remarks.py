"""What a user should know of a module that could be generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from joint_module import transmission
from joint_module.choices import Choices
from joint_module.contract import JointModule
from joint_module.transmission import Follower, Transmission
from joint_module.urdf_model import Urdf


def of_urdf(urdf: Urdf, chosen: Transmission, choices: Choices) -> Iterator[str]:
    """Remarks on what the URDF says and the module cannot hold."""
    if chosen.others:
        names = listed(joint.name for joint in chosen.others)
        yield f"held at zero, as {chosen.input.name!r} does not move them: {names}"
    for joint in urdf.joints.values():
        if joint.mimic and not joint.is_movable:
            yield f"the mimic of joint {joint.name!r} is ignored, as it is fixed"
    for joint in (chosen.input, chosen.output):
        if joint.kind == "prismatic":
            yield f"joint {joint.name!r} is prismatic: read m and N for its rad and N m"
    if not chosen.input.velocity:
        yield f"joint {chosen.input.name!r} has no velocity limit"
    if chosen.follows and chosen.follows.offset:
        yield (
            f"joint {chosen.output.name!r} is at {chosen.follows.offset:g} when the input is at zero; "
            "only the MJCF holds this offset"
        )
    damped = listed(joint.name for joint in urdf.movable() if joint.damping)
    if damped:
        damping = choices.simulation.damping
        yield f"the URDF's damping of {damped} is replaced by the simulation's {damping:g} N m s/rad"


def of_module(
    module: JointModule, urdf: Urdf, chosen: Transmission, choices: Choices, input_inertia: float
) -> Iterator[str]:
    """Remarks on how the module fits together; `input_inertia` is what the motor feels, kg m^2."""
    if module.gear_ratio_source == "mimic" and (choices.recording or choices.ratio is not None):
        yield (
            f"the ratio {module.gear_ratio:g} comes from the mimic of {module.output_joint!r}; "
            "the recording or ratio given is not used"
        )
    yield from _stops(module, urdf, chosen)
    # A PD law computed outside of the model is stable only up to here.
    if module.simulation.kd * module.simulation.timestep >= 2.0 * input_inertia:
        yield (
            f"the rotor of {module.input_joint!r} is light ({input_inertia:.3g} kg m^2): a PD law "
            "outside of the model would diverge with these gains; use a servo in the model, or an "
            "armature of at least 0.001 kg m^2"
        )


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names in a sentence; no more than a reader wants."""
    quoted = [repr(name) for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more


def _stops(module: JointModule, urdf: Urdf, chosen: Transmission) -> Iterator[str]:
    """Followers that reach their own limits before the input reaches its."""
    followers = transmission.resolve(urdf)
    if chosen.follows is None:
        by_ratio = Follower(module.input_joint, 1.0 / module.gear_ratio, 0.0)
        followers[module.output_joint] = by_ratio
    for name, how in followers.items():
        travel = urdf.joints[name].travel
        if how.source != module.input_joint or travel is None:
            continue
        bounds = module.limits.position
        lowest, highest = sorted(how.multiplier * bound + how.offset for bound in bounds)
        slack = 1e-6 * (1.0 + highest - lowest)
        if lowest < travel[0] - slack or highest > travel[1] + slack:
            yield (
                f"joint {name!r} stops at {travel[0]:.6g} and {travel[1]:.6g}, but the limits of "
                f"{module.input_joint!r} would take it to {lowest:.6g} and {highest:.6g}"
            )
