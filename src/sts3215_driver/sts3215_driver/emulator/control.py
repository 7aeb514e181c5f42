"""The control channel of a running emulator: a UNIX socket, a line each way.

`ControlChannel` is the emulator's end, `ControlClient` that of tests and tools. By hand:

    python3 -m sts3215_driver.emulator.control /tmp/servos.control load 3 0.5
"""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stride_base.errors import RefusedError

_LONGEST_LINE = 65536


class ControlChannel:
    """Listens on a socket and answers lines; driven by somebody else's select.

    Args:
        path: Where the socket is made.
        execute: Called with a line, returns what is sent back as JSON.

    Raises:
        RefusedError: something else stands there, or another emulator listens.
    """

    def __init__(self, path: Path, execute: Callable[[str], dict[str, Any]]) -> None:
        self.path, self._execute = path, execute
        self._clients: dict[int, tuple[socket.socket, bytearray]] = {}
        #: Whether an emulator that did not end cleanly had left its socket there.
        self.found_dead = _make_room(path)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _address(path) as address:
                self._listener.bind(address)
        except OSError as error:
            self._listener.close()
            reason = error.strerror or error
            raise RefusedError(f"{path}: no control channel there: {reason}") from error
        path.chmod(0o600)
        self._listener.listen()
        self._listener.setblocking(False)

    def filenos(self) -> list[int]:
        """What to wait for."""
        return [self._listener.fileno(), *self._clients]

    def serve(self, fileno: int) -> None:
        """Bytes, a new client or the end of one wait at `fileno`."""
        if fileno == self._listener.fileno():
            client, _ = self._listener.accept()
            self._clients[client.fileno()] = (client, bytearray())
        elif fileno in self._clients:
            self._serve_client(fileno)

    def close(self) -> None:
        """Hang up and take the socket away."""
        for client, _ in self._clients.values():
            client.close()
        self._clients.clear()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _serve_client(self, fileno: int) -> None:
        client, buffer = self._clients[fileno]
        try:
            data = client.recv(4096)
            buffer += data
            while (end := buffer.find(b"\n")) >= 0:
                line = bytes(buffer[:end]).decode("utf-8", "replace")
                del buffer[: end + 1]
                if line.strip():
                    client.sendall(json.dumps(self._execute(line)).encode() + b"\n")
        except OSError:
            data = b""
        if not data or len(buffer) > _LONGEST_LINE:
            del self._clients[fileno]
            client.close()


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """A short name for the socket: the longest that is allowed is about 100 characters."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _make_room(path: Path) -> bool:
    """Take away the socket of an emulator that died; whether there was one."""
    if not path.exists() and not path.is_symlink():
        return False
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise RefusedError(f"{path} exists and is no socket: choose another --control")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            with _address(path) as address:
                probe.connect(address)
        except OSError:
            path.unlink(missing_ok=True)
            return True
    raise RefusedError(f"{path} belongs to a running emulator: choose another --control")


class ControlClient:
    """Talks to a running emulator; a context manager.

    Args:
        path: Its socket.
        timeout: How long to wait for an answer, s.
    """

    def __init__(self, path: str | Path, timeout: float = 10.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            with _address(Path(path)) as address:
                self._socket.connect(address)
        except OSError as error:
            self._socket.close()
            reason = error.strerror or error
            raise RefusedError(f"{path}: no emulator listens there: {reason}") from error
        self._lines = self._socket.makefile("r", encoding="utf-8")

    def __enter__(self) -> ControlClient:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def command(self, *words: object) -> Any:
        """Carry out a command and return its result.

        Raises:
            RefusedError: the emulator did not take it, or is gone.
        """
        line = " ".join(str(word) for word in words)
        try:
            self._socket.sendall(line.encode() + b"\n")
            answer = self._lines.readline()
        except OSError as error:
            raise RefusedError(f"the emulator does not answer: {error}") from error
        if not answer:
            raise RefusedError("the emulator is gone")
        document = json.loads(answer)
        if not document["ok"]:
            raise RefusedError(document["error"])
        return document["result"]

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


def main(arguments: list[str]) -> None:
    """Send one command and print the answer."""
    if len(arguments) < 2:
        sys.exit("usage: python3 -m sts3215_driver.emulator.control SOCKET COMMAND ...")
    try:
        with ControlClient(arguments[0]) as client:
            result = client.command(*arguments[1:])
    except RefusedError as error:
        sys.exit(str(error))
    if result is not None:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
