"""Bringing servos to life: look at each one, read the pose, goal := present, only then torque.

Nothing moves here. A servo that is missing or not as the servo file says stops the start with one
sentence, torque off.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError, StartError
from sts3215_driver.protocol.modes import Mode
from sts3215_driver.protocol.packets import BROADCAST_ID
from sts3215_driver.protocol.registers import (
    BY_NAME,
    CONFIGURATION,
    FEEDBACK_SHORT,
    IDENTITY,
    Register,
)
from sts3215_driver.protocol.units import STEPS_PER_TURN
from sts3215_driver.servo_table import ServoTable

MODEL_STS3215 = 777
MODE_POSITION, MODE_WHEEL = int(Mode.POSITION), int(Mode.WHEEL)
MODE_NAMES = {mode.value: mode.name.lower() for mode in Mode}
PHASE_FINE_SPEED, PHASE_MULTI_TURN = 0x04, 0x10
#: step/s of one speed count without phase bit 2
COARSE_SPEED_UNIT = 50
#: An exchange is given up after so many attempts and so long, s: a busy computer may be late with
#: several answers in a row.
ATTEMPTS = 5
PATIENCE = 0.5
#: Farthest that a joint may move while torque comes on, steps. A loaded joint sags by up to 40 when
#: its goal becomes its present position.
STILL = 160


@dataclass(frozen=True)
class ServoInfo:
    """What a servo says of itself at the start.

    Args:
        firmware: e.g. ``3.10``.
        model: Model number.
        registers: Its configuration by register name.
    """

    firmware: str
    model: int
    registers: dict[str, int]


@dataclass(frozen=True)
class Inspection:
    """All servos as found.

    Args:
        servos: In the order of the servo table.
        speed_unit: (n,) step/s of one speed count.
        shown_offset: (n,) steps by which present positions are too large: the position offset of
            wheels, which the servo applies in position mode only.
        warnings: What the owner should know, one sentence each.
    """

    servos: tuple[ServoInfo, ...]
    speed_unit: NDArray[np.int64]
    shown_offset: NDArray[np.int64]
    warnings: tuple[str, ...]


def inspect(
    bus: Bus, table: ServoTable, given_up: Callable[[], bool] = lambda: False
) -> Inspection:
    """Identity and configuration of every servo; wheels and joints are put into their mode.

    A mode other than the file's is set for this run only: the servo's memory stays locked, so the next
    power cycle brings the old mode back.

    Args:
        given_up: Whether nobody needs the robot any more.

    Raises:
        StartError: a servo does not answer or does not take its mode, and names all that are missing;
            or the start was given up.
        PortError
    """
    missing = [table.label(index) for index in _silent(bus, table, given_up)]
    if missing:
        verb = "does" if len(missing) == 1 else "do"
        raise StartError(
            f"{', '.join(missing)} {verb} not answer at {bus.timing.baud} bit/s; "
            "check power, cable, id and baud rate"
        )
    infos, warnings = [], []
    for index in range(len(table)):
        _go_on(given_up)
        info = _inspect_one(bus, table, index)
        infos.append(info)
        warnings += _remarks(table, index, info)
    versions = {info.firmware for info in infos}
    if len(versions) > 1:
        warnings.append(f"servos have different firmware: {', '.join(sorted(versions))}")
    fine = [bool(info.registers["phase"] & PHASE_FINE_SPEED) for info in infos]
    offset = np.array([info.registers["position_offset"] for info in infos])
    return Inspection(
        servos=tuple(infos),
        speed_unit=np.where(fine, 1, COARSE_SPEED_UNIT),
        shown_offset=np.where(table.wheel, offset, 0),
        warnings=tuple(warnings),
    )


def read_pose(bus: Bus, table: ServoTable) -> NDArray[np.int64]:
    """Present position of every servo, (n,) steps.

    Raises:
        StartError: a servo has no measured pose; torque must not come on.
        PortError
    """
    steps = np.zeros(len(table), np.int64)
    missing = list(range(len(table)))
    clock = bus.transport.clock
    end = clock.now() + PATIENCE
    for attempt in itertools.count(1):
        ids = [table.ids[i] for i in missing]
        readings = bus.sync_read(FEEDBACK_SHORT.address, 2, ids)
        still_missing = []
        for index, reading in zip(missing, readings, strict=True):
            if reading.packet is None:
                still_missing.append(index)
            else:
                steps[index] = BY_NAME["present_position"].decode(reading.packet.data)
        missing = still_missing
        if not missing:
            return steps
        if attempt >= ATTEMPTS and clock.now() >= end:
            break
    for index in missing:
        # Firmware that does not know SYNC_READ answers single reads.
        try:
            steps[index] = _read(bus, table, index, BY_NAME["present_position"])
        except StartError as error:
            raise StartError(
                f"{table.label(index)} has no measured position; torque stays off"
            ) from error
        bus.single_readers.add(table.ids[index])
    return steps


def torque_on(bus: Bus, table: ServoTable) -> NDArray[np.int64]:
    """Goal := present position for all, torque on, and look whether it worked.

    Returns:
        The positions that are the servos' goals now, (n,) steps.

    Raises:
        StartError: a pose is missing, outside what a goal can be, or a servo did not take its torque;
            torque is off again.
        PortError
    """
    pose = read_pose(bus, table)
    enable = BY_NAME["torque_enable"]
    try:
        pose = _seed(bus, table, pose)
        bus.sync_write(enable.address, 1, [(servo_id, b"\x01") for servo_id in table.ids])
        for index in range(len(table)):
            if _read(bus, table, index, enable) != 1:
                # A SYNC_WRITE is not acknowledged, so one may be lost. This one is.
                _write(bus, table, index, enable, 1)
        moved = np.abs(_wrapped(read_pose(bus, table) - pose))
        moved[table.wheel] = 0
    except (NoReplyError, StartError):
        torque_off(bus, table)
        raise
    if (moved > STILL).any():
        index = int(np.argmax(moved))
        torque_off(bus, table)
        raise StartError(
            f"{table.label(index)} moved by {moved[index]} steps while torque came on; "
            "torque is off again: hold the robot still"
        )
    return pose


def torque_off(bus: Bus, table: ServoTable) -> tuple[str, ...]:
    """Torque off to all by broadcast, then ask everyone, and tell those who still hold by name.

    The caller has stopped the stream of goals: a goal switches torque on by itself.

    Returns:
        Who still holds or could not be asked, one sentence each; empty if all are free.

    Raises:
        PortError: not even the broadcast could be sent.
    """
    enable = BY_NAME["torque_enable"]
    outcome: dict[int, str] = dict.fromkeys(range(len(table)), "")
    for _attempt in range(ATTEMPTS):
        bus.write(BROADCAST_ID, enable.address, b"\x00")
        outcome = {
            index: trouble for index in outcome if (trouble := _still_holds(bus, table, index))
        }
        if not outcome:
            break
    return tuple(outcome.values())


def _still_holds(bus: Bus, table: ServoTable, index: int) -> str:
    """What is wrong with a servo that should be free; empty if it is. Tries to free it."""
    enable, servo_id = BY_NAME["torque_enable"], table.ids[index]
    try:
        if bus.read_register(servo_id, enable) == 0:
            return ""
        bus.write_register(servo_id, enable, 0)
        if bus.read_register(servo_id, enable) == 0:
            return ""
    except NoReplyError:
        return f"{table.label(index)} does not answer"
    return f"{table.label(index)} still holds"


def _go_on(given_up: Callable[[], bool]) -> None:
    if given_up():
        raise StartError("the start was given up: the program was told to end")


def _silent(bus: Bus, table: ServoTable, given_up: Callable[[], bool]) -> list[int]:
    """Servos that answer no PING, asked in turn so that many silent ones take no longer than one."""
    clock = bus.transport.clock
    end = clock.now() + PATIENCE
    silent = list(range(len(table)))
    for attempt in itertools.count(1):
        still_silent = []
        for index in silent:
            _go_on(given_up)
            if not _answers(bus, table.ids[index]):
                still_silent.append(index)
        silent = still_silent
        if not silent or (attempt >= ATTEMPTS and clock.now() >= end):
            break
    return silent


def _answers(bus: Bus, servo_id: int) -> bool:
    try:
        bus.ping(servo_id)
    except NoReplyError:
        return False
    return True


def _inspect_one(bus: Bus, table: ServoTable, index: int) -> ServoInfo:
    servo_id = table.ids[index]
    identity = _patiently(bus, table, index, lambda: bus.read(servo_id, 0, IDENTITY.length))
    values = IDENTITY.decode(identity.data)
    block = CONFIGURATION
    registers = block.decode(
        _patiently(bus, table, index, lambda: bus.read(servo_id, block.address, block.length)).data
    )
    if registers["response_level"] == 0:
        bus.unacknowledged.add(servo_id)
    wanted = MODE_WHEEL if table.wheel[index] else MODE_POSITION
    mode = BY_NAME["operating_mode"]
    if registers["operating_mode"] != wanted:
        _write(bus, table, index, mode, wanted)
        found = _read(bus, table, index, mode)
        if found != wanted:
            raise StartError(
                f"{table.label(index)} stays in {MODE_NAMES.get(found, found)} mode; the servo file "
                f"says {MODE_NAMES[wanted]}: write register 33 with its memory unlocked"
            )
    firmware = f"{values['firmware_major']}.{values['firmware_minor']}"
    return ServoInfo(firmware, values["model_number"], registers)


def _remarks(table: ServoTable, index: int, info: ServoInfo) -> list[str]:
    label, remarks = table.label(index), []
    if info.model != MODEL_STS3215:
        remarks.append(f"{label} is model {info.model}, not an STS3215 ({MODEL_STS3215})")
    wanted = MODE_WHEEL if table.wheel[index] else MODE_POSITION
    mode = info.registers["operating_mode"]
    if mode != wanted:
        remarks.append(
            f"{label} was in {MODE_NAMES.get(mode, mode)} mode and runs in {MODE_NAMES[wanted]} mode "
            "until its next power cycle"
        )
    if info.registers["phase"] & PHASE_MULTI_TURN:
        remarks.append(f"{label} counts turns (phase register bit 4): positions may leave 0..4095")
    if not info.registers["phase"] & PHASE_FINE_SPEED:
        remarks.append(f"{label} takes speeds in units of 50 step/s (phase register bit 2 is 0)")
    return remarks


def _seed(bus: Bus, table: ServoTable, pose: NDArray[np.int64]) -> NDArray[np.int64]:
    """Goal := present, with an acknowledged write to each. On real servos this enables torque, so each
    one's position is read once more right before.

    Returns:
        (n,) steps: `pose`, with the goals of position servos in it.
    """
    goal, speed, present = (BY_NAME[n] for n in ("goal_position", "goal_speed", "present_position"))
    pose = pose.copy()
    for index, servo_id in enumerate(table.ids):
        _write(bus, table, index, BY_NAME["acceleration"], 0)
        if table.wheel[index]:
            _write(bus, table, index, speed, 0)
            continue
        pose[index] = _read(bus, table, index, present)
        try:
            data = goal.encode(int(pose[index]))
        except ValueError as error:
            raise StartError(
                f"{table.label(index)} stands where no goal can be: {error}"
            ) from error
        _patiently_write(bus, table, index, goal.address, data)
        if _read(bus, table, index, goal) != pose[index]:
            raise StartError(f"{table.label(index)} (id {servo_id}) did not keep its goal")
    return pose


def _read(bus: Bus, table: ServoTable, index: int, register: Register) -> int:
    servo_id = table.ids[index]
    reply = _patiently(
        bus, table, index, lambda: bus.read(servo_id, register.address, register.size)
    )
    return register.decode(reply.data)


def _write(bus: Bus, table: ServoTable, index: int, register: Register, value: int) -> None:
    _patiently_write(bus, table, index, register.address, register.encode(value))


def _patiently_write(bus: Bus, table: ServoTable, index: int, address: int, data: bytes) -> None:
    servo_id = table.ids[index]
    _patiently(bus, table, index, lambda: bus.write(servo_id, address, data))


Answer = TypeVar("Answer")


def _patiently(bus: Bus, table: ServoTable, index: int, exchange: Callable[[], Answer]) -> Answer:
    """Repeat an exchange that may suffer from noise."""
    clock = bus.transport.clock
    end = clock.now() + PATIENCE
    for attempt in itertools.count(1):
        try:
            return exchange()
        except NoReplyError as error:
            if attempt >= ATTEMPTS and clock.now() >= end:
                raise StartError(
                    f"{table.label(index)}: {error}; the robot is not started"
                ) from error
    raise AssertionError("unreachable")


def _wrapped(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Difference of positions on the shorter way round."""
    half = STEPS_PER_TURN // 2
    return (steps + half) % STEPS_PER_TURN - half
