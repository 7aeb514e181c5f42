"""`stride module`: joint modules from URDF. Thin commands over the library.

What a command needs (MuJoCo, matplotlib) is imported when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from joint_module.contract import Simulation
from joint_module.untrusted_xml import plain_number
from stride_base.click_types import POSITIVE
from stride_base.errors import ConfigError
from stride_base.progress_display import Display, quiet_option

if TYPE_CHECKING:
    from joint_module.choices import Choices
    from joint_module.pipeline import Reported

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILE = click.Path(exists=True, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group(short_help="Joint modules: MJCF, JSON and load report from a URDF.")
def module() -> None:
    """Joint modules: MJCF, JSON and load report from a URDF with its meshes."""


def _choices(command: _Command) -> _Command:
    """The options of `generate` and `run`."""
    options = [
        click.option("--urdf", help="Which URDF of the source, if it holds several."),
        click.option(
            "--mjcf", help="MJCF, of the source or elsewhere, with the motor's ctrlrange."
        ),
        click.option("--input", "input_joint", help="The motor's joint, if several have no mimic."),
        click.option("--output", "output_joint", help="The load's joint, if several follow."),
        click.option(
            "--position-limits",
            type=(float, float),
            metavar="LOWER UPPER",
            help="Of the input joint in rad; needed if it is continuous.",
        ),
        click.option("--ratio", type=POSITIVE, help="Gear ratio, if nothing else tells it."),
        click.option(
            "--recording",
            type=_FILE,
            help="CSV with q_in and q_out in rad, to calibrate the ratio.",
        ),
        click.option(
            "--package-root",
            "package_roots",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            multiple=True,
            help="A package, or a folder of packages, for package:// meshes.",
        ),
        click.option("--id", "module_id", help="Instead of the robot's name."),
        click.option("--name", help="Display name."),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            help="A simulation parameter, e.g. load_torque=-5.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@module.command()
@click.argument("source", type=_FILE)
@click.argument("folder", type=_FOLDER)
@_choices
@quiet_option
def generate(source: Path, folder: Path, quiet: bool, **options: Any) -> None:
    """Write MJCF, meshes and JSON of SOURCE (zip, folder or URDF) into FOLDER."""
    from joint_module.generate import generate as generate_module

    with Display(quiet) as progress:
        progress("generating the module")
        generated = generate_module(source, folder, _parsed(**options))
    _warn(generated.warnings)
    click.echo(generated.file)


@module.command()
@click.argument("file", type=_FILE)
def validate(file: Path) -> None:
    """Check the module FILE, and the model beside it."""
    from joint_module.pipeline import validate as validate_file

    checked, warnings = validate_file(file)
    _warn(warnings)
    click.echo(
        f"{file}: valid; {checked.input_joint} drives {checked.output_joint}, "
        f"ratio {checked.gear_ratio:g} ({checked.gear_ratio_source})"
    )


@module.command()
@click.argument("file", type=_FILE)
@click.option(
    "--recording", type=_FILE, help="CSV with q_in and q_out in rad, instead of the model."
)
@click.option("--write", is_flag=True, help="Put the measured ratio into FILE.")
@quiet_option
def calibrate(file: Path, recording: Path | None, write: bool, quiet: bool) -> None:
    """Measure the gear ratio of the module FILE, by simulation or from a recording."""
    from joint_module import calibration, module_file

    known = module_file.read(file)
    if recording:
        ratio = calibration.ratio_from_recording(recording)
    else:
        with Display(quiet) as progress:
            model_file = file.parent / known.model
            ratio = calibration.ratio_from_model(known, model_file, progress)
    # Rounded as it is shown, so that nothing is shown as minus nothing.
    difference = round(ratio / known.gear_ratio - 1.0, 4) + 0.0
    click.echo(f"measured ratio {ratio:g}, {difference:+.2%} from {known.gear_ratio:g}")
    if write:
        calibrated = replace(known, gear_ratio=ratio, gear_ratio_source="calibrated")
        module_file.write(calibrated, file)


@module.command()
@click.argument("file", type=_FILE)
@click.option(
    "--mode", type=click.Choice(["normal", "overload"]), help="Instead of the file's own."
)
@click.option("--folder", type=_FOLDER, help="Where to write; beside FILE by default.")
@quiet_option
def report(file: Path, mode: Any, folder: Path | None, quiet: bool) -> None:
    """Simulate the module FILE, and write a report (JSON) and its picture."""
    from joint_module.pipeline import write_report

    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with Display(quiet) as progress:
        written = write_report(file, mode, folder, progress)
    _warn(written.report.warnings)
    _show(written)


@module.command()
@click.argument("source", type=_FILE)
@click.argument("folder", type=_FOLDER)
@_choices
@quiet_option
def run(source: Path, folder: Path, quiet: bool, **options: Any) -> None:
    """All steps for SOURCE (zip, folder or URDF): module, checks, both reports, pictures."""
    from joint_module.pipeline import run as run_all

    with Display(quiet) as progress:
        generated, reports = run_all(source, folder, _parsed(**options), progress)
    _warn(generated.warnings)
    click.echo(generated.file)
    for written in reports:
        _show(written)


def _parsed(settings: Iterable[str], **options: Any) -> Choices:
    from joint_module.choices import Choices

    return Choices(**options, simulation=_simulation(settings))


def _simulation(settings: Iterable[str]) -> Simulation:
    """Simulation parameters as given by ``--set KEY=VALUE``. Raises ConfigError."""
    known = [field.name for field in fields(Simulation)]
    found: dict[str, Any] = {}
    for setting in settings:
        key, _, text = setting.partition("=")
        if key not in known:
            raise ConfigError("--set", "", key, text, f"one of {', '.join(known)}")
        found[key] = text if key == "mode" else plain_number(text)
        if found[key] is None:
            raise ConfigError("--set", "", key, text, "a number")
    return Simulation(**found)


def _warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def _show(written: Reported) -> None:
    from joint_module.verdict import verdict

    found = written.report
    efficiency = "none" if found.efficiency is None else f"{found.efficiency:.1%}"
    click.echo(
        f"{found.mode}: {verdict(found)}; peak torque {found.peak_input_torque:.4g} N m "
        f"(margin {round(found.torque.fraction, 3) + 0.0:.1%}), efficiency {efficiency}"
    )
    click.echo(f"  {written.file}\n  {written.picture}")
