"""`stride monitor`: servos live, without the driver and without writing anything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from stride_base.click_types import POSITIVE
from sts3215_driver.cli.console import console
from sts3215_driver.cli.options import bus_options, connected, ids_on

if TYPE_CHECKING:
    from sts3215_driver.tools.monitor import Row


@click.command(short_help="Watch servos, live; nothing is written.")
@click.argument("ids", required=False)
@bus_options
@click.option("--rate", type=POSITIVE, default=10.0, show_default=True, help="Polls per second.")
@click.option("--count", default=0, help="End after so many polls; 0: at Ctrl-C.")
def monitor(ids: str | None, port: str, baud: int, echo: str, rate: float, count: int) -> None:
    """Watch servos IDS (e.g. 1,3,5-9; without: all that answer). Nothing is written."""
    from rich.live import Live

    from sts3215_driver.tools.monitor import Monitor

    with connected(port, baud, echo) as bus:
        watch = Monitor(bus, ids_on(bus, ids))
        clock = bus.transport.clock
        live = Live(console=console(), auto_refresh=False) if sys.stdout.isatty() else None
        polls, due = 0, clock.now()
        try:
            if live is not None:
                live.start()
            while not count or polls < count:
                rows = watch.poll()
                polls += 1
                if live is not None:
                    live.update(table(rows), refresh=True)
                elif polls == count or not count:
                    console().print(table(rows))
                due = max(due + 1 / rate, clock.now())
                clock.sleep_until(due)
        except KeyboardInterrupt:
            pass
        finally:
            if live is not None:
                live.stop()


def table(rows: list[Row]) -> Any:
    """One poll; a value that was not read now is dim, and its age is beside it."""
    from rich.table import Table
    from rich.text import Text

    result = Table(
        "id",
        "status",
        "age",
        "position",
        "speed",
        "load",
        "voltage",
        "temperature",
        "current",
        "alarms",
    )
    for row in rows:
        style = "" if row.status.name == "OK" else "dim"
        if row.flags or row.colliding:
            style = f"{style} red".strip()
        result.add_row(*map(Text, cells(row)), style=style)
    return result


def cells(row: Row) -> list[str]:
    """One servo as texts."""
    from sts3215_driver.protocol.flags import flag_names
    from sts3215_driver.protocol.registers import BY_NAME
    from sts3215_driver.tools.register_values import show

    status = "two with one id" if row.colliding else row.status.name.lower().replace("_", " ")
    if row.age is None:
        return [str(row.id), status, "never", *["-"] * 7]
    names = (
        "present_load", "present_voltage", "present_temperature", "present_current",
    )  # fmt: skip
    return [
        str(row.id),
        status,
        f"{row.age:.1f} s",
        show(BY_NAME["present_position"], row.values["present_position"]),
        f"{row.values['present_speed']} step/s",
        *(show(BY_NAME[name], row.values[name]) for name in names),
        ", ".join(flag_names(row.flags)) or "-",
    ]
