"""How long one tick of the CPG takes: vectorised, and as a plain loop over the servos.

    PYTHONPATH=src/stride_base:src/gait_controller python benchmarks/cpg_tick.py

Both compute the same ticks of the same robots in the same run, alternating in blocks, so that
whatever else the machine does meets both. The plain loop is written straight from the rules of the
control file and is what the tests compare the vectorised CPG with.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from gait_controller import control_file
from gait_controller.control_file import ControlFile, PositionServo, WheelServo
from gait_controller.cpg import Cpg

SIZES = (3, 18, 100, 1000)


class PlainCpg:
    """The rules of the control file, servo by servo, with nothing but floats.

    Args:
        control: The robot's control file.
        velocity: Also compute the rate of change of each target, as `Cpg` does.
    """

    def __init__(self, control: ControlFile, velocity: bool = True) -> None:
        self.control, self.with_velocity = control, velocity
        self.dt = 1.0 / control.control_hz
        self.theta = [0.0] * len(control.servos)
        self.tick = 0

    def step(self, load: Sequence[float], command: float) -> tuple[list[float], list[float]]:
        """Positions and velocities of one tick; arguments as for `Cpg.step`."""
        c = min(1.0, max(-1.0, command))
        t = self.tick * self.dt
        ramp_time = self.control.ramp_time
        ramp = min(1.0, t / ramp_time) if ramp_time > 0.0 else 1.0
        positions, velocities = [], []
        for index, servo in enumerate(self.control.servos):
            if isinstance(servo, WheelServo):
                speed = min(4.71, max(-4.71, servo.speed + c * servo.steer_shift))
                positions.append(math.nan)
                velocities.append(ramp * speed)
            else:
                position, velocity = self._joint(index, servo, load[index], c, ramp)
                positions.append(position)
                velocities.append(velocity)
        self.tick += 1
        return positions, velocities

    def _joint(
        self, index: int, servo: PositionServo, load: float, c: float, ramp: float
    ) -> tuple[float, float]:
        omega, h = self.control.omega, self.dt / 5
        sigma, theta = servo.sigma, self.theta[index]
        n = 0.0
        if load == load:
            n = min(1.0, max(-1.0, load / self.control.load_full_scale))
        for _ in range(5):
            theta += h * (omega - sigma * n * math.cos(theta))
        theta %= 2.0 * math.pi
        self.theta[index] = theta

        gain = min(2.0, max(0.0, 1.0 + c * servo.steer_gain))
        amp1, amp2 = servo.amp1 * gain, servo.amp2 * gain
        peak = (amp1 + 2.0 * amp2) * omega
        k = min(1.0, 4.71 / peak) if peak > 0.0 else 1.0
        amp1, amp2 = amp1 * k, amp2 * k
        offset = servo.offset + c * servo.steer_shift
        phase1, phase2 = theta + servo.phase1, 2.0 * theta + servo.phase2
        wanted = offset + amp1 * math.sin(phase1) + amp2 * math.sin(phase2)
        target = min(servo.max, max(servo.min, ramp * wanted))
        if not self.with_velocity or target != ramp * wanted:
            return target, 0.0
        rate = omega - sigma * n * math.cos(theta)
        slope = amp1 * math.cos(phase1) + 2.0 * amp2 * math.cos(phase2)
        velocity = ramp * slope * rate
        if ramp < 1.0:
            velocity += wanted / max(self.control.ramp_time, self.dt)
        return target, velocity


def robot(count: int, seed: int = 1) -> ControlFile:
    """A robot of `count` joints with feedback and steering, and numbers from nowhere."""
    random = np.random.default_rng(seed)
    servos = [
        {
            "id": 1 + index % 253,
            "name": f"j{index}",
            "mode": "position",
            "amp1": random.uniform(0.0, 0.5),
            "phase1": random.uniform(0.0, 6.28),
            "offset": random.uniform(-0.5, 0.5),
            "amp2": random.uniform(0.0, 0.3),
            "phase2": random.uniform(0.0, 6.28),
            "sigma": random.uniform(-3.0, 3.0),
            "steer_gain": random.uniform(-1.0, 1.0),
            "steer_shift": random.uniform(-0.3, 0.3),
            "sign": 1,
            "zero": 2048,
            "min": -0.9,
            "max": 0.9,
        }
        for index in range(count)
    ]
    document = {
        "format": 3,
        "robot": "benchmark",
        "fitness": 0.0,
        "control_hz": 50,
        "ramp_time": 0.5,
        "frequency": 1.0,
    }
    one = control_file.parse({**document, "servos": servos[:1]})
    joints = [control_file.make_servo(servo, steered=True) for servo in servos]
    # Past `parse`, since a bus has room for 253 ids only.
    return ControlFile(
        **{field: getattr(one, field) for field in one.__dataclass_fields__ if field != "servos"},
        servos=tuple(joints),
    )


def alternate(
    runs: Sequence[Callable[[int], object]], ticks: int, block: int = 20
) -> list[np.ndarray]:
    """Seconds of each call, (ticks,) for each of `runs`, which take turns of `block` calls."""
    times = [np.zeros(ticks) for _ in runs]
    clock = time.perf_counter
    gc.collect()
    gc.disable()
    try:
        for start in range(0, ticks, block):
            for run, spent in zip(runs, times, strict=True):
                for tick in range(start, min(start + block, ticks)):
                    begin = clock()
                    run(tick)
                    spent[tick] = clock() - begin
    finally:
        gc.enable()
    return times


def compare(count: int, ticks: int) -> list[np.ndarray]:
    """Times of the vectorised CPG, the plain loop, and the plain loop without velocities."""
    control = robot(count)
    loads = np.random.default_rng(2).uniform(-1.0, 1.0, (ticks, count))
    lists = loads.tolist()
    cpg, plain, bare = Cpg(control), PlainCpg(control), PlainCpg(control, velocity=False)
    return alternate(
        [
            lambda tick: cpg.step(loads[tick], 0.3),
            lambda tick: plain.step(lists[tick], 0.3),
            lambda tick: bare.step(lists[tick], 0.3),
        ],
        ticks,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ticks", type=int, default=1000, help="ticks of each size and kind")
    ticks = parser.parse_args().ticks
    print("microseconds per tick; the loop without velocities computes the seed's targets only")
    print(f"{'':8}{'vectorised':>16}{'plain loop':>18}{'no velocities':>18}{'vectorised/loop':>18}")
    print(f"{'servos':>6}" + f"{'median':>10}{'p99':>8}" * 3 + f"{'median':>10}{'no vel.':>10}")
    for count in SIZES:
        compare(count, min(ticks, 40))
        columns = [np.percentile(times * 1e6, (50, 99)) for times in compare(count, ticks)]
        cells = "".join(f"{median:10.1f}{p99:8.1f}" for median, p99 in columns)
        vectorised, plain, bare = (column[0] for column in columns)
        print(f"{count:6}{cells}{vectorised / plain:10.3f}{vectorised / bare:10.3f}")


if __name__ == "__main__":
    main()
