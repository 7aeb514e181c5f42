"""`stride scan`: who is on the bus."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.console import console
from sts3215_driver.cli.options import choose_port, port_option

if TYPE_CHECKING:
    from sts3215_driver.tools.scan import ScanResult
    from sts3215_driver.tools.scan_rate import RateScan


@click.command(short_help="Look for servos at all baud rates; say what is odd.")
@port_option
@click.option("--baud", "bauds", type=int, multiple=True, help="Only this rate; may be repeated.")
@click.option("--ids", help="Ask these ids one by one, e.g. 1,3,5-9  [where anybody is: all]")
@quiet_option
def scan(port: str, bauds: tuple[int, ...], ids: str | None, quiet: bool) -> None:
    """Look for servos at all baud rates; say what is odd, and what to check when nobody answers."""
    from sts3215_driver.protocol.registers import BAUD_RATES
    from sts3215_driver.tools import latency_timer
    from sts3215_driver.tools.id_lists import parse_ids
    from sts3215_driver.tools.open_port import open_transport
    from sts3215_driver.tools.scan import scan as scan_all

    chosen = choose_port(port)
    wanted = parse_ids(ids) if ids else None
    slow: set[str] = set()

    def open_at(baud: int) -> object:
        transport = open_transport(chosen, baud)
        slow.add(latency_timer.remark(chosen))
        return transport

    def on_rate(rate: RateScan) -> None:
        if not quiet:
            with display.paused():
                click.echo(_line(rate), err=True)

    with Display(quiet) as display:
        result = scan_all(open_at, bauds or BAUD_RATES, wanted, on_rate, display)  # type: ignore[arg-type]
    show(result, chosen)
    for remark in sorted(slow - {""}):
        click.echo(f"note: {remark}")
    sys.exit(0 if result.servos else 1)


def show(result: ScanResult, port: str) -> None:
    """Print what was found, or what to do."""
    from sts3215_driver.tools.scan_remarks import bus_remarks, hints, servo_remarks

    if not result.servos:
        click.echo(f"no servo answers on {port}. Check in this order:")
        for number, hint in enumerate(hints(result.rates, result.board, port), 1):
            click.echo(f"  {number}. {hint}")
    else:
        console().print(_table(result))
    for found in result.servos:
        for remark in servo_remarks(found):
            click.echo(f"servo {found.id}: {remark}")
    for remark in bus_remarks(result.rates):
        click.echo(f"note: {remark}")


def _table(result: ScanResult) -> object:
    from rich.table import Table

    from sts3215_driver.protocol.registers import BY_NAME
    from sts3215_driver.tools.register_values import show as show_value

    table = Table("id", "baud", "model", "firmware", "voltage", "mode", "torque", "position")
    for found in result.servos:
        if found.facts is None:
            table.add_row(str(found.id), str(found.baud), *("?" * 6))
            continue
        registers = found.facts.registers
        values = {
            name: show_value(BY_NAME[name], registers[name])
            for name in ("present_voltage", "operating_mode", "present_position")
        }
        torque = {0: "off", 1: "on", 2: "damping"}.get(registers["torque_enable"], "?")
        table.add_row(
            str(found.id),
            str(found.baud),
            str(found.facts.model),
            found.facts.version,
            values["present_voltage"],
            values["operating_mode"],
            torque,
            values["present_position"],
        )
    return table


def _line(rate: RateScan) -> str:
    if rate.skipped:
        said = "skipped, the adapter refuses it"
    else:
        said = f"{len(rate.servos)} servos" if rate.servos else "nobody"
    return f"{rate.baud:>8} bit/s: {said}"
