"""A serial port through pyserial: an adapter, an ESP32 pass-through, a pseudo-terminal, or a URL such as
``socket://robot.local:2217`` or ``rfc2217://robot.local:2217`` for a board on the network.

pyserial opens and configures the port. Where the port has a file descriptor, reading goes to it: one
`select` and one `read` per chunk cost a fraction of pyserial's own loop.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import termios
from collections.abc import Callable
from pathlib import Path

import serial
from serial.tools import list_ports

from stride_base.progress import Progress, silent
from sts3215_driver.clock import MonotonicClock
from sts3215_driver.errors import PortError
from sts3215_driver.transport.base import Transport

READ_SIZE = 4096
#: A write that cannot be handed to the operating system within this time means a dead port, s.
WRITE_TIMEOUT = 0.2
#: How often a port that is not there yet is looked for, s.
PORT_POLL_PERIOD = 0.05


class SerialTransport(Transport):
    """An open serial port.

    Args:
        port: Device path, e.g. ``/dev/ttyACM0``, or a URL that pyserial knows.
        baud: Bit rate towards the adapter, bit/s.

    Raises:
        PortError: it cannot be opened; says why.
    """

    def __init__(self, port: str, baud: int) -> None:
        self.clock = MonotonicClock()
        self.port = port
        try:
            self._serial = serial.serial_for_url(port, do_not_open=True)
            self._serial.baudrate = baud
            self._serial.timeout = 0
            self._serial.write_timeout = WRITE_TIMEOUT
            # Before opening: an ESP32 board may reset on a level change of these lines.
            self._serial.dtr = False
            self._serial.rts = False
            if "://" not in port:
                self._serial.exclusive = True
            self._serial.open()
        except (OSError, ValueError, termios.error) as error:
            raise PortError(f"port {port} cannot be opened: {_reason(error)}") from error
        self._fd = _descriptor(self._serial)
        with contextlib.suppress(OSError, ValueError, NotImplementedError, AttributeError):
            # Where the driver knows it (FTDI): 1 ms instead of 16 ms until bytes are handed over.
            self._serial.set_low_latency_mode(True)

    def write(self, data: bytes) -> None:
        try:
            self._serial.write(data)
        except (OSError, termios.error) as error:
            raise self._lost(error) from error

    def read(self, deadline: float) -> bytes:
        wait = max(deadline - self.clock.now(), 0.0)
        try:
            if self._fd is None:
                return self._read_through_pyserial(wait)
            # select, not poll: poll counts whole milliseconds.
            ready, _, _ = select.select([self._fd], [], [], wait)
            if not ready:
                return b""
            data = os.read(self._fd, READ_SIZE)
        except (OSError, ValueError, termios.error) as error:
            raise self._lost(error) from error
        if not data:
            raise PortError(f"port {self.port} was lost: the other end is gone")
        return data

    def drain(self) -> bytes:
        waiting = bytearray()
        while data := self.read(0.0):
            waiting += data
        return bytes(waiting)

    def close(self) -> None:
        with contextlib.suppress(OSError, termios.error):
            self._serial.close()

    def _read_through_pyserial(self, wait: float) -> bytes:
        self._serial.timeout = wait
        data: bytes = self._serial.read(1)
        if data:
            self._serial.timeout = 0
            data += self._serial.read(self._serial.in_waiting)
        return data

    def _lost(self, error: Exception) -> PortError:
        return PortError(f"port {self.port} was lost: {_reason(error)}")


def wait_for_port(
    port: str,
    timeout: float,
    given_up: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> None:
    """Return when `port` exists, e.g. because the board was plugged in or the emulator has started.

    Args:
        port: Device path; anything with ``://`` is left to the opener.
        timeout: s.
        given_up: Whether nobody needs it any more.
        progress: Is told that it is waited.

    Raises:
        PortError: it did not appear, or was not needed any more; lists the ports that there are.
    """
    clock = MonotonicClock()
    end = clock.now() + timeout
    progress(f"waiting for port {port}, at most {timeout:g} s")
    while "://" not in port and not Path(port).exists():
        if clock.now() >= end or given_up():
            found = ", ".join(entry.device for entry in list_ports.comports()) or "none"
            raise PortError(f"port {port} does not exist (serial ports found: {found})")
        clock.sleep_until(min(end, clock.now() + PORT_POLL_PERIOD))


def _descriptor(port: serial.SerialBase) -> int | None:
    """File descriptor of a port, None where it has none (rfc2217, loop)."""
    try:
        return int(port.fileno())
    except (AttributeError, io.UnsupportedOperation):
        return None


def _reason(error: Exception) -> str:
    """The operating system's own words, without pyserial's wrapping."""
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    return str(error)
