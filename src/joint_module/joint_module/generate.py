"""From a URDF with meshes to a self-contained MJCF and the JSON that every front end reads."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from joint_module import (
    calibration,
    foreign_mjcf,
    mesh_bundle,
    mjcf,
    module_file,
    source,
    transmission,
    urdf_checks,
    urdf_reader,
    validation,
)
from joint_module.contract import JointModule, Limits, Range, RatioSource, Simulation
from joint_module.errors import ModelError
from joint_module.transmission import Follower, Transmission
from joint_module.urdf_model import Joint, Mimic, Urdf
from stride_base.errors import ConfigError


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


@dataclass(frozen=True)
class Generated:
    """A module as it lies in a folder.

    Args:
        module: Its contents.
        file: The JSON file.
        model: The MJCF beside it.
        warnings: What a user should know.
    """

    module: JointModule
    file: Path
    model: Path
    warnings: tuple[str, ...]


def generate(path: Path, folder: Path, choices: Choices | None = None) -> Generated:
    """Write the module of a zip, folder or URDF file into `folder`, which is made if need be.

    Nothing is written unless everything could be generated.

    Raises:
        StrideError: see docs/joint_module.md for all refusals; each names file and joint.
    """
    choices = choices or Choices()
    with source.opened(path, choices.urdf, choices.mjcf) as opened:
        urdf = urdf_reader.read(opened.urdf)
        measured = _coupled_by(opened.mjcf, urdf)
        urdf = _with_couplings(urdf, measured)
        urdf_checks.check(urdf)
        chosen = transmission.choose(urdf, choices.input_joint, choices.output_joint)
        warnings = _warnings(urdf, chosen, choices)
        urdf = urdf.holding({joint.name for joint in chosen.others})
        warnings += [
            f"the inertia of link {name!r} is that of no body (A + B < C); MuJoCo balances it"
            for name in urdf_checks.check_bodies(urdf)
        ]
        limits = _limits(chosen.input, urdf.file, opened.mjcf, choices, warnings)
        meshes = mesh_bundle.collect(urdf, opened, choices.package_roots)
        ratio, ratio_source = _ratio(urdf, chosen, choices, bool(measured), warnings)
        warnings += _stops(urdf, chosen, limits.position, ratio)
        if meshes.left_out:
            names = _listed(meshes.left_out)
            warnings.append(f"not shown, as MuJoCo reads STL, OBJ and MSH only: {names}")
        stem = mesh_bundle.file_stem(choices.module_id or urdf.name or opened.urdf.stem) or "module"
        module = JointModule(
            module_id=choices.module_id or stem,
            name=choices.name,
            model=f"{stem}.xml",
            input_joint=chosen.input.name,
            output_joint=chosen.output.name,
            gear_ratio=ratio,
            gear_ratio_source=ratio_source,
            limits=limits,
            simulation=choices.simulation,
        )
        validation.check(module.to_document(), f"{stem}.json")
        model = mjcf.build(urdf, chosen, limits, ratio, meshes, choices.simulation)
    files = {**meshes.files, module.model: model.text.encode()}
    if measured and ratio_source == "calibrated" and choices.recording is None:
        module = replace(module, gear_ratio=_simulated_ratio(module, files))
    files[f"{stem}.json"] = module_file.text(module).encode()
    _place(files, folder)
    found = [
        *warnings,
        *_light_rotor(module, model),
        *validation.warnings_of(module),
    ]
    return Generated(module, folder / f"{stem}.json", folder / module.model, tuple(found))


def _coupled_by(mjcf_file: Path | None, urdf: Urdf) -> dict[str, Mimic]:
    """Couplings that only the MJCF tells; a URDF with mimics is believed instead."""
    if mjcf_file is None or any(joint.mimic for joint in urdf.joints.values()):
        return {}
    known = {joint.name for joint in urdf.movable()}
    found = foreign_mjcf.couplings(mjcf_file).items()
    return {name: mimic for name, mimic in found if name in known and mimic.master in known}


def _with_couplings(urdf: Urdf, couplings: dict[str, Mimic]) -> Urdf:
    joints = {
        name: replace(joint, mimic=couplings.get(name, joint.mimic))
        for name, joint in urdf.joints.items()
    }
    return replace(urdf, joints=joints)


def _ratio(
    urdf: Urdf, chosen: Transmission, choices: Choices, measured: bool, warnings: list[str]
) -> tuple[float, RatioSource]:
    """Gear ratio and where it comes from: mimic before calibrated before manual."""
    by_mimic = chosen.gear_ratio
    if choices.ratio is not None and not 0.0 < choices.ratio < float("inf"):
        raise ConfigError(urdf.file, "", "ratio", choices.ratio, "a finite number above 0")
    if by_mimic is not None and not measured:
        if choices.recording or choices.ratio is not None:
            warnings.append(
                f"the ratio {by_mimic:g} comes from the mimic of {chosen.output.name!r}; "
                "the recording or ratio given is not used"
            )
        return by_mimic, "mimic"
    if choices.recording:
        return calibration.ratio_from_recording(choices.recording), "calibrated"
    if by_mimic is not None:
        return by_mimic, "calibrated"
    if choices.ratio is not None:
        return transmission.rounded(choices.ratio), "manual"
    raise ModelError(
        f"{urdf.file}: joint {chosen.output.name!r} does not follow {chosen.input.name!r} by mimic; "
        "give a --recording or an --mjcf with their coupling to calibrate the ratio, or a --ratio"
    )


def _limits(
    joint: Joint, file: str, mjcf_file: Path | None, choices: Choices, warnings: list[str]
) -> Limits:
    """Limits of the input joint."""
    velocity = None
    if joint.velocity:
        velocity = (-joint.velocity, joint.velocity)
    else:
        warnings.append(f"joint {joint.name!r} has no velocity limit")
    return Limits(
        position=_position_limits(joint, file, choices.position_limits),
        torque=_torque_limits(joint, file, mjcf_file),
        velocity=velocity,
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


def _warnings(urdf: Urdf, chosen: Transmission, choices: Choices) -> list[str]:
    found = []
    if chosen.others:
        names = _listed(joint.name for joint in chosen.others)
        found.append(f"held at zero, as {chosen.input.name!r} does not move them: {names}")
    found += [
        f"joint {joint.name!r} is prismatic: read m and N for its rad and N m"
        for joint in (chosen.input, chosen.output)
        if joint.kind == "prismatic"
    ]
    found += [
        f"the mimic of joint {joint.name!r} is ignored, as it is fixed"
        for joint in urdf.joints.values()
        if joint.mimic and not joint.is_movable
    ]
    if chosen.follows and chosen.follows.offset:
        found.append(
            f"joint {chosen.output.name!r} is at {chosen.follows.offset:g} when the input is at zero; "
            "only the MJCF holds this offset"
        )
    damped = [joint.name for joint in urdf.movable() if joint.damping]
    if damped:
        found.append(
            f"the URDF's damping of {_listed(damped)} is replaced by the simulation's "
            f"{choices.simulation.damping:g} N m s/rad"
        )
    return found


def _stops(urdf: Urdf, chosen: Transmission, bounds: Range, ratio: float) -> list[str]:
    """Followers that reach their own limits before the input reaches its `bounds`."""
    found = []
    followers = transmission.resolve(urdf)
    if chosen.follows is None:
        followers[chosen.output.name] = Follower(chosen.input.name, 1.0 / ratio, 0.0)
    for name, how in followers.items():
        travel = urdf.joints[name].travel
        if how.source != chosen.input.name or travel is None:
            continue
        lowest, highest = sorted(how.multiplier * bound + how.offset for bound in bounds)
        slack = 1e-6 * (1.0 + highest - lowest)
        if lowest < travel[0] - slack or highest > travel[1] + slack:
            found.append(
                f"joint {name!r} stops at {travel[0]:.6g} and {travel[1]:.6g}, but the limits of "
                f"{chosen.input.name!r} would take it to {lowest:.6g} and {highest:.6g}"
            )
    return found


def _listed(names: Iterable[str], most: int = 8) -> str:
    """Names in a warning; no more than a reader wants."""
    quoted = [repr(name) for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more


def _light_rotor(module: JointModule, model: mjcf.Mjcf) -> list[str]:
    """A PD law computed outside of the model is stable only while kd * timestep < 2 * inertia."""
    simulation = module.simulation
    if simulation.kd * simulation.timestep < 2.0 * model.input_inertia:
        return []
    return [
        f"the rotor of {module.input_joint!r} is light ({model.input_inertia:.3g} kg m^2): a PD law "
        "outside of the model would diverge with these gains; use a servo in the model, or an "
        "armature of at least 0.001 kg m^2"
    ]


def _simulated_ratio(module: JointModule, files: dict[str, bytes]) -> float:
    with tempfile.TemporaryDirectory(prefix="joint_module.") as folder:
        _place(files, Path(folder))
        return calibration.ratio_from_model(module, Path(folder) / module.model)


def _place(files: dict[str, bytes], folder: Path) -> None:
    """All files into `folder`: each whole, and none before all could be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=folder) as temporary:
            for name, data in files.items():
                Path(temporary, name).write_bytes(data)
            for name in files:
                Path(temporary, name).replace(folder / name)
    except OSError as error:
        raise ModelError(f"{folder}: cannot be written: {error.strerror}") from error
