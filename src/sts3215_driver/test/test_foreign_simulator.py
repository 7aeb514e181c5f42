"""The driver on simulated servos that somebody else wrote (PyPI feetech-cli)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from feetech_cli.simulator import SimulatedBus, SimulatedServo

from sts3215_driver import servo_table
from sts3215_driver.clock import VirtualClock
from sts3215_driver.goals import GoalMerger
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.base import Transport

TABLE = servo_table.parse(
    {
        "servos": [
            {
                "id": i,
                "name": f"j{i}",
                "mode": "position",
                "sign": 1 if i % 2 else -1,
                "zero": 2048,
                "min": -1.5,
                "max": 1.5,
            }
            for i in range(1, 7)
        ]
    },
    "robot.json",
)


class ForeignTransport(Transport):
    """feetech-cli's serial-port lookalike as a port of ours; its servos answer at once."""

    def __init__(self, echo: bool) -> None:
        self.clock = VirtualClock()
        self.servos = [SimulatedServo(i) for i in TABLE.ids]
        self._bus = SimulatedBus(self.servos, echo=echo)

    def write(self, data: bytes) -> None:
        self._bus.write(data)

    def read(self, deadline: float) -> bytes:
        data = self._bus.read(4096)
        if not data:
            self.clock.sleep_until(deadline)
        return data

    def drain(self) -> bytes:
        return self._bus.read(4096)

    def close(self) -> None:
        self._bus.close()


@pytest.mark.parametrize("echo", [False, True], ids=["plain", "echoing adapter"])
def test_starts_drives_and_stops(echo: bool) -> None:
    transport = ForeignTransport(echo)
    for servo in transport.servos:
        servo.raw_position = 1500
        servo.apply_write(55, [1])
    session = Session(TABLE, lambda: transport, SessionSettings())
    session.connect()
    session.torque_on()
    assert [servo.get("goal_position") for servo in transport.servos] == [1500] * 6
    merger = GoalMerger(TABLE)
    nan = [math.nan] * 6
    for step in range(100):
        angle = 0.4 * math.sin(0.1 * step)
        now = transport.clock.now()
        session.cycle.write(merger.merge(TABLE.names, [angle] * 6, [0.02] * 6, nan, now), now)
        feedback = session.cycle.read(now + 0.019)
        assert (feedback.status == Status.OK).all()
        transport.clock.sleep_until(now + 0.02)
        # These servos jump to their goal at once.
        np.testing.assert_allclose(feedback.position, angle, atol=0.001)
    assert session.torque_off() == ()
    assert [servo.get("torque_enable") for servo in transport.servos] == [0] * 6
