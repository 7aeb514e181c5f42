"""Uses the spare time of each cycle to look after one servo: repair what is wrong, patrol otherwise."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from sts3215_driver import repair
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.feedback import SLOW, FeedbackDecoder
from sts3215_driver.goal_profile import GoalProfile
from sts3215_driver.protocol.registers import SETPOINTS, Block
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.servo_watch import ServoWatch, Task, WatchPolicy


@dataclass(frozen=True)
class _Repair:
    """A repair under way."""

    index: int
    steps: Generator[None, None, repair.Outcome]
    seeded: list[int]


class Supervisor:
    """Looks after the servos of a running robot, one exchange a cycle.

    Args:
        bus, servos: As in the cycle.
        patrol: Blocks of registers; one of one servo is read in a cycle, in turn.
        decoder: Gets the slow values among them.
        profile: Is told when one servo was seeded anew.
        policy: When a servo is no longer driven.
    """

    def __init__(
        self,
        bus: Bus,
        servos: ServoTable,
        patrol: Sequence[Block],
        decoder: FeedbackDecoder,
        profile: GoalProfile,
        policy: WatchPolicy,
    ) -> None:
        self._bus, self._servos, self._blocks = bus, servos, patrol
        self._decoder, self._profile = decoder, profile
        self.watch = ServoWatch(len(servos), policy)
        #: Goal positions that the servos should hold, steps; None where that is not known.
        self.goal_steps: list[int | None] = [None] * len(servos)
        self._repair: _Repair | None = None
        self._active = False
        self._turn = 0

    def begin(self, pose: list[int]) -> None:
        """Torque is on and `pose` (steps) are the goals."""
        self.goal_steps = list(pose)
        self._repair = None
        self._active = True
        self.watch.restart()

    def end(self) -> None:
        """Torque is off: nothing is repaired any more."""
        self._repair = None
        self._active = False

    def observe(self, status: list[int], now: float) -> None:
        """This cycle's outcome of each servo."""
        if self._active:
            self.watch.observe(status, self._decoder.flags, now)

    def look_at_torque(self) -> None:
        """Ask every driven servo whether it still has its torque; whoever has not, or does not say so,
        is not driven any more. Raises PortError."""
        bus, timing = self._bus, self._bus.timing
        driven = [i for i in range(len(self._servos)) if self.watch.drivable[i]]
        ids = [self._servos.ids[i] for i in driven]
        # Time to ask everybody once more, so that noise alone costs nobody a goal.
        wait = timing.sync_read(SETPOINTS.length, len(ids)) + timing.turnaround + bus.latency
        until = bus.transport.clock.now() + 2.0 * wait
        readings = bus.sync_read(SETPOINTS.address, SETPOINTS.length, ids, until)
        for index, reading in zip(driven, readings, strict=True):
            if reading.packet is None:
                self.watch.silent(index)
            elif SETPOINTS.decode(reading.packet.data)["torque_enable"] != 1:
                self.watch.settings_lost(index)

    def use_time(self, deadline: float) -> None:
        """One exchange with one servo, if it ends before `deadline` (s). Raises PortError."""
        bus = self._bus
        longest = bus.timing.read(repair.LONGEST) + bus.latency
        if bus.transport.clock.now() + longest > deadline:
            return
        if self._active and self._step_repair():
            return
        self._patrol()

    def _step_repair(self) -> bool:
        """Go on with a repair or begin one; False if there is nothing to do."""
        if self._repair is None:
            task = self.watch.next_task()
            if task is None:
                return False
            self._repair = self._begin(*task)
        job = self._repair
        try:
            next(job.steps)
        except StopIteration as end:
            self._repair = None
            self._conclude(job, end.value)
        except NoReplyError:
            self._repair = None
            self.watch.silent(job.index)
        return True

    def _begin(self, index: int, task: Task) -> _Repair:
        bus, servos, seeded = self._bus, self._servos, list[int]()
        if task is Task.VERIFY:
            steps = repair.verify(bus, servos, index, self.goal_steps[index])
        elif task is Task.RESEED:
            steps = repair.reseed(bus, servos, index, seeded)
        else:
            steps = repair.release(bus, servos, index)
        return _Repair(index, steps, seeded)

    def _conclude(self, job: _Repair, outcome: repair.Outcome) -> None:
        index = job.index
        if outcome is repair.Outcome.VERIFIED:
            self._profile.rejoin(index)
            self.watch.verified(index)
        elif outcome is repair.Outcome.RELEASED:
            self.watch.released(index)
        elif outcome is repair.Outcome.LOST_SETTINGS:
            self.watch.settings_lost(index)
        else:
            steps = job.seeded[0]
            self.goal_steps[index] = steps
            self._profile.seed_one(index, steps)
            self.watch.reseeded(index)

    def _patrol(self) -> None:
        """The registers and the servo whose turn it is."""
        count = len(self._servos)
        index, block = self._turn % count, self._blocks[self._turn // count]
        self._turn = (self._turn + 1) % (count * len(self._blocks))
        try:
            data = self._bus.read(self._servos.ids[index], block.address, block.length).data
        except NoReplyError:
            return
        if block is SLOW:
            self._decoder.update_slow(index, data)
            return
        # Another goal than ours only means that a write was lost: the next one is on its way.
        free = SETPOINTS.decode(data)["torque_enable"] != 1
        if free and self._active and self.watch.drivable[index]:
            self.watch.settings_lost(index)
