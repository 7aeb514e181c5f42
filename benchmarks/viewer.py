"""What a page costs the robot: lateness and missed cycles with no, one and three browsers open.

    ./stride bench viewer [SECONDS]

A hexapod walks on emulated servos (own process, wire time of 1 Mbit/s), nodes composed in one process
at 50 Hz; the viewer is a process of its own at low priority, as `stride up` starts it. All of these
share the machine's first processor. Pages are open in a headless Chromium that draws without a graphics
card; it stands for another computer, and has the other processors. The windows are measured in one run,
twice, so that what the machine does shows as their spread.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

RATE = 50.0
ROBOT = Path(__file__).parents[1] / "config" / "robots" / "hexapod"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
)
ROUNDS = 2
PROCESSORS = os.sched_getaffinity(0)
#: Of the robot, its servos and the viewer.
OWN = {min(PROCESSORS)}
#: Of the browsers.
OTHERS = PROCESSORS - OWN or PROCESSORS
#: None: no viewer at all.
PAGES: tuple[int | None, ...] = (None, 0, 1, 3)
RECEIVED = """() => { const view = document.querySelector('.robot-view');
    return getElement(parseInt(view.id.slice(1))).received ?? 0; }"""


@dataclass(frozen=True)
class Window:
    """What one window measured: lateness s, cycles, missed cycles, CPU of the nodes in %."""

    lateness: np.ndarray
    cycles: int
    missed: int
    cpu: float


def walk(port: str, orders: Connection, processors: set[int]) -> None:
    """The composed nodes on `processors`; measures a window of so many seconds when it is told to."""
    from stride_base.ending import Ending
    from stride_bringup.runner import Runner
    from stride_bringup.stack import build_stack
    from stride_bringup.stack_options import StackOptions
    from sts3215_driver.lateness import LatenessLog

    os.sched_setaffinity(0, processors)
    stack = build_stack(StackOptions(robot="hexapod", port=port, rate=RATE, viewer="off"))
    with Runner(stack.nodes, "", Ending()) as runner:
        driver = next(node for node in runner.nodes if hasattr(node, "bus_thread"))
        bus, process = driver.bus_thread, psutil.Process()
        orders.send("walking")
        while seconds := orders.recv():
            bus.lateness = LatenessLog(int(2 * RATE * seconds))
            before = driver.cycle_counts.cycles, bus.counts.missed_cycles
            process.cpu_percent()
            time.sleep(seconds)
            cpu = process.cpu_percent()
            after = driver.cycle_counts.cycles, bus.counts.missed_cycles
            cycles, missed = (b - a for a, b in zip(before, after, strict=True))
            orders.send(Window(bus.lateness.values(), cycles, missed, cpu))


@contextmanager
def program(*command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program of the robot's that runs for the block, and its first line."""
    own = ("taskset", "-c", ",".join(map(str, sorted(OWN))))
    process = subprocess.Popen([*own, *command], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline()
    finally:
        process.terminate()
        process.wait()


def time_to_page() -> float:
    """Seconds from `stride up` to a page that answers."""
    began = time.monotonic()
    command = [sys.executable, "-m", "stride_bringup", "up", "--simulator", "bench"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as up:
        assert up.stdout is not None
        for line in up.stdout:
            if re.search(r"http://\S+", line):
                break
        took = time.monotonic() - began
        up.terminate()
        up.stdout.read()
    return took


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if path is None:
        sys.exit("no Chromium to open pages with: sudo apt-get install -y chromium")
    # What steers the browsers is on their side.
    os.sched_setaffinity(0, OTHERS)
    console = Console(width=130)
    console.print(f"page ready {time_to_page():.1f} s after `stride up`")
    table = Table(title=f"{RATE:g} Hz, 18 servos, windows of {seconds:g} s")
    for heading in (
        "viewer",
        "lateness p50 (us)",
        "p99 (us)",
        "max (us)",
        "missed cycles",
        "CPU nodes (%)",
        "CPU viewer (%)",
        "memory viewer (MiB)",
        "pictures/s per page",
    ):
        table.add_column(heading)
    with tempfile.TemporaryDirectory() as folder:
        port = f"{folder}/bus"
        emulator = (sys.executable, "-m", "sts3215_driver.emulator.cli", "--link", port)
        with program(*emulator, "--servo-file", str(ROBOT / "control.json")):
            context = multiprocessing.get_context("spawn")
            orders, theirs = context.Pipe()
            walker = context.Process(target=walk, args=(port, theirs, OWN))
            walker.start()
            orders.recv()
            time.sleep(4.0)
            for _round in range(ROUNDS):
                for pages in PAGES:
                    table.add_row(*measure(pages, seconds, orders, path, Path(folder)))
            orders.send(0.0)
            walker.join()
    console.print(table)


def measure(
    pages: int | None, seconds: float, orders: Connection, chromium: str, folder: Path
) -> list[str]:
    """One row: the bus with so many open pages."""
    if pages is None:
        orders.send(seconds)
        return ["none", *texts(orders.recv()), "", "", ""]
    command = ("nice", "-n", "5", sys.executable, "-m", "stride_viewer")
    with program(*command, "--ros-args", "-p", f"robot:={ROBOT}") as (viewer, line):
        address = line.split()[-1]
        process = psutil.Process(viewer.pid)
        with browsing(chromium, folder, address, pages) as received:
            time.sleep(3.0)
            before = received()
            process.cpu_percent()
            began = time.monotonic()
            orders.send(seconds)
            window = orders.recv()
            cpu, took = process.cpu_percent(), time.monotonic() - began
            rates = [(b - a) / took for a, b in zip(before, received(), strict=True)]
        memory = process.memory_info().rss / 2**20
    shown = ", ".join(f"{rate:.0f}" for rate in rates)
    return [f"{pages} pages", *texts(window), f"{cpu:.0f}", f"{memory:.0f}", shown]


def texts(window: Window) -> list[str]:
    p50, p99 = np.percentile(window.lateness, (50, 99)) * 1e6
    largest = window.lateness.max() * 1e6
    missed = f"{window.missed} of {window.cycles}"
    return [f"{p50:.0f}", f"{p99:.0f}", f"{largest:.0f}", missed, f"{window.cpu:.0f}"]


@contextmanager
def browsing(chromium: str, folder: Path, address: str, pages: int) -> Iterator[object]:
    """Open pages for the block, which gets a function for the pictures received by each."""
    if not pages:
        yield lambda: []
        return
    from playwright.sync_api import sync_playwright

    script = folder / "browser"
    others = ",".join(map(str, sorted(OTHERS)))
    script.write_text(f'#!/bin/sh\nexec taskset -c {others} "{chromium}" "$@"\n')
    script.chmod(0o755)
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=script, args=list(ARGUMENTS))
        opened = [browser.new_page(viewport={"width": 1000, "height": 700}) for _ in range(pages)]
        for page in opened:
            page.goto(address)
            page.wait_for_function("document.querySelector('.robot-view canvas')")
        yield lambda: [page.evaluate(RECEIVED) for page in opened]
        browser.close()


if __name__ == "__main__":
    main()
