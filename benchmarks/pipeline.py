"""The whole pipeline in real time: rate, lateness, frames in time, processor and memory.

    ./stride bench pipeline [SECONDS]

The hexapod walks on emulated servos (own process, wire time of 1 Mbit/s), nodes composed in one process,
at 50 and at 150 Hz. A bare loop that only sleeps on the same grid runs beside it, to show what the
machine itself does to a deadline.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

RATES = (50.0, 150.0)
CONTROL = Path(__file__).parents[1] / "config" / "robots" / "hexapod" / "control.json"


@dataclass(frozen=True)
class Result:
    """What one run measured; times in s."""

    seconds: float
    cycles: int
    missed: int
    frames_late: int
    lateness: np.ndarray
    cpu: float
    memory: float


def bare_loop(rate: float, seconds: float, answer: Connection) -> None:
    """A loop that only sleeps on the grid; sends its lateness."""
    period, late = 1.0 / rate, []
    deadline = time.monotonic() + period
    end = deadline + seconds
    while deadline < end:
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(left)
        late.append(time.monotonic() - deadline)
        deadline += period
    answer.send(np.array(late))


def walk(port: str, rate: float, seconds: float, answer: Connection) -> None:
    """The composed nodes; sends a Result of the time after the start."""
    from stride_base.ending import Ending
    from stride_bringup.runner import Runner
    from stride_bringup.stack import build_stack
    from stride_bringup.stack_options import StackOptions
    from sts3215_driver.lateness import LatenessLog

    stack = build_stack(StackOptions(robot="hexapod", port=port, rate=rate))
    with Runner(stack.nodes, "", Ending()) as runner:
        driver = next(node for node in runner.nodes if hasattr(node, "bus_thread"))
        bus = driver.bus_thread
        # The approach from the start pose, and the first cycles of everything.
        time.sleep(4.0)
        bus.lateness = LatenessLog(int(2 * rate * seconds))
        process = psutil.Process()
        counts = driver.cycle_counts
        before = (counts.cycles, counts.without_new_goals, bus.counts.missed_cycles)
        process.cpu_percent()
        began = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        cpu = process.cpu_percent()
        after = (counts.cycles, counts.without_new_goals, bus.counts.missed_cycles)
        cycles, late, missed = (b - a for a, b in zip(before, after, strict=True))
        memory = process.memory_full_info()
        result = Result(took, cycles, missed, late, bus.lateness.values(), cpu, memory.rss)
    answer.send(result)


def measure(rate: float, seconds: float) -> tuple[Result, np.ndarray]:
    """Both loops at once; the emulator beside them."""
    with tempfile.TemporaryDirectory() as folder:
        port = f"{folder}/bus"
        command = [sys.executable, "-m", "sts3215_driver.emulator.cli", "--link", port]
        command += ["--servo-file", str(CONTROL)]
        emulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert emulator.stdout is not None and emulator.stdout.readline()
            context = multiprocessing.get_context("spawn")
            ends = [context.Pipe(duplex=False) for _ in range(2)]
            walker = context.Process(target=walk, args=(port, rate, seconds, ends[0][1]))
            sleeper = context.Process(target=bare_loop, args=(rate, seconds + 4.0, ends[1][1]))
            walker.start()
            sleeper.start()
            result, bare = ends[0][0].recv(), ends[1][0].recv()
            walker.join()
            sleeper.join()
        finally:
            emulator.terminate()
            emulator.wait()
    return result, bare


def row(name: str, late: np.ndarray) -> list[str]:
    p50, p99 = np.percentile(late, (50, 99)) * 1e6
    return [name, f"{p50:.0f}", f"{p99:.0f}", f"{late.max() * 1e6:.0f}"]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
    console = Console(width=130)
    for rate in RATES:
        result, bare = measure(rate, seconds)
        table = Table(title=f"{rate:g} Hz, {result.seconds:.0f} s, 18 servos")
        for heading in ("lateness of", "p50 (us)", "p99 (us)", "max (us)"):
            table.add_column(heading)
        table.add_row(*row("bus write", result.lateness))
        table.add_row(*row("bare sleeping loop", bare))
        console.print(table)
        in_time = 1.0 - result.frames_late / max(result.cycles, 1)
        console.print(
            f"cycles {result.cycles}, missed {result.missed}; frame n on the bus in cycle n+1: "
            f"{in_time:.2%}; CPU of the nodes {result.cpu:.0f} % of a core; "
            f"resident memory {result.memory / 2**20:.0f} MiB"
        )
        slower = np.percentile(result.lateness, 99) / np.percentile(bare, 99)
        console.print(f"p99 of the bus write is {slower:.2f} times that of the bare loop\n")


if __name__ == "__main__":
    main()
