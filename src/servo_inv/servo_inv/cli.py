"""`stride model` and `stride identify`. What a command needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stride_base.click_types import FINITE, POSITIVE, TIME, Number
from stride_base.progress_display import Display, quiet_option

FILE = click.Path(dir_okay=False, path_type=Path)
NAMESPACE = click.option("--namespace", default="", help="Of the robot.")
NODE = click.option("--node", default="servo_inv_7param", show_default=True, help="Its node.")


@click.group("model")
def model() -> None:
    """Servo models: convert, push to the running robot, show."""


@model.command()
@click.argument("bam_file", type=FILE)
@click.option(
    "--p", "p_gain", type=POSITIVE, default=32.0, show_default=True, help="P register of the servo."
)
@click.option(
    "--error-gain", type=POSITIVE, help="Duty per rad and unit of P; known for some servos."
)
@click.option("--joint", "joints", multiple=True, help="For this joint only; may be repeated.")
@click.option("-o", "--output", type=FILE, help="File to write instead of the screen.")
def convert(
    bam_file: Path,
    p_gain: float,
    error_gain: float | None,
    joints: tuple[str, ...],
    output: Path | None,
) -> None:
    """Make a model file from BAM_FILE, the JSON parameters of Rhoban's BAM."""
    from servo_inv.bam import convert_file
    from servo_inv.model_file import model_text, write_model_file

    models, left_out = convert_file(bam_file, p_gain, error_gain, joints)
    for sentence in left_out:
        click.echo(sentence, err=True)
    about = f"converted from BAM parameters {bam_file.name}, P = {p_gain:g}"
    if output is None:
        click.echo(model_text(models, about), nl=False)
    else:
        write_model_file(output, models, about)


@model.command()
@click.argument("file", type=FILE)
@click.argument("joints", nargs=-1)
@NAMESPACE
@NODE
@quiet_option
def push(file: Path, joints: tuple[str, ...], namespace: str, node: str, quiet: bool) -> None:
    """Make the running robot use the models in FILE: all of its joints, or JOINTS."""
    from servo_inv.model_file import read_model_file

    models = read_model_file(file).chosen(joints, str(file))
    for one in models:
        for sentence in one.oddities():
            click.echo(sentence, err=True)

    from servo_inv.ros_context import running_robot

    with running_robot(namespace, node) as client, Display(quiet) as progress:
        progress(f"waiting for {node} to take {len(models)} models")
        client.push(models)
    click.echo(f"{node} uses new models of {', '.join(one.name for one in models)}")


@model.command()
@NAMESPACE
@NODE
@quiet_option
def show(namespace: str, node: str, quiet: bool) -> None:
    """Show the models that the running robot uses, as a model file."""
    from servo_inv.model_file import model_text
    from servo_inv.ros_context import running_robot

    with running_robot(namespace, node) as client, Display(quiet) as progress:
        progress(f"waiting for {node}")
        models = client.models()
    click.echo(model_text(models), nl=False)


@click.command()
@click.argument("joints", nargs=-1)
@click.option("--from", "recording", type=FILE, help="Recording (CSV or npz) instead of a robot.")
@click.option("--voltage", type=POSITIVE, help="Supply voltage where none is measured, V.")
@click.option("--prior", type=FILE, help="Model file: kp, kgear, and what cannot be seen.")
@click.option("--kp", type=POSITIVE, help="Gain of the models, any unit.  [default: 0.166 * P 32]")
@click.option("--kgear", type=FINITE, help="Turns of the servo per turn of the joint.")
@click.option(
    "--goal-age", type=TIME, default=0.0, help="From writing a goal to the reading after it, s."
)
@click.option(
    "--smoothing", type=TIME, default=0.03, show_default=True, help="Filter of the signals, s."
)
@click.option("--mass", type=Number(minimum=0.0), help="Load at the end of an arm, kg.")
@click.option("--arm", type=Number(minimum=0.0), help="Length of the arm, m.")
@click.option(
    "--level", type=FINITE, default=0.0, help="Joint angle at which the arm is level, rad."
)
@click.option("--all", "all_joints", is_flag=True, help="All joints, one after the other.")
@click.option("--lower", type=FINITE, default=-0.6, show_default=True, help="Lower limit, rad.")
@click.option("--upper", type=FINITE, default=0.6, show_default=True, help="Upper limit, rad.")
@click.option(
    "--speed", type=POSITIVE, default=2.5, show_default=True, help="Largest speed, rad/s."
)
@click.option(
    "--acceleration", type=POSITIVE, default=12.0, show_default=True, help="Largest, rad/s^2."
)
@click.option("--motion", type=FILE, help="Own excitation: a position a line, rad, one a cycle.")
@click.option(
    "--duration", type=POSITIVE, default=40.0, show_default=True, help="Of the excitation, s."
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the excitation, with learned goals.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the motions."
)
@click.option("--record", type=FILE, help="Where to keep what was recorded, CSV or npz.")
@click.option("-o", "--output", type=FILE, help="Model file to write or to add to.")
@click.option("--report", type=FILE, help="Report as JSON.")
@click.option("--picture", type=FILE, help="Report as PNG, one for each joint.")
@click.option("--push", is_flag=True, help="Make the robot use the models.")
@NAMESPACE
@NODE
@quiet_option
def identify(joints: tuple[str, ...], **given: Any) -> None:
    """Fit the seven parameters of the servos of JOINTS.

    With --from the recording is used, all of its joints unless some are named. Without it the
    joints of the running robot are moved, one after the other; nothing else may move them meanwhile.
    """
    from servo_inv.identify_run import Options, run

    run(joints, Options(**given))
