"""Boards that sit where an adapter is expected, and talk something else than the servos' protocol.

They are known by what they say: lines of text, JSON, or what an ESP32 prints when it starts. The probe
lines only ask; they move nothing, and mean nothing to servos (no FF FF in them).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sts3215_driver.transport.base import Transport

#: Ends whatever line the board made of earlier packets, before the probes.
CLEAR_LINE = b"\n"
PROBES = (b"PING 1\n", b'{"T":105}\n')
#: Rate of the host link of all these boards, bit/s.
BOARD_BAUD = 115_200
#: How long an answer may take, and how long a board that answers may pause in it, s.
PATIENCE, PAUSE = 0.3, 0.1

_BOOT = re.compile(
    rb"ESP-ROM:|ets [A-Z][a-z]{2} [ 0-9][0-9] 20[0-9]{2}|rst:0x|SPI_FAST_FLASH_BOOT|configsip:|"
    rb"entry 0x[0-9a-f]{8}|waiting for download|Brownout detector"
)
_TEXT_LINE = re.compile(
    rb"(?:^|[\r\n])(?:OK|ERROR\b[^\r\n]*|(?:POS|SPEED|LOAD|VOLTAGE|TEMP|MODE) -?[0-9.]+)\s*(?:[\r\n]|$)"
)
_JSON_LINE = re.compile(rb'\{[^{}\r\n]*"T"\s*:\s*-?[0-9]+[^{}\r\n]*\}')


@dataclass(frozen=True)
class Board:
    """What a board is.

    Args:
        kind: ``json``, ``text``, ``download`` or ``esp32``.
        name: What it is, in words.
        advice: What to do.
    """

    kind: str
    name: str
    advice: str

    def __str__(self) -> str:
        return f"{self.name}: {self.advice}"


_ADVICE = (
    "it does not pass packets to the servos: load a firmware that passes raw packets through, or "
    "connect the servos to a USB adapter"
)
JSON_BOARD = Board(
    "json",
    "a board that talks JSON (Waveshare General Driver of UGV rovers and RoArm)",
    f'it moves joints by {{"T":...}} lines and has no register access; {_ADVICE}',
)
TEXT_BOARD = Board(
    "text",
    "a board that talks text lines (PING, READ_POS, MOVE ...: OK or ERROR)",
    f"{_ADVICE}; its SET_ID and the like are lost at power-off, its OK to MOVE says nothing",
)
DOWNLOAD_BOARD = Board(
    "download",
    "an ESP32 that waits for a new program",
    "press its reset button; if that does not help, its program is missing or GPIO0 is held low",
)
ESP32_BOARD = Board(
    "esp32",
    "an ESP32 that has just started",
    "its firmware does not pass packets to the servos: on Waveshare's Servo Driver with ESP32 switch "
    "on serial forwarding on its web page (Wi-Fi ESP32_DEV, off again after each reset) and use 115200 "
    "bit/s, or load a firmware that forwards by default",
)


def recognise(heard: bytes) -> Board | None:
    """The board that says `heard`; None if it could be anything."""
    if any(_is_json(line.group()) for line in _JSON_LINE.finditer(heard)):
        return JSON_BOARD
    if _TEXT_LINE.search(heard):
        return TEXT_BOARD
    if b"waiting for download" in heard:
        return DOWNLOAD_BOARD
    return ESP32_BOARD if _BOOT.search(heard) else None


def probe(transport: Transport) -> Board | None:
    """Ask with lines of text and JSON who is there; only where no servo answers.

    Raises:
        PortError
    """
    _say(transport, CLEAR_LINE)
    for line in PROBES:
        heard = _say(transport, line)
        # An adapter that echoes says our own words, which prove nothing.
        board = recognise(heard.replace(line.strip(), b"", 1))
        if board is not None:
            return board
    return None


def _say(transport: Transport, line: bytes) -> bytes:
    clock = transport.clock
    transport.drain()
    transport.write(line)
    heard = bytearray()
    end = clock.now() + 2 * PATIENCE
    wait = PATIENCE
    while clock.now() < end and (data := transport.read(min(clock.now() + wait, end))):
        heard += data
        wait = PAUSE
    return bytes(heard)


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
