"""From a URDF with meshes to a self-contained MJCF and the JSON that every front end reads."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from joint_module import (
    calibration,
    facts,
    foreign_mjcf,
    mesh_bundle,
    mjcf,
    module_file,
    remarks,
    source,
    transmission,
    urdf_checks,
    urdf_reader,
    validation,
)
from joint_module.choices import Choices
from joint_module.contract import JointModule
from joint_module.errors import ModelError
from joint_module.urdf_model import Mimic, Urdf


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
        read = urdf_reader.read(opened.urdf)
        measured = _coupled_by(opened.mjcf, read)
        read = _with_couplings(read, measured)
        urdf_checks.check(read)
        chosen = transmission.choose(read, choices.input_joint, choices.output_joint)
        urdf = read.holding({joint.name for joint in chosen.others})
        unbalanced = urdf_checks.check_bodies(urdf)
        limits = facts.limits(chosen.input, urdf.file, opened.mjcf, choices)
        ratio, ratio_source = facts.gear_ratio(chosen, urdf.file, choices, bool(measured))
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
        meshes = mesh_bundle.collect(urdf, opened, choices.package_roots)
        model = mjcf.build(urdf, chosen, limits, ratio, meshes, choices.simulation)
        files = {**meshes.files, module.model: model.text.encode()}
        _keep_sources(files, folder, opened.root)
    if measured and ratio_source == "calibrated" and choices.recording is None:
        module = replace(module, gear_ratio=_simulated_ratio(module, files))
    files[f"{stem}.json"] = module_file.text(module).encode()
    _place(files, folder)
    warnings = [
        *remarks.of_urdf(read, chosen, choices),
        *(
            f"the inertia of link {n!r} is that of no body (A + B < C), and balanced"
            for n in unbalanced
        ),
        *remarks.of_module(module, urdf, chosen, choices, model.input_inertia),
        *validation.warnings_of(module),
    ]
    if meshes.left_out:
        names = remarks.listed(meshes.left_out)
        warnings.append(f"not shown, as MuJoCo reads STL, OBJ and MSH only: {names}")
    return Generated(module, folder / f"{stem}.json", folder / module.model, tuple(warnings))


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


def _simulated_ratio(module: JointModule, files: dict[str, bytes]) -> float:
    with tempfile.TemporaryDirectory(prefix="joint_module.") as folder:
        _place(files, Path(folder))
        return calibration.ratio_from_model(module, Path(folder) / module.model)


def _keep_sources(files: dict[str, bytes], folder: Path, root: Path) -> None:
    """In the folder of the source, refuse to replace meshes and MJCF that others wrote."""
    if not folder.resolve().is_relative_to(root):
        return
    for name, data in files.items():
        file = folder / name
        if file.is_file() and file.read_bytes() != data and not source.is_generated(file):
            raise ModelError(f"{file}: is a file of the source; choose another folder")


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
