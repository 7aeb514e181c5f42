"""Opening a port for a tool: boot text drained, echo learned, and an error that says what to do."""

from __future__ import annotations

import errno
from collections.abc import Callable

from serial.tools import list_ports

from sts3215_driver.bus import Bus
from sts3215_driver.errors import PortError
from sts3215_driver.timing import BusTiming
from sts3215_driver.tools.errors import UnusablePortError
from sts3215_driver.tools.port_holder import holder
from sts3215_driver.transport.base import Transport
from sts3215_driver.transport.boot_text import drain_boot_text
from sts3215_driver.transport.serial_port import SerialTransport

#: Tools meet lines that nobody has measured: a latency timer of 16 ms, an ESP32 between, s.
PATIENT_LATENCY = 0.025
_IN_USE = (errno.EAGAIN, errno.EACCES, errno.EBUSY)
#: An echo may be lost in noise, and without knowing of it every PING seems to be answered.
ECHO_TRIES = 2

#: Opens a port at a rate in bit/s; raises PortError.
OpenTransport = Callable[[str, int], Transport]


def open_transport(port: str, baud: int) -> Transport:
    """Open a serial port for this program alone.

    Raises:
        PortError: says who holds it, or what else to do.
    """
    try:
        return SerialTransport(port, baud)
    except PortError as error:
        raise explain(error, port) from error


def open_bus(
    port: str, baud: int, echo: str = "auto", opener: OpenTransport = open_transport
) -> Bus:
    """Open a port as a bus of servos.

    Args:
        echo: ``auto``, ``on`` or ``off``: whether the adapter sends back what we write.
        opener: Opens the transport.

    Raises:
        PortError
    """
    transport = opener(port, baud)
    try:
        drain_boot_text(transport)
        return make_bus(transport, baud, echo)
    except BaseException:
        transport.close()
        raise


def make_bus(transport: Transport, baud: int, echo: str = "auto") -> Bus:
    """A patient bus over a port that is open and quiet. Raises PortError."""
    bus = Bus(transport, BusTiming(baud=baud, latency=PATIENT_LATENCY, echo=echo == "on"))
    if echo == "auto":
        for _ in range(ECHO_TRIES):
            if bus.learn_echo():
                break
    return bus


def explain(error: PortError, port: str) -> PortError:
    """The same error with what to do about it; UnusablePortError where no other rate will help."""
    cause = error.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number == errno.EACCES and "lock" not in str(cause).lower():
        return UnusablePortError(
            f"{error}; let your user use serial ports: sudo usermod -aG dialout $USER, then log in again"
        )
    if number in _IN_USE:
        who = holder(port)
        return UnusablePortError(
            f"port {port} is in use by {who or 'another program'}: only one may talk to the servos; "
            "end it first (the driver node holds its port as long as it runs)"
        )
    if number == errno.ENOENT:
        found = ", ".join(sorted(entry.device for entry in list_ports.comports())) or "none"
        return UnusablePortError(f"{error}; serial ports found: {found}")
    return error
