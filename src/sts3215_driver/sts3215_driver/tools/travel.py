"""How far a joint goes when a person moves it through its travel, over the 4095/0 seam as well.

A position says where in its turn the shaft is, not in which turn. Between two samples a hand moves it
far less than half a turn, so the short way round is the way it went:

    readings    4000  4090  10  100           min/max of the readings: 10..4090, wrong
    unwrapped   4000  4090  4106  4196        travel 196 steps, across the seam
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.protocol.homing_offset import HALF_TURN, offset_to_read, wrap_offset
from sts3215_driver.protocol.units import RAD_PER_STEP, STEPS_PER_TURN
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.tools.still_pose import read_positions

#: Farther between two samples, and nobody knows which way round it went, steps.
LARGEST_LEAP = 1200
LAST_STEP = STEPS_PER_TURN - 1
#: A joint with less was forgotten rather than moved from end to end, steps.
SHORTEST_TRAVEL = 50


@dataclass(frozen=True)
class Travel:
    """How far one joint was moved.

    Args:
        low, high: Ends in unwrapped steps; one of them is outside 0..4095 if the seam was crossed.
    """

    low: int
    high: int

    @property
    def crosses_seam(self) -> bool:
        """Whether position mode could not go from one end to the other."""
        return self.low < 0 or self.high > LAST_STEP

    @property
    def span(self) -> int:
        """Steps from end to end."""
        return self.high - self.low


class Unwrapper:
    """Follows one position; `label` names the joint in errors."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._last: int | None = None
        self._low = self._high = 0

    def feed(self, position: int) -> None:
        """Take the next reading, steps.

        Raises:
            RefusedError: it moved too far since the last one, or more than a turn in all.
        """
        if self._last is None:
            self._last = self._low = self._high = position
            return
        step = (position - self._last + HALF_TURN) % STEPS_PER_TURN - HALF_TURN
        if abs(step) > LARGEST_LEAP:
            raise RefusedError(
                f"{self._label} moved by {abs(step)} steps between two readings: move it more slowly"
            )
        self._last += step
        self._low = min(self._low, self._last)
        self._high = max(self._high, self._last)
        if self._high - self._low > LAST_STEP:
            raise RefusedError(
                f"{self._label} was moved through more than a turn; a joint in position mode has one"
            )

    @property
    def travel(self) -> Travel:
        """How far it went so far, from the turn it lies in most.

        Raises:
            RefusedError: nothing was read yet.
        """
        if self._last is None:
            raise RefusedError(f"{self._label} was never read")
        # By whole turns, so that the middle of the travel lies in 0..4095.
        turns = (self._low + self._high) // 2 // STEPS_PER_TURN * STEPS_PER_TURN
        return Travel(self._low - turns, self._high - turns)


class TravelRecorder:
    """Follows several joints of a robot; call `step` at least ten times a second."""

    def __init__(self, bus: Bus, table: ServoTable, indices: Sequence[int]) -> None:
        self._bus, self._table, self._indices = bus, table, list(indices)
        self._unwrappers = [Unwrapper(table.label(index)) for index in indices]

    def step(self) -> list[int]:
        """Read all joints once; returns their positions, steps.

        Raises:
            RefusedError: a servo is silent, moved too fast or more than a turn.
            PortError
        """
        positions: list[int] = read_positions(self._bus, self._table, self._indices).tolist()
        for unwrapper, position in zip(self._unwrappers, positions, strict=True):
            unwrapper.feed(position)
        return positions

    @property
    def travels(self) -> list[Travel]:
        """How far each joint went, in the order of the indices."""
        return [unwrapper.travel for unwrapper in self._unwrappers]


def limits_from(travel: Travel, zero: int, sign: int, margin: float = 0.0) -> tuple[float, float]:
    """Joint limits of a travel, rad.

    Args:
        travel: Measured ends.
        zero: Steps at 0 rad, 0..4095.
        sign: 1 or -1.
        margin: Kept away from each end, rad.

    Raises:
        RefusedError: the margins leave nothing.
    """
    if travel.crosses_seam:
        # Zero in the same turn as the travel, as near to its middle as can be.
        middle = (travel.low + travel.high) / 2
        zero += round((middle - zero) / STEPS_PER_TURN) * STEPS_PER_TURN
    ends = sorted(sign * (end - zero) * RAD_PER_STEP for end in (travel.low, travel.high))
    low, high = ends[0] + margin, ends[1] - margin
    if low > high:
        raise RefusedError(
            f"{travel.span * RAD_PER_STEP:.3f} rad of travel are too short for margins of {margin:g} rad"
        )
    return low, high


def suggest_limits(
    table: ServoTable, index: int, travel: Travel, margin: float
) -> tuple[float, float]:
    """Limits of one joint of a servo file from its travel, rad; raises RefusedError with its name."""
    if travel.span < SHORTEST_TRAVEL:
        raise RefusedError(f"{table.label(index)} was hardly moved ({travel.span} steps)")
    try:
        return limits_from(travel, int(table.zero[index]), int(table.sign[index]), margin)
    except RefusedError as error:
        raise RefusedError(f"{table.label(index)}: {error}") from error


def seam_advice(travel: Travel, servo_id: int, offset: int) -> str:
    """What to do about a travel across the seam: the offset that puts its middle at step 2048.

    Args:
        offset: The servo's present position offset, steps.
    """
    middle = (travel.low + travel.high) // 2
    new_offset = wrap_offset(offset_to_read(middle, offset, HALF_TURN))
    return (
        f"servo {servo_id} crosses the 4095/0 seam, which position mode cannot: run `stride write "
        f"{servo_id} position_offset {new_offset}`, then calibrate zero and range again"
    )
