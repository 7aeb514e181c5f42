"""What the driver says in /diagnostics about the bus and about each servo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from stride_base.diagnostics import Level, Report
from sts3215_driver.bus_thread import BusThread, Snapshot, State
from sts3215_driver.protocol.flags import flag_names
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.session import Session

#: A cycle that is more than this share of a period late is worth a warning.
LATE_SHARE = 0.5


class RateMeter:
    """Achieved rate from the cycles that were really run."""

    def __init__(self) -> None:
        self._runs = 0
        self._since_ns: int | None = None
        self._now_ns = 0
        self.newest: Snapshot | None = None

    def add(self, snapshot: Snapshot) -> None:
        """Count one cycle."""
        self.newest = snapshot
        self._now_ns = snapshot.stamp_ns
        if self._since_ns is None:
            self._since_ns = snapshot.stamp_ns
        else:
            self._runs += 1

    def take(self) -> float:
        """Cycles per second since the last call, Hz; NaN without any."""
        if self._since_ns is None or self._runs == 0:
            return float("nan")
        rate = self._runs / ((self._now_ns - self._since_ns) * 1e-9)
        self._since_ns, self._runs = self._now_ns, 0
        return rate


def driver_reports(thread: BusThread, session: Session, meter: RateMeter) -> Sequence[Report]:
    """One report of the bus, one per servo."""
    return [_bus_report(thread, session, meter), *_servo_reports(session, meter.newest)]


def _bus_report(thread: BusThread, session: Session, meter: RateMeter) -> Report:
    late = thread.lateness.summary()
    counts = thread.counts
    values: dict[str, object] = {
        "state": thread.state.value,
        "wanted rate (Hz)": session.settings.rate,
        "achieved rate (Hz)": meter.take(),
        "cycle": thread.cycle,
        "missed cycles": counts.missed_cycles,
        "lateness p50 (us)": late.p50 * 1e6,
        "lateness p99 (us)": late.p99 * 1e6,
        "lateness max (us)": late.maximum * 1e6,
        "reconnects": counts.reconnects,
    }
    if thread.state is not State.LOST:
        values["cycles without new goals"] = session.cycle.counts.without_new_goals
        values["goals clipped at limits"] = session.cycle.counts.clipped
        values["command timeouts"] = session.cycle.counts.timeouts
    bus = asdict(session.bus_counts)
    values |= bus.pop("scan") | bus
    if not thread.alive:
        return Report("bus", Level.ERROR, "the bus thread has ended", values)
    if thread.state is State.LOST:
        return Report("bus", Level.ERROR, thread.trouble, values)
    if thread.state is State.FREE:
        return Report("bus", Level.WARN, "torque is off", values)
    if late.count and late.p99 > LATE_SHARE / session.settings.rate:
        return Report("bus", Level.WARN, "cycles come late: the computer is too busy", values)
    return Report("bus", Level.OK, "running", values)


def _servo_reports(session: Session, snapshot: Snapshot | None) -> list[Report]:
    if snapshot is None:
        return []
    return [_servo_report(session, snapshot, index) for index in range(len(session.servos))]


def _servo_report(session: Session, snapshot: Snapshot, index: int) -> Report:
    feedback = snapshot.feedback
    part = f"servo {session.servos.names[index]}"
    status = Status(int(feedback.status[index]))
    flags = flag_names(int(feedback.flags[index]))
    values: dict[str, object] = {
        "id": session.servos.ids[index],
        "status": status.name.lower(),
        "age (s)": float(feedback.age[index]),
        "alarms": ", ".join(flags) or "none",
        "voltage (V)": float(feedback.voltage[index]),
        "temperature (degC)": float(feedback.temperature[index]),
        "current (A)": float(feedback.current[index]),
        "load": float(feedback.load[index]),
    }
    if status is not Status.OK and not np.isfinite(feedback.age[index]):
        return Report(part, Level.ERROR, "never answered", values)
    if status is not Status.OK:
        age = float(feedback.age[index])
        word = status.name.lower().replace("_", " ")
        level = Level.ERROR if age > 1.0 else Level.WARN
        return Report(part, level, f"{word} for {age:.2f} s", values)
    if flags:
        return Report(part, Level.WARN, f"alarm: {', '.join(flags)}", values)
    return Report(part, Level.OK, "ok", values)
