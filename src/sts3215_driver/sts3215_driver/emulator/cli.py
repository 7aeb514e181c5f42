"""The program `sts3215_emulator`: servos on a serial port that any driver can open."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from stride_base.click_types import Number
from stride_base.errors import ConfigError, StrideError
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.pty_server import PtyServer
from sts3215_driver.emulator.servo_file import Joint, load_joints

Command = TypeVar("Command", bound=Callable[..., Any])


_PORT_OPTIONS = (
    click.option("--link", required=True, type=Path, help="Where to make the link to the port."),
    click.option("--control", type=Path, help="Control socket [default: LINK.control]."),
    click.option("--any-baud", is_flag=True, help="Understand the host at whatever rate it sets."),
    click.option(
        "--linger",
        type=Number(0, 3600),
        default=0.0,
        help="After a signal, serve on until the host is silent, at most so long, s.  [0]",
    ),
    click.option("--quiet", is_flag=True, help="Do not print the link when ready."),
)
_SETUP_OPTIONS = (
    click.option("--pose", default="zero", help="zero, random, or steps for all."),
    click.option("--baud", default=1_000_000, help="Rate the servos are set to.  [1000000]"),
    click.option("--wire-time/--no-wire-time", default=True, help="Whether bytes take time."),
    click.option("--profile", default="sts3215", help="Servo model: sts3215, so101 or YAML file."),
    click.option("--voltage", type=Number(0, 60), help="Supply, V  [of the model]"),
    click.option("--load", "loads", multiple=True, help="e.g. 3:torque=0.2 or all:..."),
    click.option(
        "--set", "settings", multiple=True, help="EEPROM, e.g. 3:max_voltage=140, all:..."
    ),
    click.option("--firmware", default="", help="e.g. version=3.9,id_ack=new,overload=latched"),
    click.option("--fault", "faults", multiple=True, help="e.g. drop:id=3,probability=0.01"),
    click.option("--seed", default=0, help="Of everything random.  [0]"),
)


def port_options(command: Command) -> Command:
    """Add `link`, `control`, `any_baud`, `linger` and `quiet`, which `serve` takes."""
    for option in reversed(_PORT_OPTIONS):
        command = option(command)
    return command


def setup_options(command: Command) -> Command:
    """Add the fields of `Setup` except for the joints."""
    for option in reversed(_SETUP_OPTIONS):
        command = option(command)
    return command


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@port_options
@click.option("--servos", type=click.IntRange(1, 253), help="Number of servos, ids from 1 on.")
@click.option("--ids", help="Ids, e.g. 1,2,5; the same twice makes them collide.")
@click.option("--servo-file", type=Path, help="Control file (JSON) that lists the servos.")
@setup_options
def main(
    servos: int | None,
    ids: str | None,
    servo_file: Path | None,
    link: Path,
    control: Path | None,
    any_baud: bool,
    linger: float,
    quiet: bool,
    **setup: Any,
) -> None:
    """Emulate Feetech STS3215 servos on a pseudo-terminal.

    Ends on Ctrl-C, SIGTERM or the command `stop`. What can be done to the servos meanwhile is
    described in docs/emulator.md.
    """
    try:
        bus = build_bus(Setup(joints=_joints(servos, ids, servo_file), **setup))
        serve(bus, link, control, any_baud, linger, quiet)
    except StrideError as error:
        click.echo(f"sts3215_emulator: {error}", err=True)
        sys.exit(1)


def serve(
    bus: EmulatedBus,
    link: Path,
    control: Path | None,
    any_baud: bool,
    linger: float,
    quiet: bool,
    more: Mapping[str, Callable[[list[str]], Any]] | None = None,
) -> None:
    """Serve `bus` until a signal or the command `stop`; see `port_options` and `PtyServer`.

    Raises:
        RefusedError: the link or the socket cannot be made.
    """
    if not link.name:
        raise ConfigError("emulator", "", "link", str(link), "the path of a link to make")
    socket = control if control is not None else link.with_name(f"{link.name}.control")
    server = PtyServer(bus, link, socket, any_baud, more)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: server.stop(linger))
    if not quiet:
        click.echo(f"{server.link}")
    server.serve()


def _joints(servos: int | None, ids: str | None, servo_file: Path | None) -> Iterable[Joint]:
    given = [source for source in (servos, ids, servo_file) if source is not None]
    if len(given) > 1:
        raise ConfigError("emulator", "", "servos", given, "one of --servos, --ids, --servo-file")
    if servo_file is not None:
        return load_joints(servo_file)
    if ids is not None:
        return [Joint(_id(word)) for word in ids.split(",")]
    return [Joint(number) for number in range(1, (servos or 1) + 1)]


def _id(word: str) -> int:
    text = word.strip()
    if not (text.isdecimal() and len(text) <= 3 and int(text) <= 253):
        raise ConfigError("emulator", "", "ids", word, "servo ids from 0 to 253, with commas")
    return int(text)


if __name__ == "__main__":
    main()
