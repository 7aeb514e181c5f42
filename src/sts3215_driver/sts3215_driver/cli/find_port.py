"""`stride find-port`: on which port the robot hangs."""

from __future__ import annotations

import click

from stride_base.progress_display import Display, quiet_option


@click.command("find-port", short_help="Print the port on which certain servos answer.")
@click.argument("ids")
@click.argument("ports", nargs=-1)
@click.option("--baud", default=1_000_000, show_default=True, help="Bit rate of the servos.")
@quiet_option
def find_port(ids: str, ports: tuple[str, ...], baud: int, quiet: bool) -> None:
    """Print the one of PORTS (all USB ports) on which all servos IDS (e.g. 1,3,5-9) answer."""
    from sts3215_driver.tools.find_port import candidates
    from sts3215_driver.tools.find_port import find_port as find
    from sts3215_driver.tools.id_lists import parse_ids

    with Display(quiet) as progress:
        port = find(parse_ids(ids), ports or candidates(), baud, progress=progress)
    click.echo(port)
