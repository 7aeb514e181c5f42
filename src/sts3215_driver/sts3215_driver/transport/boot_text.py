"""What a board says when its port is opened: an ESP32 may restart then, and print for a while."""

from __future__ import annotations

from collections.abc import Callable

from sts3215_driver.transport.base import Transport

#: A board that restarts has begun to print by then, s.
FIRST_WORD = 0.15
#: A board that has printed and is silent for so long has started, s.
QUIET = 0.4
#: A board that still prints then does so for good, s.
LONGEST = 3.0


def drain_boot_text(
    transport: Transport,
    first_word: float = FIRST_WORD,
    quiet: float = QUIET,
    longest: float = LONGEST,
    given_up: Callable[[], bool] = lambda: False,
) -> bytes:
    """Wait until nothing comes any more, at most `longest` s; `first_word` s on a line that is quiet.
    `given_up` tells whether nobody needs the port any more.

    Returns:
        What was heard: noise for the bus, but `tools.board` knows boards by it.

    Raises:
        PortError: the port was lost.
    """
    clock = transport.clock
    end = clock.now() + longest
    heard = bytearray(transport.drain())
    wait = quiet if heard else first_word
    while (now := clock.now()) < end and not given_up():
        data = transport.read(min(now + wait, end))
        if not data:
            break
        heard += data
        wait = quiet
    return bytes(heard)
