"""Where servos stand, measured often enough to know that they stand still."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.tools.patience import ATTEMPTS, patiently

_POSITION = BY_NAME["present_position"]
_HALF = STEPS_PER_TURN // 2
#: Time between two samples, s.
SAMPLE_PERIOD = 0.05
#: Steps by which the readings of a servo at rest differ at most.
STILL = 8


def still_pose(
    bus: Bus,
    table: ServoTable,
    indices: Sequence[int],
    samples: int,
    period: float = SAMPLE_PERIOD,
    still: int = STILL,
    progress: Progress = silent,
) -> NDArray[np.int64]:
    """Median of several readings of each servo, taken the short way round the 4095/0 seam.

    Args:
        indices: Servos of `table`.
        samples: Readings of each, at least 1.
        period: Time between readings, s.
        still: Largest difference between the readings of one servo, steps.
        progress: Told of each reading.

    Returns:
        (len(indices),) steps, in 0..4095 where all readings were.

    Raises:
        RefusedError: a servo is missing or moved; names all of them.
        PortError
    """
    readings = np.empty((samples, len(indices)), np.int64)
    clock = bus.transport.clock
    start = clock.now()
    for number in range(samples):
        progress("reading positions", number, samples)
        clock.sleep_until(start + number * period)
        readings[number] = read_positions(bus, table, indices)
    first = readings[0]
    turns = (readings - first + _HALF) % STEPS_PER_TURN - _HALF
    spread = turns.max(axis=0) - turns.min(axis=0)
    moved = [
        f"{table.label(index)} by {spread[place]} steps"
        for place, index in enumerate(indices)
        if spread[place] > still
    ]
    if moved:
        raise RefusedError(f"moved while being measured: {', '.join(moved)}; hold the robot still")
    median = np.sort(turns, axis=0)[samples // 2]
    pose = first + median
    single_turn = ((readings >= 0) & (readings < STEPS_PER_TURN)).all(axis=0)
    return np.where(single_turn, pose % STEPS_PER_TURN, pose)


def read_positions(bus: Bus, table: ServoTable, indices: Sequence[int]) -> NDArray[np.int64]:
    """Present position of servos now, (len(indices),) steps.

    Raises:
        RefusedError: some do not answer; names all of them.
        PortError
    """
    positions = np.zeros(len(indices), np.int64)
    missing = dict(enumerate(indices))
    for _ in range(ATTEMPTS):
        ids = [table.ids[index] for index in missing.values()]
        readings = bus.sync_read(_POSITION.address, _POSITION.size, ids)
        for place, reading in zip(list(missing), readings, strict=True):
            if reading.packet is not None:
                positions[place] = _POSITION.decode(reading.packet.data)
                del missing[place]
        if not missing:
            return positions
    for place, index in list(missing.items()):
        try:
            # Old firmware does not know SYNC_READ.
            positions[place] = patiently(partial(bus.read_register, table.ids[index], _POSITION))
        except NoReplyError:
            continue
        bus.single_readers.add(table.ids[index])
        del missing[place]
    if missing:
        silent = ", ".join(table.label(index) for index in missing.values())
        raise RefusedError(f"no answer from {silent}; check power, cable, id and baud rate")
    return positions
