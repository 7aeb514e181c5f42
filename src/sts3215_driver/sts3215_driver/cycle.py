"""One bus cycle: write the newest goals, read feedback. Stepped by the bus thread, or by a test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.bus import Bus, Reading
from sts3215_driver.cycle_plan import GOAL, CyclePlan
from sts3215_driver.feedback import Feedback, FeedbackDecoder
from sts3215_driver.goal_profile import GoalProfile
from sts3215_driver.goals import GoalSet
from sts3215_driver.protocol.reply_scanner import Status
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.servo_watch import ServoWatch, WatchPolicy
from sts3215_driver.start_up import Inspection
from sts3215_driver.supervisor import Supervisor

_GOAL_ROW = np.dtype([("position", "<u2"), ("time", "<u2"), ("speed", "<u2")])
#: After this many misses in a row a servo is asked only every PROBE_EVERY cycles.
GIVE_UP_AFTER = 5
PROBE_EVERY = 10
#: A servo that lost its power does not answer for at least this time, s.
SHORTEST_RESTART = 0.2


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
    """Totals since the bus was opened; `timeouts` are wheels that were stopped."""

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
        command_timeout: A wheel stops when it got no goal for this time, whatever other joints get, s;
            0: never.
        policy: When a servo is no longer driven.
    """

    def __init__(
        self,
        bus: Bus,
        servos: ServoTable,
        plan: CyclePlan,
        inspection: Inspection,
        catch_up_speed: float,
        command_timeout: float,
        policy: WatchPolicy | None = None,
    ) -> None:
        self._bus, self._servos, self.plan = bus, servos, plan
        self._speed_unit = inspection.speed_unit
        self._profile = GoalProfile(servos, catch_up_speed)
        self._decoder = FeedbackDecoder(servos, inspection.speed_unit, inspection.shown_offset)
        self._supervisor = Supervisor(
            bus, servos, plan.patrol, self._decoder, self._profile, _watchful(policy, plan.period)
        )
        self._timeout = command_timeout
        #: Between two readings a servo may start anew unseen, and a goal would switch its torque on.
        self._look_first = plan.period > SHORTEST_RESTART
        self._registers = np.zeros(len(servos), _GOAL_ROW)
        self._misses = [0] * len(servos)
        self._nothing: NDArray[np.float64] = np.full(len(servos), np.nan)
        self.written = Written(0, self._nothing, self._nothing)
        self._late: NDArray[np.bool_] = np.zeros(len(servos), np.bool_)
        self._last_write: float | None = None
        self.counts = CycleCounts()

    @property
    def watch(self) -> ServoWatch:
        """Which servos are driven, and why not."""
        return self._supervisor.watch

    def seed(self, pose: NDArray[np.int64]) -> None:
        """Torque came on with `pose` ((n,) steps) as goals; old goals are gone."""
        self._profile.seed(pose, self._speed_unit)
        self._supervisor.begin(pose.tolist())
        self.written = Written(self.written.number, self._nothing, self._nothing)
        self._late = np.zeros(len(self._servos), np.bool_)
        self._last_write = None

    def free(self) -> None:
        """Torque is off: nothing is repaired, and nothing is written."""
        self._supervisor.end()

    def write(self, goals: GoalSet | None, now: float) -> None:
        """Put new goals onto the bus; without new ones the servos hold, and wheels stop in time.

        Args:
            goals: The newest goals, or None if there are none since the last start of torque.
            now: s.

        Raises:
            PortError
        """
        self.counts.cycles += 1
        if goals is None:
            return
        if self._look_first:
            self._supervisor.look_at_torque()
        late = self._late_wheels(goals, now)
        if goals.number == self.written.number:
            self.counts.without_new_goals += 1
            self._stop_wheels(late)
            return
        if late.any():
            goals = replace(goals, velocity=np.where(late, 0.0, goals.velocity))
        self._profile.advance(0.0 if self._last_write is None else now - self._last_write)
        self._last_write = now
        command = self._profile.command(goals, self.watch.drivable)
        self.counts.clipped += command.clipped
        registers = self._registers
        registers["position"] = command.position
        # Sign-magnitude: a negative speed is its magnitude with bit 15.
        negative = command.speed < 0
        registers["speed"] = np.where(negative, 0x8000 - command.speed, command.speed)
        rows, ids, size = registers.tobytes(), self._servos.ids, GOAL.length
        chosen = np.flatnonzero(command.active).tolist()
        self._bus.sync_write(
            GOAL.address, size, [(ids[i], rows[i * size : (i + 1) * size]) for i in chosen]
        )
        for i in chosen:
            self._supervisor.goal_steps[i] = int(command.position[i])
        self.written = Written(
            goals.number,
            np.where(command.active, goals.position, self.written.position),
            np.where(command.active, goals.velocity, self.written.velocity),
        )

    def read(self, deadline: float) -> Feedback:
        """Read all servos; ask the missing ones once more if that ends before `deadline` (s).

        A servo that stays silent is asked only now and then, so that waiting for it does not cost the
        others their cycle.

        Raises:
            PortError
        """
        bus, block, ids = self._bus, self.plan.block, self._servos.ids
        clock = bus.transport.clock
        turn = self.counts.cycles % PROBE_EVERY
        # If nobody answers, the line is to blame and nobody is kept waiting.
        nobody = min(self._misses) >= GIVE_UP_AFTER
        asked = [
            servo_id
            for i, servo_id in enumerate(ids)
            if nobody or self._misses[i] < GIVE_UP_AFTER or i % PROBE_EVERY == turn
        ]
        answers = {
            reading.id: reading
            for reading in bus.sync_read(block.address, block.length, asked, deadline)
        }
        now = clock.now()
        readings = self._decoder.plausible(
            [answers.get(i) or Reading(i, Status.STALE, None) for i in ids], now
        )
        for i, reading in enumerate(readings):
            if reading.packet is not None:
                self._misses[i] = 0
            elif reading.status is not Status.STALE:
                self._misses[i] += 1
        self._decoder.update(readings, now)
        self._supervisor.observe([reading.status for reading in readings], now)
        self._supervisor.use_time(deadline)
        return self._decoder.feedback(clock.now())

    def _late_wheels(self, goals: GoalSet, now: float) -> NDArray[np.bool_]:
        """(n,) wheels whose goal is too old. Position servos hold by themselves; a wheel would turn for
        ever."""
        if self._timeout <= 0.0 or not self._servos.wheel.any():
            return self._late
        too_old = now - goals.received >= self._timeout
        late = self._servos.wheel & np.isfinite(goals.velocity) & too_old
        self.counts.timeouts += int(np.count_nonzero(late & ~self._late))
        self._late = late
        return late

    def _stop_wheels(self, late: NDArray[np.bool_]) -> None:
        """Speed 0, repeated every cycle until new goals come, since nobody acknowledges it."""
        if not late.any():
            return
        stopped = np.where(late, 0.0, self.written.velocity)
        self.written = replace(self.written, velocity=stopped)
        wheels = [self._servos.ids[i] for i in np.flatnonzero(late & self.watch.drivable)]
        if wheels:
            zero = bytes(GOAL.length)
            self._bus.sync_write(GOAL.address, GOAL.length, [(i, zero) for i in wheels])


def _watchful(policy: WatchPolicy | None, period: float) -> WatchPolicy:
    """The policy, so that a servo that starts anew is missed before it can hear a goal: in slow cycles
    that takes fewer readings."""
    policy = policy or WatchPolicy()
    missed = max(1, int(SHORTEST_RESTART / period + 1e-9))
    return replace(policy, silent_after=min(policy.silent_after, missed))
