"""PyPI ftservo-python-sdk 2.0.1."""

from __future__ import annotations

import scservo_sdk as sdk


class Peer:
    def __init__(self, port: str, ids: list[int], period: float) -> None:
        self._port = sdk.PortHandler(port)
        assert self._port.openPort() and self._port.setBaudRate(1_000_000)
        self._handler = sdk.sms_sts(self._port)
        self._read = sdk.GroupSyncRead(self._handler, 56, 6)
        for servo_id in ids:
            self._read.addParam(servo_id)
        self._ids = ids

    def cycle(self, goals: dict[int, bytes]) -> dict[int, bytes]:
        write = sdk.GroupSyncWrite(self._handler, 42, 6)
        for servo_id, data in goals.items():
            write.addParam(servo_id, list(data))
        write.txPacket()
        for servo_id in self._ids:
            self._read.data_dict[servo_id] = []
        self._read.txRxPacket()
        # Its data begin with the error byte.
        return {
            i: bytes(self._read.data_dict[i][1:])
            for i in self._ids
            if self._read.isAvailable(i, 56, 6)[0]
        }
