"""Which port the robot hangs on: by the ids that answer there, since names change at a reboot."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from serial.tools import list_ports

from stride_base.progress import Progress, silent, track
from sts3215_driver.errors import PortError
from sts3215_driver.tools.examine import Knock, knock
from sts3215_driver.tools.open_port import OpenTransport, open_bus, open_transport


def candidates() -> list[str]:
    """USB serial ports, in order of their names."""
    ports = [entry.device for entry in list_ports.comports() if entry.vid is not None]
    return sorted(ports)


def other_ports() -> list[str]:
    """Serial ports that are not on USB."""
    return sorted(entry.device for entry in list_ports.comports() if entry.vid is None)


def only_port(ports: Sequence[str]) -> str:
    """The one port there is.

    Raises:
        PortError: there is none, or the user must choose; lists them.
    """
    if not ports:
        others = ", ".join(other_ports()) or "none"
        raise PortError(
            f"there is no USB serial port (others: {others}): plug the adapter in, or name it by --port"
        )
    if len(ports) > 1:
        raise PortError(f"there are several serial ports: {', '.join(ports)}; choose one by --port")
    return ports[0]


def find_port(
    ids: Sequence[int],
    ports: Collection[str],
    baud: int = 1_000_000,
    opener: OpenTransport = open_transport,
    progress: Progress = silent,
) -> str:
    """The port on which all of `ids` answer; nothing is written.

    Args:
        ids: Servos of the robot, at least one.
        ports: Where to look.
        baud: Their rate, bit/s.
        opener: Opens a transport.
        progress: Told of each port.

    Raises:
        PortError: on none or on several ports; says for each what was found there.
    """
    found, reports = [], []
    for port in track(ports, "looking for the servos", progress):
        try:
            bus = open_bus(port, baud, opener=opener)
        except PortError as error:
            reports.append(str(error))
            continue
        try:
            missing = [servo_id for servo_id in ids if knock(bus, servo_id) is not Knock.ANSWERS]
        except PortError as error:
            reports.append(str(error))
            continue
        finally:
            bus.transport.close()
        if not missing:
            found.append(port)
        elif len(missing) == len(ids):
            reports.append(f"{port}: no servo of these")
        else:
            reports.append(f"{port}: without {', '.join(str(servo_id) for servo_id in missing)}")
    wanted = ", ".join(str(servo_id) for servo_id in ids)
    if not found:
        where = "; ".join(reports) or "there is no serial port"
        raise PortError(f"no port at {baud} bit/s has the servos {wanted}: {where}")
    if len(found) > 1:
        raise PortError(f"servos {wanted} answer on several ports: {', '.join(found)}; choose one")
    return found[0]
