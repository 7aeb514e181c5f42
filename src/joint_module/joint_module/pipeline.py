"""All steps for one upload: generate, validate, simulate and report, with pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from joint_module import module_file, picture, report
from joint_module.choices import Choices
from joint_module.contract import JointModule, Mode
from joint_module.generate import Generated, generate
from joint_module.report import Report
from joint_module.simulate import Bench
from joint_module.validation import warnings_of
from stride_base.progress import Progress, silent


@dataclass(frozen=True)
class Reported:
    """A report and where it was written."""

    report: Report
    file: Path
    picture: Path


def run(
    path: Path, folder: Path, choices: Choices | None = None, progress: Progress = silent
) -> tuple[Generated, tuple[Reported, ...]]:
    """Every step for a zip, folder or URDF file: the module and its reports in both modes.

    Raises:
        StrideError: a step was refused; files of earlier steps stay.
    """
    progress("generating the module")
    generated = generate(path, folder, choices)
    progress("checking the module")
    validate(generated.file)
    normal = write_report(generated.file, "normal", progress=progress)
    return generated, (normal, write_report(generated.file, "overload", progress=progress))


def validate(file: Path) -> tuple[JointModule, tuple[str, ...]]:
    """Check a module file and the model beside it; returns the module and warnings.

    Raises:
        FileError, ConfigError: the file is not valid.
        ModelError: the model is missing, cannot be loaded, or lacks a joint.
    """
    module = module_file.read(file)
    Bench(module, file.parent / module.model)
    return module, tuple(warnings_of(module))


def write_report(
    file: Path,
    mode: Mode | None = None,
    folder: Path | None = None,
    progress: Progress = silent,
) -> Reported:
    """Simulate a module file, and write report and picture beside it or into `folder`.

    Raises:
        FileError, ConfigError, ModelError, MeasurementError: it cannot be read or simulated.
    """
    module = module_file.read(file)
    found, runs = report.report(module, file.parent / module.model, mode, progress)
    ending = "overload" if found.mode == "overload" else "report"
    base = (folder or file.parent) / f"{file.stem}.{ending}"
    written = Reported(
        found, base.with_name(f"{base.name}.json"), base.with_name(f"{base.name}.png")
    )
    report.write(found, written.file)
    progress(f"drawing the {found.mode} report")
    picture.draw(module, found, runs, written.picture)
    return written
