"""`stride dump`: all registers of servos into a file."""

from __future__ import annotations

import json

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import bus_options, connected, ids_on


@click.command(short_help="Save all registers of servos as JSON.")
@click.argument("ids", required=False)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File  [standard output]")
@bus_options
@quiet_option
def dump(ids: str | None, output: str | None, port: str, baud: int, echo: str, quiet: bool) -> None:
    """Save all registers of servos IDS (e.g. 1,3,5-9; without: of all that answer) as JSON.

    Two servos that share an id are named, and not saved: what can be read of them is a mixture.
    """
    from stride_base.errors import RefusedError
    from stride_base.progress import track
    from sts3215_driver.tools import dump_file

    servos, colliding = [], []
    with connected(port, baud, echo) as bus, Display(quiet) as progress:
        for servo_id in track(ids_on(bus, ids), "reading servos", progress):
            try:
                servos.append(dump_file.dump_one(bus, servo_id))
            except RefusedError as error:
                colliding.append(str(error))
    if servos and output is None:
        click.echo(json.dumps(dump_file.to_document(servos), indent=2))
    elif servos:
        dump_file.save(str(output), servos)
        saved = ", ".join(str(servo.id) for servo in servos)
        click.echo(f"{len(servos)} servos saved to {output}: {saved}")
    if colliding:
        raise RefusedError("not saved: " + "; ".join(colliding))
