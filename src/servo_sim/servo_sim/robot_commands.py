"""Commands of the control socket for the robot as a whole, beside those for its servos.

robot                            pose, speed, IMU, time and real-time factor
push FX FY FZ [TX TY TZ] [S]     force (N) and torque (N m) on the base in the world's axes for S s (0.1)
tilt ROLL PITCH                  slope of the ground, degrees
carry KG                         extra mass at the base's centre of mass
lift                             put the robot down anew, upright, in its present pose
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from servo_sim.simulated_bus import SimulatedBus
from stride_base.errors import RefusedError
from sts3215_driver.emulator.options import number

PUSH_TIME = 0.1
_LONGEST_PUSH = 60.0


class RobotCommands:
    """Carries the commands out on a robot.

    Args:
        simulated: The robot and its bus.
        clock: Time that passes outside, s, for the real-time factor.
    """

    def __init__(
        self, simulated: SimulatedBus, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._robot, self._bank = simulated.robot, simulated.bus.bank
        self._clock = clock
        self._since = (clock(), self._bank.elapsed)

    def table(self) -> Mapping[str, Callable[[list[str]], Any]]:
        """Commands by name, see `Commands`."""
        return {
            "robot": self._describe,
            "push": self._push,
            "tilt": self._tilt,
            "carry": self._carry,
            "lift": self._lift,
        }

    def _describe(self, words: list[str]) -> dict[str, Any]:
        _numbers("robot", words, 0)
        truth = self._robot.truth()
        vectors = {
            name: np.asarray(getattr(truth, name)).tolist()
            for name in (
                "position",
                "orientation",
                "velocity",
                "angular_velocity",
                "acceleration",
                "rotation",
            )
        }
        return {"time": truth.time, **vectors, "real_time_factor": self._real_time_factor()}

    def _real_time_factor(self) -> float:
        """Simulated over real time since about the last second."""
        then, covered = self._since
        now, elapsed = self._clock(), self._bank.elapsed
        passed = now - then
        if passed <= 0.0:
            return 1.0
        if passed > 1.0:
            self._since = (now, elapsed)
        # Motion is a few ms behind at any time, which a short stretch would show.
        return min((elapsed - covered) / passed, 1.0) if passed > 0.1 else 1.0

    def _push(self, words: list[str]) -> None:
        values = _numbers("push", words, 3, 4, 6, 7)
        seconds = values.pop() if len(values) in (4, 7) else PUSH_TIME
        if not 0.0 < seconds <= _LONGEST_PUSH:
            raise RefusedError(f"push lasts from 0 to {_LONGEST_PUSH:g} s")
        self._robot.push(values[:3], values[3:] or (0.0, 0.0, 0.0), seconds)

    def _tilt(self, words: list[str]) -> None:
        roll, pitch = _numbers("tilt", words, 2)
        if max(abs(roll), abs(pitch)) > 90:
            raise RefusedError("the ground tilts by up to 90 degrees")
        self._robot.tilt(float(np.radians(roll)), float(np.radians(pitch)))

    def _carry(self, words: list[str]) -> None:
        (mass,) = _numbers("carry", words, 1)
        self._robot.carry(mass)

    def _lift(self, words: list[str]) -> None:
        _numbers("lift", words, 0)
        self._robot.put_down()


def _numbers(command: str, words: list[str], *counts: int) -> list[float]:
    if len(words) not in counts:
        expected = " or ".join(map(str, counts))
        raise RefusedError(f"{command} takes {expected} numbers")
    return [number(command, "number", word) for word in words]
