"""What the bus does in a cycle, decided once from its budget."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stride_base.errors import ConfigError
from sts3215_driver.feedback import SLOW
from sts3215_driver.protocol.registers import FEEDBACK_LONG, FEEDBACK_SHORT, SETPOINTS, Block
from sts3215_driver.timing import BusTiming

#: Goal position, time (unused, 0) and speed: registers 42 to 47.
GOAL = Block(42, 6)
#: Share of the period that must be left for the computers after the bus is done.
ROOM_FOR_COMPUTING = 0.4
#: Share of the period that the bus may fill.
FULLEST = 0.9
#: What is read of all servos, and what of one in turn where time is left: set-points, which show a
#: brown-out, and with a short block the slow values.
BLOCKS: dict[str, tuple[Block, tuple[Block, ...]]] = {
    "long": (FEEDBACK_LONG, (SETPOINTS,)),
    "short": (FEEDBACK_SHORT, (SETPOINTS, SLOW)),
}


class SyncPhase(Enum):
    """When a cycle is announced to the motion engine."""

    AFTER_READ = "after_read"
    AFTER_WRITE = "after_write"


@dataclass(frozen=True)
class CyclePlan:
    """One cycle of the bus.

    Args:
        period: s.
        block: Registers that are read of every servo.
        patrol: Registers of which one block of one servo is read in a cycle, in turn.
        phase: When `sync_step` is sent.
        bus_time: Time on the wire per cycle, s.
    """

    period: float
    block: Block
    patrol: tuple[Block, ...]
    phase: SyncPhase
    bus_time: float


def plan_cycle(timing: BusTiming, count: int, rate: float, feedback: str, phase: str) -> CyclePlan:
    """Choose block and phase for `count` servos at `rate` Hz.

    Args:
        timing: Of the line.
        feedback: ``long`` (15 bytes), ``short`` (6 bytes, voltage and the like in turn) or ``auto``:
            long where that leaves 40 % of the period.
        phase: ``after_read``, ``after_write`` or ``auto``: after_read where that leaves 40 %.

    Raises:
        ConfigError: that does not fit; shows the sum, and the highest rate that does.
    """
    period = 1.0 / rate
    write = timing.sync_write(GOAL.length, count)
    times = {
        name: write + timing.sync_read(block.length, count) for name, (block, _) in BLOCKS.items()
    }
    room = (1.0 - ROOM_FOR_COMPUTING) * period
    if feedback == "auto":
        feedback = "long" if times["long"] <= room else "short"
    bus_time = times[feedback]
    if phase == "auto":
        phase = "after_read" if bus_time <= room else "after_write"
    if bus_time > FULLEST * period:
        fits = FULLEST / bus_time
        raise ConfigError(
            "bus budget",
            "",
            "rate",
            rate,
            f"at most {fits:.0f} Hz: {count} servos at {timing.baud} bit/s need {write * 1e3:.2f} ms "
            f"for goals, {(bus_time - write) * 1e3:.2f} ms for {feedback} feedback, together "
            f"{bus_time * 1e3:.2f} ms of a period of {period * 1e3:.2f} ms"
            + ("" if feedback == "short" else "; short feedback needs less"),
        )
    block, patrol = BLOCKS[feedback]
    return CyclePlan(period, block, patrol, SyncPhase(phase), bus_time)
