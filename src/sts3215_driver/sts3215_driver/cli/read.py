"""`stride read`: registers by name."""

from __future__ import annotations

import json

import click

from stride_base.progress import track
from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.console import console
from sts3215_driver.cli.options import Attempts, bus_options, connected


@click.command(short_help="Read registers of servos by name or address.")
@click.argument("ids")
@click.argument("registers", nargs=-1, required=True)
@bus_options
@click.option("--json", "as_json", is_flag=True, help="Plain signed values for programs.")
@quiet_option
def read(
    ids: str,
    registers: tuple[str, ...],
    port: str,
    baud: int,
    echo: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read REGISTERS of servos IDS (e.g. 1,3,5-9) by name or address; `all` for every one."""
    from rich.table import Table

    from sts3215_driver.protocol.flags import flag_names
    from sts3215_driver.tools.id_lists import parse_ids
    from sts3215_driver.tools.register_names import find_registers
    from sts3215_driver.tools.register_values import show
    from sts3215_driver.tools.servo_facts import read_facts

    wanted, numbers = find_registers(registers), parse_ids(ids)
    attempts, facts = Attempts(), {}
    with connected(port, baud, echo, numbers, quiet) as bus, Display(quiet) as progress:
        for servo_id in track(numbers, "reading servos", progress):
            with attempts.at(servo_id):
                facts[servo_id] = read_facts(bus, servo_id)
    if as_json:
        values = {i: {r.name: f.registers[r.name] for r in wanted} for i, f in facts.items()}
        click.echo(json.dumps(values))
    elif facts:
        table = Table("address", "register", *(f"servo {i}" for i in facts))
        for register in wanted:
            name = register.name
            texts = (
                show(register, f.registers[name], f.registers["phase"]) for f in facts.values()
            )
            table.add_row(str(register.address), name, *texts)
        console().print(table)
        for servo in facts.values():
            if servo.flags:
                click.echo(f"{servo.label}: alarm {', '.join(flag_names(servo.flags))}")
    attempts.conclude()
