"""Measuring `zero`: the steps that each joint's servo reads in the straight pose.

`zero` is only measured here; `sign` is never guessed. Position mode has no way round the 4095/0 seam, so
a zero is refused from which a limit of the joint would lie beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.homing_offset import HALF_TURN, offset_to_read, wrap_offset
from sts3215_driver.protocol.units import STEPS_PER_TURN, steps_from_rad
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.start_up import MODE_NAMES, MODE_POSITION, PHASE_MULTI_TURN
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts
from sts3215_driver.tools.settings import differences, write_settings
from sts3215_driver.tools.still_pose import STILL, still_pose

SAMPLES = 20
LAST_STEP = STEPS_PER_TURN - 1


def select(table: ServoTable, names: Iterable[str] = ()) -> list[int]:
    """Indices of the named joints, or of all position joints without names.

    Raises:
        RefusedError: an unknown name, a name twice, or a wheel, which has no zero.
    """
    wanted = list(names)
    if not wanted:
        indices = [index for index in range(len(table)) if not table.wheel[index]]
        if not indices:
            raise RefusedError("the servo file has wheels only; a wheel has no zero")
        return indices
    indices = []
    for name in wanted:
        if name not in table.names:
            raise RefusedError(f"joint {name!r} is not in the servo file")
        index = table.names.index(name)
        if table.wheel[index]:
            raise RefusedError(f"{table.label(index)} is a wheel, and a wheel has no zero")
        if index in indices:
            raise RefusedError(f"joint {name!r} is named twice")
        indices.append(index)
    return indices


def subset(table: ServoTable, chosen: Sequence[int] | Sequence[str]) -> ServoTable:
    """The table of some servos only, by index or by name, in that order."""
    indices = [table.names.index(each) if isinstance(each, str) else each for each in chosen]
    return ServoTable(
        ids=tuple(table.ids[index] for index in indices),
        names=tuple(table.names[index] for index in indices),
        wheel=table.wheel[indices],
        sign=table.sign[indices],
        zero=table.zero[indices],
        minimum=table.minimum[indices],
        maximum=table.maximum[indices],
    )


def measure_zero(
    bus: Bus,
    table: ServoTable,
    indices: Sequence[int],
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> NDArray[np.int64]:
    """The zeros of joints that stand in the straight pose now, torque off.

    Args:
        indices: Joints of `table`, see `select`.
        samples: Readings of each.
        progress: Told of each joint that is looked at, and of each reading.

    Returns:
        (len(indices),) steps, 0..4095.

    Raises:
        RefusedError: a servo is missing, holds, is in another mode, moved, or stands where its limits do
            not fit; names all of the first kind found and says what to do.
        PortError
    """
    facts = look(bus, table, indices, progress)
    pose = still_pose(bus, table, indices, samples, progress=progress)
    problems = [
        problem
        for index, servo, zero in zip(indices, facts, pose.tolist(), strict=True)
        if (problem := misfit(table, index, zero, servo.registers["position_offset"]))
    ]
    if problems:
        raise RefusedError("; ".join(problems))
    return pose


def look(
    bus: Bus, table: ServoTable, indices: Sequence[int], progress: Progress = silent
) -> list[ServoFacts]:
    """The servos of joints, which must be ready to be measured.

    Raises:
        RefusedError: one is missing, holds, counts turns, or is not in position mode; names all.
        PortError
    """
    facts, problems = [], []
    for number, index in enumerate(indices):
        label = table.label(index)
        progress("looking at the servos", number, len(indices), label)
        try:
            servo = read_facts(bus, table.ids[index])
        except NoReplyError:
            problems.append(f"{label} does not answer")
            continue
        facts.append(servo)
        registers = servo.registers
        mode = registers["operating_mode"]
        if mode != MODE_POSITION:
            problems.append(
                f"{label} is in {MODE_NAMES.get(mode, mode)} mode, where its offset is not applied"
            )
        if registers["torque_enable"] != 0:
            problems.append(f"{label} holds: torque must be off")
        if registers["phase"] & PHASE_MULTI_TURN:
            problems.append(
                f"{label} counts turns (phase register bit 4), and its position may leave 0 to 4095: "
                f"run `stride write {servo.id} phase {registers['phase'] & ~PHASE_MULTI_TURN}`"
            )
    if problems:
        raise RefusedError("; ".join(problems))
    return facts


def misfit(table: ServoTable, index: int, zero: int, offset: int) -> str:
    """Why a zero cannot be used with the joint's limits, and what to do; empty if it can.

    Args:
        zero: Steps at 0 rad.
        offset: The servo's present position offset, steps.
    """
    label = table.label(index)
    outside = []
    for field, limit in (("min", table.minimum[index]), ("max", table.maximum[index])):
        steps = steps_from_rad(float(limit), zero, int(table.sign[index]))
        if not 0 <= steps <= LAST_STEP:
            outside.append(f"{field} {limit:g} rad at step {steps}")
    if not outside and 0 <= zero <= LAST_STEP:
        return ""
    where = " and ".join(outside) or "0 rad itself"
    text = (
        f"{label} reads step {zero} in the straight pose, so {where} lies outside 0 to {LAST_STEP}"
    )
    wanted = centred_zero(table, index)
    if wanted is None:
        return f"{text}; its limits are more than a turn apart: correct them in the servo file"
    new_offset = wrap_offset(offset_to_read(zero, offset, wanted))
    return (
        f"{text}; turn its horn by {abs(wanted - zero) * 360 / STEPS_PER_TURN:.0f} deg, or run `stride "
        f"write {table.ids[index]} position_offset {new_offset}` (--recentre does), then calibrate again"
    )


def centred_zero(table: ServoTable, index: int) -> int | None:
    """The zero that puts the middle of a joint's limits at step 2048.

    Returns:
        Steps in 0..4095; None if the limits span more than one turn.
    """
    sign = int(table.sign[index])
    low, high = float(table.minimum[index]), float(table.maximum[index])
    middle = steps_from_rad((low + high) / 2, 0, sign)
    zero = min(max(HALF_TURN - middle, 0), LAST_STEP)
    ends = (steps_from_rad(low, zero, sign), steps_from_rad(high, zero, sign))
    return zero if all(0 <= end <= LAST_STEP for end in ends) else None


def recentre(
    bus: Bus, table: ServoTable, indices: Sequence[int], progress: Progress = silent
) -> list[int]:
    """Change the position offset of servos whose limits do not fit around where they stand now.

    They must stand in the straight pose, torque off; the present pose then reads `centred_zero`.

    Returns:
        The indices of servos that were changed; measure their zero afterwards.

    Raises:
        RefusedError: as in `measure_zero`; nothing was written.
        VerifyError: a servo did not take its offset, or does not read what it should.
        PortError
    """
    facts = look(bus, table, indices, progress)
    pose = still_pose(bus, table, indices, samples=5, progress=progress)
    changed: list[int] = []
    for index, servo, zero in zip(indices, facts, pose.tolist(), strict=True):
        progress("changing offsets", len(changed), None, table.label(index))
        offset = servo.registers["position_offset"]
        if not (problem := misfit(table, index, zero, offset)):
            continue
        wanted = centred_zero(table, index)
        if wanted is None:
            raise RefusedError(problem)
        needed = offset_to_read(zero, offset, wanted)
        write_settings(bus, servo, differences(servo, {"position_offset": needed}))
        (found,) = still_pose(bus, table, [index], samples=1).tolist()
        if abs(found - wanted) > STILL:
            raise VerifyError(
                f"{table.label(index)} reads step {found} with its new offset; expected {wanted}"
            )
        changed.append(index)
    return changed
