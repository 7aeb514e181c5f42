"""A driver session on virtual time, with emulated servos on the other end, for tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sts3215_driver import servo_table
from sts3215_driver.cycle import DriverCycle
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.feedback import Feedback
from sts3215_driver.goals import GoalMerger, GoalSet
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.memory import MemoryTransport


class Bench:
    """`count` joints with ids 1.. (and wheels behind them) on one bus, stepped by hand.

    Args:
        count: Position joints, named j1, j2, ...
        wheels: Wheels, named w1, w2, ...
        rate: Cycles per second.
        setup: More choices for the emulator.
        settings: More choices for the session.
    """

    def __init__(
        self,
        count: int = 3,
        wheels: int = 0,
        rate: float = 50.0,
        setup: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        joints = [
            {
                "id": i + 1,
                "name": f"j{i + 1}",
                "mode": "position",
                "sign": 1 if i % 2 else -1,
                "zero": 2048,
                "min": -1.5,
                "max": 1.5,
            }
            for i in range(count)
        ]
        joints += [
            {"id": count + i + 1, "name": f"w{i + 1}", "mode": "wheel", "sign": 1}
            for i in range(wheels)
        ]
        self.table = servo_table.parse({"servos": joints}, "bench.json")
        emulated = [Joint(j["id"], wheel=j["mode"] == "wheel") for j in joints]
        self.device = build_bus(Setup(**{"joints": emulated, **(setup or {})}))
        self.transport = MemoryTransport(self.device)
        self.commands = Commands(self.device)
        self.session = Session(
            self.table, lambda: self.transport, SessionSettings(rate=rate, **settings)
        )
        self.goals: GoalSet | None = None
        self._merger = GoalMerger(self.table)
        self._deadline = 0.0

    @property
    def cycle(self) -> DriverCycle:
        return self.session.cycle

    @property
    def now(self) -> float:
        return self.transport.clock.now()

    def start(self) -> None:
        """Connect and switch torque on."""
        self.session.connect()
        self.session.torque_on()
        self._deadline = self.now

    def do(self, command: str) -> Any:
        """A command of the emulator's control channel; its result."""
        answer = self.commands.execute(command, self.now)
        assert answer["ok"], answer
        return answer["result"]

    def register(self, servo_id: int, name: str) -> int:
        """A register of an emulated servo as it is now."""
        return int(self.do(f"state {servo_id}")[name])

    def aim(self, position: float | None = None, wheel: float | None = None) -> None:
        """New goals: all joints to `position` rad, all wheels to `wheel` rad/s."""
        names = [
            n
            for n, w in zip(self.table.names, self.table.wheel, strict=True)
            if (wheel if w else position) is not None
        ]
        is_wheel = [n.startswith("w") for n in names]
        self.goals = self._merger.merge(
            names,
            [math.nan if w else position for w in is_wheel],  # type: ignore[misc]
            [self.cycle.plan.period] * len(names),
            [wheel if w else math.nan for w in is_wheel],  # type: ignore[misc]
            self.now,
        )

    def aim_at(self, lead: float = 0.0, **goals: float) -> None:
        """New goals for some, `lead` s later than in a period: joints rad, wheels rad/s."""
        self.goals = self._merger.merge(
            list(goals),
            [math.nan if name.startswith("w") else goal for name, goal in goals.items()],
            [self.cycle.plan.period + lead] * len(goals),
            [goal if name.startswith("w") else math.nan for name, goal in goals.items()],
            self.now,
        )

    def run(self, cycles: int = 1) -> Feedback:
        """Cycles on the grid; the last one's feedback."""
        feedback = None
        period = self.cycle.plan.period
        for _ in range(cycles):
            self._deadline += period
            self.transport.clock.sleep_until(self._deadline)
            self.cycle.write(self.goals, self.now)
            feedback = self.cycle.read(self._deadline + 0.95 * period)
        assert feedback is not None
        return feedback

    def walk(self, cycles: int, amplitude: float = 0.3) -> Feedback:
        """Cycles with new goals in each: a slow sine on all joints."""
        feedback = None
        for _ in range(cycles):
            self.aim(position=amplitude * math.sin(2.0 * self.now))
            feedback = self.run()
        assert feedback is not None
        return feedback

    def positions(self) -> np.ndarray:
        """Goal registers of all servos, steps."""
        return np.array([self.register(i, "goal_position") for i in self.table.ids])
