"""Options that all servo commands share, and the port behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from stride_base.progress_display import Display

if TYPE_CHECKING:
    from sts3215_driver.bus import Bus

Command = TypeVar("Command", bound=Callable[..., Any])
AUTO = "auto"
#: Command lines with negative numbers.
NUMBERS = {"ignore_unknown_options": True}


def port_option(command: Command) -> Command:
    """Add `--port`."""
    return click.option(
        "--port",
        default=AUTO,
        envvar="STRIDE_PORT",
        show_default=True,
        help="Serial port or URL; auto: the only USB port, or the one with the servos.",
    )(command)


def bus_options(command: Command) -> Command:
    """Add `--port`, `--baud` and `--echo`."""
    command = click.option(
        "--echo",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Whether the adapter sends back what it is sent.",
    )(command)
    command = click.option(
        "--baud", default=1_000_000, show_default=True, help="Bit rate of the port."
    )(command)
    return port_option(command)


def choose_port(
    port: str, ids: Sequence[int] = (), baud: int = 1_000_000, quiet: bool = False
) -> str:
    """The port to use: as named, the only one, or the one on which `ids` answer.

    Raises:
        PortError
    """
    from sts3215_driver.tools.find_port import candidates, find_port, only_port

    if port != AUTO:
        return port
    ports = candidates()
    if len(ports) > 1 and ids:
        with Display(quiet) as progress:
            return find_port(ids, ports, baud, progress=progress)
    return only_port(ports)


@contextmanager
def connected(
    port: str, baud: int, echo: str, ids: Sequence[int] = (), quiet: bool = False
) -> Iterator[Bus]:
    """A bus on the chosen port, closed at the end; says what slows the port down.

    Raises:
        PortError
    """
    from sts3215_driver.tools import latency_timer
    from sts3215_driver.tools.open_port import open_bus

    chosen = choose_port(port, ids, baud, quiet)
    bus = open_bus(chosen, baud, echo)
    try:
        if slow := latency_timer.remark(chosen):
            click.echo(f"note: {slow}", err=True)
        yield bus
    finally:
        bus.transport.close()


def ids_on(bus: Bus, text: str | None) -> list[int]:
    """Ids of a list, or everybody from whom something comes, also two servos that share an id.

    Raises:
        RefusedError: nobody does, or it is no list of ids.
    """
    from stride_base.errors import RefusedError
    from sts3215_driver.tools.id_lists import parse_ids
    from sts3215_driver.tools.scan_rate import who_is_there

    if text:
        return parse_ids(text)
    answering, garbled = who_is_there(bus)
    found = sorted({*answering, *garbled})
    if not found:
        raise RefusedError(
            f"nobody answers at {bus.timing.baud} bit/s; `stride scan` tries all rates and helps"
        )
    return found


class Attempts:
    """Does the same with several servos: each is tried, and who failed is named at the end."""

    def __init__(self) -> None:
        self._failed: list[str] = []

    @contextmanager
    def at(self, servo_id: int) -> Iterator[None]:
        """One servo; what goes wrong with it alone does not stop the others. PortError does."""
        from stride_base.errors import StrideError
        from sts3215_driver.errors import PortError

        try:
            yield
        except PortError:
            raise
        except StrideError as error:
            named = f"servo {servo_id}" in str(error)
            self._failed.append(str(error) if named else f"servo {servo_id}: {error}")

    def conclude(self) -> None:
        """Raise RefusedError if a servo failed."""
        from stride_base.errors import RefusedError

        if self._failed:
            raise RefusedError("; ".join(self._failed))
