"""How long the 7-parameter model takes for the joints of one message, and a plain loop beside it.

    ./stride bench inverse_model_tick

Both compute the same goals of the same messages in the same run, in turns. `component` is the whole
of servo_inv without ROS: model, cycles, lead and checks.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable

import numpy as np

from servo_inv.goal_model import Past
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import JointCommand, read_joints
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from servo_inv.seven_param import SevenParamModel, Surroundings
from servo_inv.timing import Timing

SIZES = (1, 6, 18, 100)
PERIOD, VOLTAGE = 0.02, 7.4
STS3215 = (5.3239, 1.0, 1.31064, 0.054638, 0.0811, 0.055602, 2.12268, 0.1433, 10.0)


def plain_goals(
    models: list[ServoModel], command: JointCommand, before: list[float], voltage: float
) -> list[float]:
    """The formula of the specification, joint by joint, with nothing but floats."""
    goals = []
    states = zip(
        models,
        command.position.tolist(),
        command.velocity.tolist(),
        command.effort.tolist(),
        before,
        strict=True,
    )
    for m, q, v, tau, v_before in states:
        a = (v - v_before) / PERIOD
        k = m.kgear
        s = 0.0 if abs(v) <= 0.001 else math.copysign(1.0, v)
        beta = math.exp(-(abs(k * v / m.stribeck_velocity) ** m.stribeck_exponent))
        drive = m.viscous * k * v + m.inertia * k * a + m.coulomb * s + m.stribeck * s * beta
        goals.append(q + (drive + m.torque * tau / k) / (m.kp * voltage * k))
    return goals


def measure(count: int, ticks: int) -> dict[str, np.ndarray]:
    """Seconds of each tick, by what was run."""
    random = np.random.default_rng(1)
    names = [f"j{index}" for index in range(count)]
    models = [ServoModel(name, *STS3215) for name in names]
    state = random.uniform(-1.0, 1.0, (3, ticks + 1, count))
    commands = [read_joints(names, *(part[tick] for part in state)) for tick in range(ticks + 1)]
    model = SevenParamModel(ModelList(models), Surroundings(VOLTAGE))
    bound, servo = model.bind(tuple(names)), InverseServo(model, Timing(PERIOD, PERIOD))
    servo.on_joints(commands[0])

    def vectorised(command: JointCommand, before: JointCommand) -> object:
        return bound.goal(command, Past(before.position, before.velocity), PERIOD)

    def component(command: JointCommand, _before: JointCommand) -> object:
        return servo.on_joints(command)

    def plain(command: JointCommand, before: JointCommand) -> object:
        return plain_goals(models, command, before.velocity.tolist(), VOLTAGE)

    pair = commands[1], commands[0]
    assert np.allclose(vectorised(*pair), plain(*pair), rtol=0.0, atol=1e-12)
    runs: tuple[Callable[..., object], ...] = (vectorised, component, plain)
    times = {run.__name__: np.zeros(ticks) for run in runs}
    gc.collect()
    gc.disable()
    for tick in range(ticks):
        for run in runs:
            begin = time.perf_counter()
            run(commands[tick + 1], commands[tick])
            times[run.__name__][tick] = time.perf_counter() - begin
    gc.enable()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ticks", type=int, default=3000, help="messages of each size")
    ticks = parser.parse_args().ticks
    print("microseconds per message")
    print(f"{'joints':>6}{'model':>14}{'component':>18}{'plain loop':>18}")
    print(" " * 6 + f"{'median':>8}{'p99':>8}" + f"{'median':>10}{'p99':>8}" * 2)
    for count in SIZES:
        measure(count, 50)
        cells = [np.percentile(spent * 1e6, (50, 99)) for spent in measure(count, ticks).values()]
        print(f"{count:6}" + "".join(f"{median:9.1f}{p99:8.1f} " for median, p99 in cells))


if __name__ == "__main__":
    main()
