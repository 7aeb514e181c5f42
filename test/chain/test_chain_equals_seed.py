"""From control file to bytes on the bus: the steps are those of the seed, tick by tick.

Oscillator, inverse model with lead 0, merging of goals and bus cycle are the ones that run in the
nodes, joined as the topics join them. Time is virtual; emulated servos answer, and show the loads
of the vectors in their registers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gait_controller import control_file
from gait_controller.controller import Controller, Settings
from servo_inv.goal_model import PositionModel
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.timing import Timing
from sts3215_driver import servo_table
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.servo_file import load_joints
from sts3215_driver.goals import GoalMerger, GoalSet
from sts3215_driver.protocol.packets import BROADCAST_ID, Instruction
from sts3215_driver.protocol.registers import BY_NAME, Block
from sts3215_driver.protocol.units import rad_s_from_steps_s
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.memory import MemoryTransport

CASES = json.loads((Path(__file__).parents[1] / "data" / "control.json").read_text())["cases"]
STALL_TORQUE = 2.94


class TappedLine:
    """The emulated bus, and everything that the host wrote to it since `requests` was cleared."""

    def __init__(self, bus: EmulatedBus) -> None:
        self._bus = bus
        self.requests: list[bytes] = []

    def receive(self, data: bytes, now: float) -> None:
        self.requests.append(data)
        self._bus.receive(data, now)

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        return self._bus.transmit(until)

    def goals(self) -> dict[int, dict[str, int]]:
        """Registers by name of each servo id, from all goals that are in `requests`."""
        found: dict[int, dict[str, int]] = {}
        for request in self.requests:
            if request[2] != BROADCAST_ID or request[4] != Instruction.SYNC_WRITE:
                continue
            block = Block(request[5], request[6])
            for start in range(7, len(request) - 1, block.length + 1):
                data = request[start + 1 : start + 1 + block.length]
                found[request[start]] = block.decode(data)
        return found


class Chain:
    """All stages of one robot; `tick` is one cycle of the driver and what follows from it."""

    def __init__(self, file: Path) -> None:
        emulated = build_bus(Setup(joints=load_joints(file)))
        self.line = TappedLine(emulated)
        self._servos = Commands(emulated)
        self._transport = MemoryTransport(self.line)
        table = servo_table.load(file)
        control = control_file.load(file)
        self._rate = float(control.control_hz)
        self._session = Session(table, lambda: self._transport, SessionSettings(rate=self._rate))
        self._session.connect()
        self._session.torque_on()
        self._controller = Controller(control, Settings(stall_torque=STALL_TORQUE))
        self._inverse = InverseServo(PositionModel(), Timing(1.0 / self._rate, 0.0))
        self._merger = GoalMerger(table)
        self._names, self._ids = table.names, table.ids
        self._goals: GoalSet | None = None
        self._start = self._transport.clock.now()
        self._cycle = 0

    def tick(self, command: float, loads: list[int]) -> dict[int, dict[str, int]]:
        """One cycle.

        Args:
            command: Steering, set before the tick.
            loads: Raw load register of each servo, as read in this cycle.

        Returns:
            The goal registers that this cycle wrote, i.e. those of the tick before.
        """
        clock = self._transport.clock
        self._cycle += 1
        begin = self._start + self._cycle / self._rate
        clock.sleep_until(begin)
        for servo_id, raw in zip(self._ids, loads, strict=True):
            words = f"register {servo_id} present_load {raw}"
            assert self._servos.execute(words, clock.now())["ok"]
        self.line.requests.clear()
        cycle = self._session.cycle
        cycle.write(self._goals, clock.now())
        feedback = cycle.read(begin + 0.95 / self._rate)
        assert feedback.fresh.all()
        self._controller.on_joint_states(
            self._names,
            feedback.position.tolist(),
            feedback.velocity.tolist(),
            (feedback.load * STALL_TORQUE).tolist(),
        )
        self._controller.on_steering(command)
        self._inverse.on_step(self._cycle)
        frame = self._controller.on_step(self._cycle)
        assert frame is not None
        wanted = read_joints(self._names, frame.position.tolist(), frame.velocity.tolist(), ())
        goals = self._inverse.on_joints(wanted)
        self._goals = self._merger.merge(
            goals.names,
            goals.position.tolist(),
            goals.duration.tolist(),
            goals.velocity.tolist(),
            clock.now(),
        )
        return self.line.goals()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_steps_on_the_bus_equal_those_of_the_seed(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "control.json"
    file.write_text(json.dumps(case["control"]))
    servos, expected = case["control"]["servos"], case["expected"]
    chain = Chain(file)
    ticks = len(case["commands"])
    assert chain.tick(case["commands"][0], case["load_registers"][0]) == {}
    for k in range(1, ticks + 1):
        # The last tick is written by one cycle more.
        now = min(k, ticks - 1)
        written = chain.tick(case["commands"][now], case["load_registers"][now])
        for place, servo in enumerate(servos):
            registers = written[servo["id"]]
            if servo["mode"] == "position":
                steps = expected["steps_round"][k - 1][place]
                assert registers["goal_position"] == steps, (k - 1, servo["name"])
                assert 1 <= registers["goal_speed"] <= BY_NAME["goal_speed"].maximum
            else:
                # To the nearest step/s.
                speed = rad_s_from_steps_s(registers["goal_speed"])
                difference = abs(speed - expected["vel"][k - 1][place])
                assert difference <= rad_s_from_steps_s(1) / 2 * 1.000001, (k - 1, servo["name"])
