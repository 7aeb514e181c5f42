"""One bus cycle: write the newest goals, read feedback. Stepped by the bus thread, or by a test."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.bus import Bus, Reading
from sts3215_driver.errors import NoReplyError
from sts3215_driver.feedback import SLOW_ADDRESS, SLOW_LENGTH, Feedback, FeedbackDecoder
from sts3215_driver.goal_profile import GoalProfile
from sts3215_driver.goals import GoalSet
from sts3215_driver.protocol.registers import FEEDBACK_LONG, FEEDBACK_SHORT, Block
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.start_up import Inspection

#: Goal position, time (unused, 0) and speed: registers 42 to 47.
GOAL_ADDRESS = 42
_GOAL = np.dtype([("position", "<u2"), ("time", "<u2"), ("speed", "<u2")])
GOAL_LENGTH = _GOAL.itemsize
#: Share of the period that must be left for the computers after the bus is done.
ROOM_FOR_COMPUTING = 0.4
#: After this many misses in a row a servo is asked only every PROBE_EVERY cycles.
GIVE_UP_AFTER = 5
PROBE_EVERY = 10


class SyncPhase(Enum):
    """When a cycle is announced to the motion engine."""

    AFTER_READ = "after_read"
    AFTER_WRITE = "after_write"


@dataclass(frozen=True)
class CyclePlan:
    """What the bus does in a cycle, decided once from its budget.

    Args:
        period: s.
        block: Registers that are read of every servo.
        phase: When `sync_step` is sent.
        bus_time: Time on the wire per cycle, s.
    """

    period: float
    block: Block
    phase: SyncPhase
    bus_time: float

    @property
    def reads_slow_apart(self) -> bool:
        """Whether voltage, temperature and current take turns, one servo a cycle."""
        return self.block is FEEDBACK_SHORT


def plan_cycle(bus: Bus, count: int, rate: float, feedback: str, phase: str) -> CyclePlan:
    """Choose block and phase for `count` servos at `rate` Hz.

    Args:
        feedback: ``long`` (15 bytes), ``short`` (6 bytes and one servo's slow registers a cycle) or
            ``auto``: long where that leaves 40 % of the period.
        phase: ``after_read``, ``after_write`` or ``auto``: after_read where that leaves 40 %.
    """
    period = 1.0 / rate
    write = bus.sync_write_time(GOAL_LENGTH, count)
    slow = bus.timing.wire_time(8 + 6 + SLOW_LENGTH) + bus.timing.turnaround
    times = {
        "long": write + bus.sync_read_time(FEEDBACK_LONG.length, count),
        "short": write + bus.sync_read_time(FEEDBACK_SHORT.length, count) + slow,
    }
    room = (1.0 - ROOM_FOR_COMPUTING) * period
    if feedback == "auto":
        feedback = "long" if times["long"] <= room else "short"
    bus_time = times[feedback]
    if phase == "auto":
        phase = "after_read" if bus_time <= room else "after_write"
    block = FEEDBACK_LONG if feedback == "long" else FEEDBACK_SHORT
    return CyclePlan(period, block, SyncPhase(phase), bus_time)


@dataclass(frozen=True)
class Written:
    """The goals that are in the servos.

    Args:
        number: Number of the goal set, 0 before the first.
        position: (n,) rad, NaN without.
        velocity: (n,) rad/s of wheels, else NaN.
    """

    number: int
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]


@dataclass
class CycleCounts:
    """Totals since the bus was opened."""

    cycles: int = 0
    without_new_goals: int = 0
    clipped: int = 0
    timeouts: int = 0


class DriverCycle:
    """Writes and reads of a running robot.

    Args:
        bus: Open bus.
        servos: Servo table.
        plan: From `plan_cycle`.
        inspection: From `start_up.inspect`.
        catch_up_speed: rad/s, see GoalProfile.
        command_timeout: Wheels stop when no goals came for this time, s; 0: never.
    """

    def __init__(
        self,
        bus: Bus,
        servos: ServoTable,
        plan: CyclePlan,
        inspection: Inspection,
        catch_up_speed: float,
        command_timeout: float,
    ) -> None:
        self._bus, self._servos, self.plan = bus, servos, plan
        self._speed_unit = inspection.speed_unit
        self._profile = GoalProfile(servos, catch_up_speed)
        self._decoder = FeedbackDecoder(servos, inspection.speed_unit)
        self._timeout = command_timeout
        self._registers = np.zeros(len(servos), _GOAL)
        self._slow_turn = 0
        self._misses = [0] * len(servos)
        n = len(servos)
        self._nothing = np.full(n, np.nan)
        self.written = Written(0, self._nothing, self._nothing)
        self._timed_out = False
        self._last_write: float | None = None
        self.counts = CycleCounts()

    def seed(self, pose: NDArray[np.int64]) -> None:
        """Torque came on with `pose` ((n,) steps) as goals; old goals are gone."""
        self._profile.seed(pose, self._speed_unit)
        self.written = Written(self.written.number, self._nothing, self._nothing)
        self._timed_out = False
        self._last_write = None

    def write(self, goals: GoalSet | None, now: float) -> None:
        """Put new goals onto the bus; without new ones the servos hold, and wheels stop in time.

        Args:
            goals: The newest goals, or None if there are none since the last start of torque.
            now: s.

        Raises:
            PortError
        """
        self.counts.cycles += 1
        if goals is None or goals.number == self.written.number:
            self.counts.without_new_goals += goals is not None
            self._stop_late_wheels(goals, now)
            return
        elapsed = 0.0 if self._last_write is None else now - self._last_write
        self._profile.advance(elapsed)
        self._last_write = now
        command = self._profile.command(goals)
        self.counts.clipped += command.clipped
        registers = self._registers
        registers["position"] = command.position
        negative = command.speed < 0
        registers["speed"] = np.where(negative, 0x8000 - command.speed, command.speed)
        rows = registers.tobytes()
        ids = self._servos.ids
        self._bus.sync_write(
            GOAL_ADDRESS,
            GOAL_LENGTH,
            [
                (ids[i], rows[i * GOAL_LENGTH : (i + 1) * GOAL_LENGTH])
                for i in np.flatnonzero(command.active)
            ],
        )
        self.written = Written(goals.number, goals.position, goals.velocity)
        self._timed_out = False

    def read(self, deadline: float) -> Feedback:
        """Read all servos; ask the missing ones once more if that ends before `deadline` (s).

        A servo that stays silent is asked only now and then, so that waiting for it does not cost the
        others their cycle.

        Raises:
            PortError
        """
        bus, block = self._bus, self.plan.block
        clock = bus.transport.clock
        turn = self.counts.cycles % PROBE_EVERY
        asked = [
            servo_id
            for i, servo_id in enumerate(self._servos.ids)
            if self._misses[i] < GIVE_UP_AFTER or i % PROBE_EVERY == turn
        ]
        answers = {
            reading.id: reading
            for reading in bus.sync_read(block.address, block.length, asked, deadline)
        }
        readings = [
            answers.get(servo_id) or Reading(servo_id, Status.NOT_READ, None)
            for servo_id in self._servos.ids
        ]
        for i, reading in enumerate(readings):
            if reading.packet is not None:
                self._misses[i] = 0
            elif reading.status is not Status.NOT_READ:
                self._misses[i] += 1
        self._decoder.update(readings, clock.now())
        if self.plan.reads_slow_apart:
            self._read_slow(deadline)
        return self._decoder.feedback(clock.now())

    def _read_slow(self, deadline: float) -> None:
        """Voltage, temperature, status and current of the servo whose turn it is."""
        bus = self._bus
        longest = bus.timing.wire_time(8 + 6 + SLOW_LENGTH) + bus.timing.turnaround
        if bus.transport.clock.now() + longest + bus.timing.latency > deadline:
            return
        index = self._slow_turn
        self._slow_turn = (index + 1) % len(self._servos)
        try:
            reply = bus.read(self._servos.ids[index], SLOW_ADDRESS, SLOW_LENGTH)
        except NoReplyError:
            return
        self._decoder.update_slow(index, reply.data)

    def _stop_late_wheels(self, goals: GoalSet | None, now: float) -> None:
        """Position servos hold by themselves; a wheel would turn for ever.

        The stop is repeated every cycle until new goals come, since nobody acknowledges it.
        """
        servos = self._servos
        if goals is None or goals.number == 0 or self._timeout <= 0.0:
            return
        if now - goals.received < self._timeout:
            return
        if not self._timed_out:
            self._timed_out = True
            self.counts.timeouts += 1
            stopped = np.where(servos.wheel, 0.0, self.written.velocity)
            self.written = Written(self.written.number, self.written.position, stopped)
        wheels = [servos.ids[i] for i in np.flatnonzero(servos.wheel)]
        if wheels:
            zero = bytes(GOAL_LENGTH)
            self._bus.sync_write(GOAL_ADDRESS, GOAL_LENGTH, [(i, zero) for i in wheels])
