"""`stride model`: servo models from files, into and out of the running robot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from servo_inv.bam import convert as convert_bam
from servo_inv.model_file import model_text, read_model_file, write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError, RefusedError, StrideError
from stride_base.strict_json import load

if TYPE_CHECKING:
    from servo_inv.model_client import ModelClient

FILE = click.Path(dir_okay=False, path_type=Path)
NAMESPACE = click.option("--namespace", default="/", show_default=True, help="Of the robot.")
NODE = click.option("--node", default="servo_inv_7param", show_default=True, help="Its node.")


@click.group("model")
def model() -> None:
    """Servo models: convert, push to the running robot, show."""


@model.command()
@click.argument("bam_file", type=FILE)
@click.option("--p", "p_gain", default=32.0, show_default=True, help="P register of the servo.")
@click.option("--error-gain", type=float, help="Duty per rad and unit of P; known for some servos.")
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
    with one_sentence():
        bam = load(bam_file)
        if not isinstance(bam, dict):
            raise ConfigError(bam_file, "", "document", bam, "an object with BAM parameters")
        names = joints or ("default",)
        converted = [convert_bam(name, bam, p_gain, error_gain, str(bam_file)) for name in names]
        for sentence in converted[0].left_out:
            click.echo(sentence, err=True)
        found = [one.model for one in converted]
        models = ModelList(found) if joints else ModelList([], found[0])
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
def push(file: Path, joints: tuple[str, ...], namespace: str, node: str) -> None:
    """Make the running robot use the models in FILE: all of its joints, or JOINTS."""
    with one_sentence():
        models = models_to_push(read_model_file(file), joints, file)
        for one in models:
            for sentence in one.oddities():
                click.echo(sentence, err=True)
        with running_robot(namespace, node) as client:
            client.push(models)
        click.echo(f"{node} uses new models of {', '.join(one.name for one in models)}")


@model.command()
@NAMESPACE
@NODE
def show(namespace: str, node: str) -> None:
    """Show the models that the running robot uses, as a model file."""
    with one_sentence(), running_robot(namespace, node) as client:
        click.echo(model_text(client.models()), nl=False)


def models_to_push(models: ModelList, joints: tuple[str, ...], file: Path) -> list[ServoModel]:
    """The models of `joints`, or of all joints that the list names.

    Raises:
        RefusedError: there are none, or not of each of `joints`.
    """
    if not joints and not len(models):
        raise RefusedError(f"{file} has a default model only: say which joints it is for")
    found = {name: models.of(name) for name in joints or [one.name for one in models]}
    without = [name for name, one in found.items() if one is None]
    if without:
        raise RefusedError(f"{file} has no model of {', '.join(without)}")
    return [one for one in found.values() if one]


@contextmanager
def one_sentence() -> Iterator[None]:
    """What goes wrong is one sentence for the user."""
    try:
        yield
    except StrideError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def ros_context() -> Iterator[Any]:
    """A ROS context of the command's own."""
    # Converting needs no ROS, and starting ROS takes a while.
    import rclpy

    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    try:
        yield context
    finally:
        context.try_shutdown()


@contextmanager
def running_robot(namespace: str, node: str) -> Iterator[ModelClient]:
    """A client of the inverse model node."""
    from servo_inv.model_client import ModelClient

    with ros_context() as context, ModelClient(context, namespace, node) as client:
        yield client
