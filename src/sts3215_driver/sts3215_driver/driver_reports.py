"""What the driver says in /diagnostics about the bus and about each servo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from stride_base.diagnostics import Level, Report
from sts3215_driver.bus_thread import BusThread, Snapshot, State
from sts3215_driver.protocol.flags import flag_names
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.servo_watch import Condition
from sts3215_driver.session import TORQUE_OFF, TORQUE_ON, TORQUE_UNKNOWN, Session

#: A cycle that is more than this share of a period late is worth a warning.
LATE_SHARE = 0.5
TORQUE_WORDS = {TORQUE_OFF: "off", TORQUE_ON: "on", TORQUE_UNKNOWN: "unknown"}


class RateMeter:
    """Achieved rate from the cycles that were really run."""

    def __init__(self) -> None:
        self._runs = 0
        self._since: float | None = None
        self._now = 0.0
        self.newest: Snapshot | None = None
        #: Of the last `renew`, Hz.
        self.rate = float("nan")

    def add(self, snapshot: Snapshot) -> None:
        """Count one cycle."""
        self.newest = snapshot
        self._now = snapshot.read_at
        if self._since is None:
            self._since = snapshot.read_at
        else:
            self._runs += 1

    def renew(self) -> None:
        """Set `rate` to the cycles per second since the last call; NaN without any."""
        if self._since is None or self._now <= self._since:
            self.rate = float("nan")
            return
        self.rate = self._runs / (self._now - self._since)
        self._since, self._runs = self._now, 0


def driver_reports(thread: BusThread, session: Session, meter: RateMeter) -> Sequence[Report]:
    """One report of the bus, one per servo."""
    return [_bus_report(thread, session, meter), *_servo_reports(thread, session, meter.newest)]


def idle_report(lifecycle: str, session: Session | None) -> Report:
    """The bus while no cycles run.

    Args:
        lifecycle: State of the node.
        session: None while the node has none.
    """
    torque = TORQUE_WORDS[TORQUE_UNKNOWN] if session is None else torque_word(session.torque)
    values: dict[str, object] = {"state": lifecycle, "torque": torque}
    return Report("bus", Level.WARN, f"not active ({lifecycle})", values)


def torque_word(torque: NDArray[np.uint8]) -> str:
    """``on`` or ``off`` if that holds for all, ``part`` if both occur, else ``unknown``.

    Args:
        torque: (n,) TORQUE_ON, TORQUE_OFF or TORQUE_UNKNOWN.
    """
    found = set(torque.tolist())
    if len(found) == 1:
        return TORQUE_WORDS[found.pop()]
    return "part" if found >= {TORQUE_ON, TORQUE_OFF} else TORQUE_WORDS[TORQUE_UNKNOWN]


def _bus_report(thread: BusThread, session: Session, meter: RateMeter) -> Report:
    late = thread.lateness.summary()
    counts = thread.counts
    values: dict[str, object] = {
        "state": thread.state.value,
        "torque": torque_word(session.torque_now()),
        "wanted rate (Hz)": session.settings.rate,
        "achieved rate (Hz)": meter.rate,
        "cycle": thread.cycle,
        "missed cycles": counts.missed_cycles,
        "lateness p50 (us)": late.p50 * 1e6,
        "lateness p99 (us)": late.p99 * 1e6,
        "lateness max (us)": late.maximum * 1e6,
        "reconnects": counts.reconnects,
    }
    cycle = session.newest_cycle
    if cycle is not None:
        values["cycles without new goals"] = cycle.counts.without_new_goals
        values["goals clipped at limits"] = cycle.counts.clipped
        values["command timeouts"] = cycle.counts.timeouts
    bus = asdict(session.bus_counts)
    values |= bus.pop("scan") | bus
    if not thread.alive:
        return Report("bus", Level.ERROR, "the bus thread has ended", values)
    if thread.state is State.LOST:
        return Report("bus", Level.ERROR, thread.trouble, values)
    if thread.state is State.FREE:
        off = (session.torque == TORQUE_OFF).all()
        words = "torque is off" if off else "torque was not switched on, and is as it was before"
        return Report("bus", Level.WARN, words, values)
    if late.count and late.p99 > LATE_SHARE / session.settings.rate:
        return Report("bus", Level.WARN, "cycles come late: the computer is too busy", values)
    return Report("bus", Level.OK, "running", values)


def _servo_reports(thread: BusThread, session: Session, snapshot: Snapshot | None) -> list[Report]:
    if snapshot is None:
        return []
    return [_servo_report(thread, session, snapshot, i) for i in range(len(session.servos))]


def _servo_report(thread: BusThread, session: Session, snapshot: Snapshot, index: int) -> Report:
    feedback = snapshot.feedback
    part = f"servo {session.servos.names[index]}"
    status = Status(int(feedback.status[index]))
    flags = flag_names(int(feedback.flags[index]))
    # A snapshot grows older where no newer one comes.
    age = float(feedback.age[index]) + max(thread.now() - snapshot.read_at, 0.0)
    values: dict[str, object] = {
        "id": session.servos.ids[index],
        "status": status.name.lower(),
        "age (s)": age,
        "alarms": ", ".join(flags) or "none",
        "voltage (V)": float(feedback.voltage[index]),
        "temperature (degC)": float(feedback.temperature[index]),
        "current (A)": float(feedback.current[index]),
        "load": float(feedback.load[index]),
    }
    if not np.isfinite(age):
        return Report(part, Level.ERROR, "never answered", values)
    if thread.state is State.LOST:
        return Report(part, Level.ERROR, f"port lost for {age:.2f} s", values)
    if status is not Status.OK:
        word = status.name.lower().replace("_", " ")
        level = Level.ERROR if age > 1.0 else Level.WARN
        return Report(part, level, f"{word} for {age:.2f} s", values)
    cycle = session.newest_cycle
    if cycle is not None and thread.state is State.RUNNING:
        condition = cycle.watch.condition(index)
        if condition in (Condition.TRIPPED, Condition.RELEASED):
            alarms = ", ".join(flag_names(cycle.watch.trip_flags(index)))
            return Report(part, Level.ERROR, f"{condition.value} by alarm: {alarms}", values)
        if condition is not Condition.DRIVING:
            return Report(part, Level.WARN, f"not driven: {condition.value}", values)
    if flags:
        return Report(part, Level.WARN, f"alarm: {', '.join(flags)}", values)
    return Report(part, Level.OK, "ok", values)
