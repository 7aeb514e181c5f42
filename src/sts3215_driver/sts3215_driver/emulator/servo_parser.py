"""How servos read the wire: a state machine without timeout that restarts at every FF FF.

All servos hear the same bytes, and a servo that is not meant just waits for the next FF FF, so one
parser does for all of them. Byte by byte the rules are (firmware 3.10): a byte that follows FF FF
is an id, or a further FF of a longer header; lengths below 2 are nonsense; more than 128 parameters
do not fit, except in SYNC_WRITE; a wrong checksum is ignored. Two FF within a packet start it anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from sts3215_driver.protocol.packets import HEADER, Instruction, checksum

MAX_PARAMETERS = 128


@dataclass(frozen=True, slots=True)
class Request:
    """An instruction packet as it came off the wire.

    Args:
        id: Whom it is for; BROADCAST_ID for all.
        instruction: Its code, known or not.
        parameters: What follows the code.
        end: Number of bytes of the last `feed` up to and including its checksum.
    """

    id: int
    instruction: int
    parameters: bytes
    end: int


class ServoParser:
    """Finds instruction packets in a stream that comes in pieces."""

    def __init__(self) -> None:
        self._kept = b""

    def reset(self) -> None:
        """Forget a packet that was begun."""
        self._kept = b""

    def feed(self, data: bytes) -> list[Request]:
        """The packets that `data` completes."""
        stream = self._kept + data
        kept = len(self._kept)
        size = len(stream)
        requests: list[Request] = []
        at = 0
        while True:
            header = stream.find(HEADER, at)
            if header < 0:
                self._kept = b"\xff" if stream[at:].endswith(b"\xff") else b""
                return requests
            start = header + 2
            while start < size and stream[start] == 0xFF:
                start += 1
            if start + 1 >= size:
                self._kept = HEADER + stream[start:]
                return requests
            length = stream[start + 1]
            if length < 2:
                at = start + 1
                continue
            last = start + 1 + length  # index of the checksum
            inner = stream.find(HEADER, start + 1, last)
            if inner >= 0:
                at = inner
                continue
            too_long = length - 2 > MAX_PARAMETERS and start + 2 < size
            if too_long and stream[start + 2] != Instruction.SYNC_WRITE:
                at = start + 1
                continue
            if last >= size:
                self._kept = HEADER + stream[start:]
                return requests
            if checksum(stream[start:last]) == stream[last]:
                requests.append(
                    Request(
                        stream[start],
                        stream[start + 2],
                        stream[start + 3 : last],
                        last + 1 - kept,
                    )
                )
            at = last - 1
