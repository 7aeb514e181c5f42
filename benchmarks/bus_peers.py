"""The bus beside other libraries for these servos, on the same emulated bus in one run.

    ./stride bench bus_peers [CYCLES]

18 servos, wire time of 1 Mbit/s, per cycle goals to all (SYNC_WRITE of 6 bytes) and feedback of all
(SYNC_READ of 6 bytes). The others are installed into environments of their own below ~/.cache.
lerobot is left out: it does not install without torch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from sts3215_driver.emulator.control import ControlClient
from sts3215_driver.timing import BusTiming

PEERS = {
    "stride": "",
    "feetech_servo_sdk": "feetech-servo-sdk==1.0.0",
    "ftservo_python_sdk": "ftservo-python-sdk==2.0.1",
    "feetech_cli": "feetech-cli==0.1.8",
}
SERVOS = 18
MISSING = 9
WORKER = Path(__file__).parent / "peers" / "worker.py"


def environment(peer: str) -> str:
    """Python of a peer's own environment, made if missing."""
    if not PEERS[peer]:
        return sys.executable
    folder = Path.home() / ".cache" / "stride-peers" / PEERS[peer]
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", PEERS[peer], "pyserial==3.5"]
        subprocess.run(command, check=True)
        (folder / "ready").touch()
    return str(python)


def run(peer: str, cycles: int, faults: list[str], without: int | None = None) -> dict[str, Any]:
    """One peer against a fresh emulator."""
    with tempfile.TemporaryDirectory() as folder:
        port = f"{folder}/bus"
        command = [sys.executable, "-m", "sts3215_driver.emulator.cli", "--link", port]
        command += ["--servos", str(SERVOS), "--pose", "random", "--seed", "3"]
        emulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert emulator.stdout is not None and emulator.stdout.readline()
            with ControlClient(f"{port}.control") as control:
                pose = {
                    i: control.command("state", i)["present_position"] for i in range(1, SERVOS + 1)
                }
                for fault in faults:
                    control.command("fault", *fault.split())
                if without is not None:
                    control.command("power", without, "off")
            own = dict(os.environ)
            if peer != "stride":
                own.pop("PYTHONPATH", None)
            worker = [environment(peer), str(WORKER), peer, port, str(cycles), json.dumps(pose)]
            out = subprocess.run(worker, capture_output=True, text=True, check=True, env=own)
        finally:
            emulator.terminate()
            emulator.wait()
    return json.loads(out.stdout)


def main() -> None:
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    timing = BusTiming()
    limit = timing.sync_write(6, SERVOS) + timing.sync_read(6, SERVOS) - timing.wire_time(3)
    console = Console(width=140)
    table = Table(title=f"{SERVOS} servos, {cycles} cycles; wire limit {limit * 1e3:.2f} ms")
    for heading in (
        "library",
        "cycle (ms)",
        "p99",
        "of wire limit",
        "CPU/cycle (us)",
        "one missing (ms)",
        "p99",
        "others read",
        "1 % corrupt: wrong",
        "good read",
    ):
        table.add_column(heading)
    for peer in PEERS:
        healthy = run(peer, cycles, [])
        missing = run(peer, cycles // 4, [], without=MISSING)
        corrupt = run(peer, cycles, ["corrupt probability=0.01"])
        times, lost = np.array(healthy["times"]), np.array(missing["times"])
        others = sum(n for i, n in missing["read"].items() if int(i) != MISSING)
        table.add_row(
            peer,
            f"{np.median(times) * 1e3:.2f}",
            f"{np.percentile(times, 99) * 1e3:.2f}",
            f"{limit / np.median(times):.2f}",
            f"{healthy['cpu'] / cycles * 1e6:.0f}",
            f"{lost.mean() * 1e3:.2f}",
            f"{np.percentile(lost, 99) * 1e3:.2f}",
            f"{others / (SERVOS - 1) / len(lost):.1%}",
            str(corrupt["wrong"]),
            f"{sum(corrupt['read'].values()) / SERVOS / cycles:.2%}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
