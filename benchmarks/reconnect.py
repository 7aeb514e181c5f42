"""A port that is pulled and plugged in again: how long until the robot is driven, and from where.

    ./stride bench reconnect [TIMES]

18 emulated servos in a process of their own. While the port is away, every shaft is turned by hand.
Printed: from the port's return to torque on, every goal being the measured pose, and the largest
distance between goal and position then, in steps.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sts3215_driver import servo_table
from sts3215_driver.bus_thread import BusThread
from sts3215_driver.emulator.control import ControlClient
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.boot_text import drain_boot_text
from sts3215_driver.transport.serial_port import SerialTransport

CONTROL = Path(__file__).parents[1] / "config" / "robots" / "hexapod" / "control.json"


def open_port(port: str) -> SerialTransport:
    """As the driver node does."""
    transport = SerialTransport(port, 1_000_000)
    drain_boot_text(transport)
    return transport


def once(thread: BusThread, control: ControlClient, ids: tuple[int, ...]) -> tuple[float, int]:
    """Seconds from the return to torque on, and the largest distance of a goal, steps."""
    before = thread.counts.reconnects
    control.command("unplug")
    for servo_id in ids:
        control.command("turn", servo_id, 1900 + 10 * servo_id)
    time.sleep(1.0)
    control.command("replug")
    back = time.monotonic()
    while thread.counts.reconnects == before:
        time.sleep(0.002)
    took = time.monotonic() - back
    states = [control.command("state", servo_id) for servo_id in ids]
    return took, max(abs(s["goal_position"] - s["present_position"]) for s in states)


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    table = servo_table.load(CONTROL)
    with tempfile.TemporaryDirectory() as folder:
        port = f"{folder}/bus"
        command = [sys.executable, "-m", "sts3215_driver.emulator.cli", "--link", port]
        command += ["--servo-file", str(CONTROL)]
        emulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert emulator.stdout is not None and emulator.stdout.readline()
        try:
            session = Session(table, lambda: open_port(port), SessionSettings())
            session.connect()
            session.torque_on()
            thread = BusThread(session, lambda: None)
            thread.start()
            with ControlClient(f"{port}.control") as control:
                runs = [once(thread, control, table.ids) for _ in range(times)]
            thread.close()
        finally:
            emulator.terminate()
            emulator.wait()
    seconds = np.array([run[0] for run in runs])
    result = Table(title=f"{len(table)} servos, {times} times")
    for heading in ("median (s)", "longest (s)", "largest distance of a goal (steps)"):
        result.add_column(heading)
    worst = max(run[1] for run in runs)
    result.add_row(f"{np.median(seconds):.2f}", f"{seconds.max():.2f}", str(worst))
    Console().print(result)


if __name__ == "__main__":
    main()
