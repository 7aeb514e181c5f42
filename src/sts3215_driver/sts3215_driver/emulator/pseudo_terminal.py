"""A pseudo-terminal that looks like a serial port, and the link under which people find it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
import tty
from pathlib import Path

from stride_base.errors import RefusedError

# <asm-generic/termbits.h>: a terminal with any rate, not just the classic ones.
_TCGETS2, _TCSETS2 = 0x802C542A, 0x402C542B
_CBAUD, _BOTHER = 0o010017, 0o010000
_TERMIOS2 = struct.Struct("4I20B2I")


class PseudoTerminal:
    """A serial port whose other end is this process.

    The end that hosts open is also kept open here, so that they can come and go.

    Args:
        baud: Rate until a host sets another one, bit/s.
    """

    def __init__(self, baud: int) -> None:
        self._master, self._slave = pty.openpty()
        self._open = True
        self.path = Path(os.ttyname(self._slave))
        tty.setraw(self._slave)
        self._set_baud(baud)
        # A host that does not read must not stop the servos: bytes get lost, as on a real port.
        os.set_blocking(self._master, False)

    def fileno(self) -> int:
        """For select."""
        return self._master

    def read(self) -> bytes:
        """What the host has written, without waiting."""
        try:
            return os.read(self._master, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Send to the host."""
        try:
            os.write(self._master, data)
        except BlockingIOError:
            return

    def baud(self) -> int:
        """The rate that the host has set, bit/s."""
        return int(_TERMIOS2.unpack(self._get())[-1])

    def close(self) -> None:
        """Unplug it: a host that has it open gets errors from now on."""
        if self._open:
            self._open = False
            os.close(self._master)
            os.close(self._slave)

    def _get(self) -> bytes:
        return fcntl.ioctl(self._slave, _TCGETS2, bytes(_TERMIOS2.size))

    def _set_baud(self, baud: int) -> None:
        values = list(_TERMIOS2.unpack(self._get()))
        # Hosts that know only the classic rates shall see one where there is one.
        code = getattr(termios, f"B{baud}", _BOTHER)
        values[2] = values[2] & ~_CBAUD | code
        values[-2:] = [baud, baud]
        fcntl.ioctl(self._slave, _TCSETS2, _TERMIOS2.pack(*values))


class Link:
    """A symbolic link to a terminal whose own name changes from run to run.

    Args:
        path: Where the link is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target: Path | None = None

    def point_to(self, target: Path, abandoned: bool = False) -> None:
        """Make the link, or turn it to a new target.

        Args:
            target: The terminal.
            abandoned: A link that is there was left by an emulator that died. Its terminal's name may
                have gone to another program since.

        Raises:
            RefusedError: something that is in use, or no link of ours, stands at that place.
        """
        if self.path.is_symlink():
            if self.path.exists() and not self._is_ours() and not abandoned:
                raise RefusedError(
                    f"{self.path} already leads to {self.path.readlink()}, perhaps of another "
                    "emulator: stop that one, or choose another --link"
                )
        elif self.path.exists():
            raise RefusedError(f"{self.path} exists and is no link: choose another --link")
        try:
            fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
            fresh.symlink_to(target)
            fresh.replace(self.path)
        except OSError as error:
            raise RefusedError(f"{self.path}: cannot make a link: {error.strerror}") from error
        self._target = target

    def remove(self) -> None:
        """Take the link away, unless somebody else has put another one there."""
        if self._is_ours():
            self.path.unlink(missing_ok=True)
        self._target = None

    def _is_ours(self) -> bool:
        return (
            self._target is not None
            and self.path.is_symlink()
            and self.path.readlink() == self._target
        )
