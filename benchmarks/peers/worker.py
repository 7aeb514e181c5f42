"""Runs one peer in its own environment: `worker.py PEER PORT CYCLES GOALS`, answers in JSON.

GOALS is JSON: servo id -> present position; the servos stand still there, so every other value is wrong.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path

FAR = 3  # steps
SIGN_15, SIGN_10 = 0x8000, 0x400


def wrong(data: bytes, position: int) -> bool:
    """Whether six bytes of feedback cannot be those of a servo that stands at `position`."""
    found, speed, load = (int.from_bytes(data[i : i + 2], "little") for i in (0, 2, 4))
    return abs(found - position) > FAR or speed & ~SIGN_15 > 20 or load & ~SIGN_10 > 100


def main() -> None:
    peer_name, port, cycles, text = sys.argv[1:5]
    sys.path.insert(0, str(Path(__file__).parent))
    pose = {int(key): value for key, value in json.loads(text).items()}
    peer = importlib.import_module(f"adapter_{peer_name}").Peer(port, list(pose), 0.02)
    goals = {i: p.to_bytes(2, "little") + b"\0\0\xe8\x03" for i, p in pose.items()}
    for _ in range(50):
        peer.cycle(goals)
    times, read, bad = [], dict.fromkeys(pose, 0), 0
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(int(cycles)):
        start = time.perf_counter()
        answers = peer.cycle(goals)
        times.append(time.perf_counter() - start)
        for servo_id, data in answers.items():
            if wrong(data, pose[servo_id]):
                bad += 1
            else:
                read[servo_id] += 1
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"times": times, "read": read, "wrong": bad, "cpu": cpu}))


if __name__ == "__main__":
    main()
