"""PyPI feetech-cli 0.1.8, its packet handler."""

from __future__ import annotations

import serial
from feetech_cli.protocol import FeetechError, PacketHandler


class Peer:
    def __init__(self, port: str, ids: list[int], period: float) -> None:
        self._handler = PacketHandler(serial.Serial(port, 1_000_000, timeout=0.05))
        self._ids = ids

    def cycle(self, goals: dict[int, bytes]) -> dict[int, bytes]:
        self._handler.sync_write(42, list(goals.items()))
        try:
            answers = self._handler.sync_read(self._ids, 56, 6)
        except FeetechError:
            return {}
        return {servo_id: bytes(data) for servo_id, (_error, data) in answers.items()}
