"""Every byte example of test/data/sts3215.json, through the bus and over an in-memory port."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sts3215_driver.bus import Bus
from sts3215_driver.errors import BadReplyError, NoReplyError
from sts3215_driver.protocol import units
from sts3215_driver.protocol.encoding import decode_extended_offset
from sts3215_driver.protocol.flags import flag_names
from sts3215_driver.protocol.packets import StatusPacket
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME, Block
from sts3215_driver.transport.memory import MemoryTransport

DATA = json.loads((Path(__file__).parents[3] / "test" / "data" / "sts3215.json").read_text())
VECTORS = {vector["id"]: vector for vector in DATA["vectors"]}


class ScriptedDevice:
    """Answers any request with given frames, 100 us apart, and keeps what was sent."""

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = frames
        self._pending: list[tuple[float, bytes]] = []
        self.sent = b""

    def receive(self, data: bytes, now: float) -> None:
        self.sent += data
        self._pending = [(now + 1e-4 * (i + 1), frame) for i, frame in enumerate(self._frames)]

    def transmit(self, until: float) -> tuple[float, bytes] | None:
        if self._pending and self._pending[0][0] <= until:
            return self._pending.pop(0)
        return None


def run(vector: dict[str, Any]) -> tuple[Bus, Any, bytes]:
    """Carry out a vector's operation; returns the bus, the result or error, and what was sent."""
    reply, op = vector["reply"], vector["op"]
    texts = [reply] if isinstance(reply, str) else reply
    device = ScriptedDevice([bytes.fromhex(text) for text in texts if text])
    bus = Bus(MemoryTransport(device))
    if op.get("response_level") == 0:
        bus.unacknowledged.add(op["id"])
    data = bytes.fromhex(op.get("data", ""))
    items = [(int(k), bytes.fromhex(v)) for k, v in op.get("items", {}).items()]
    operations: dict[str, Callable[[], Any]] = {
        "ping": lambda: bus.ping(op["id"]),
        "broadcast_ping": bus.broadcast_ping,
        "read": lambda: bus.read(op["id"], op["addr"], op["len"]),
        "write": lambda: bus.write(op["id"], op["addr"], data),
        "reg_write": lambda: bus.reg_write(op["id"], op["addr"], data),
        "action": lambda: bus.action(op["id"]),
        "sync_write": lambda: bus.sync_write(op["addr"], op["len"], items),
        "sync_read": lambda: bus.sync_read(op["addr"], op["len"], op["ids"]),
        "raw": lambda: bus.command(op["id"], op["inst"], bytes.fromhex(op.get("params", ""))),
    }
    try:
        return bus, operations[op["f"]](), device.sent
    except NoReplyError as error:
        return bus, error, device.sent


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_request_is_right_to_the_byte(name: str) -> None:
    vector = VECTORS[name]
    _, _, sent = run(vector)
    assert sent == bytes.fromhex(vector["request"])


def value_checks(op: dict[str, Any], result: StatusPacket) -> dict[str, Callable[[], object]]:
    """How to compute each expectation that a vector may hold of a single reply."""
    values = Block(op.get("addr", 0), len(result.data)).decode(result.data) if "addr" in op else {}
    sign = values.get
    return {
        "id": lambda: result.id,
        "error": lambda: int(result.flags),
        "flags": lambda: flag_names(result.flags),
        "data": lambda: result.data.hex(" "),
        "raw": lambda: int.from_bytes(result.data, "little"),
        "short": lambda: len(result.data) < op["len"],
        "present_position": lambda: sign("present_position"),
        "present_speed_steps_s": lambda: sign("present_speed"),
        "rad_s": lambda: pytest.approx(units.rad_s_from_steps_s(values["present_speed"]), abs=1e-6),
        "present_load": lambda: sign("present_load"),
        "load_frac": lambda: values["present_load"] * units.LOAD_PER_COUNT,
        "present_current_raw": lambda: sign("present_current"),
        "current_mA": lambda: pytest.approx(
            values["present_current"] * units.AMPERE_PER_COUNT * 1e3
        ),
        "voltage_V": lambda: pytest.approx(values["present_voltage"] * units.VOLT_PER_COUNT),
        "temperature_C": lambda: sign("present_temperature"),
        "async_flag": lambda: sign("async_write_flag"),
        "status": lambda: sign("servo_status"),
        "moving": lambda: sign("moving"),
        "homing_offset_raw": lambda: int.from_bytes(result.data, "little"),
        "homing_offset_ext": lambda: decode_extended_offset(int.from_bytes(result.data, "little")),
        "model": lambda: sign("model_number"),
        "fw": lambda: f"{values['firmware_major']}.{values['firmware_minor']}",
        "end": lambda: sign("byte_order"),
    }


#: What a vector says of the request's data, computed from the bytes that were sent.
SENT_CHECKS: dict[str, Callable[[dict[str, int], bytes], object]] = {
    "acc": lambda values, _: values["acceleration"],
    "goal": lambda values, _: values["goal_position"],
    "steps": lambda values, _: values["goal_position"],
    "speed": lambda values, _: values["goal_speed"],
    "pwm": lambda values, _: values["goal_pwm"],
    "min": lambda values, _: values["min_angle_limit"],
    "max": lambda values, _: values["max_angle_limit"],
    "lock": lambda values, _: values["lock"],
    "mode": lambda values, _: values["operating_mode"],
    "torque": lambda values, _: values["torque_enable"],
    "torque_limit": lambda values, _: values["torque_limit"] / 1000,
    "baud": lambda values, _: BAUD_RATES[values["baud_code"]],
    "calibrate": lambda _, data: {128: 2048}[data[0]],
}


SINGLE = [
    name
    for name, vector in sorted(VECTORS.items())
    if vector["op"]["f"] not in ("sync_read", "broadcast_ping") and "endian" not in vector["op"]
]


@pytest.mark.parametrize("name", SINGLE)
def test_reply_means_what_the_vector_says(name: str) -> None:
    vector = VECTORS[name]
    bus, result, _ = run(vector)
    op, expect = vector["op"], dict(vector["expect"])
    counts = bus.counts.scan
    if expect.pop("reply_expected", True) is False:
        assert result is None
        return
    if expect.pop("timeout", False):
        assert isinstance(result, NoReplyError)
    if expect.pop("checksum_error", False):
        assert isinstance(result, BadReplyError) and counts.bad_checksum == 1
    if expect.pop("wrong_id", False):
        assert isinstance(result, NoReplyError) and counts.wrong_id == 1
    if (value := expect.pop("value_or_timeout", None)) is not None:
        assert BY_NAME["present_position"].decode(result.data) == value
    if not expect:
        return
    assert isinstance(result, StatusPacket)
    checks = value_checks(op, result)
    sent = bytes.fromhex(op.get("data", ""))
    sent_values = Block(op.get("addr", 0), len(sent)).decode(sent)
    for key, wanted in expect.items():
        found = checks[key]() if key in checks else SENT_CHECKS[key](sent_values, sent)
        assert found == wanted, key


@pytest.mark.parametrize("name", ["V08", "V67", "V69", "V74"])
def test_sync_read_gives_each_servo_its_own_outcome(name: str) -> None:
    vector = VECTORS[name]
    _, readings, _ = run(vector)
    block = Block(vector["op"]["addr"], vector["op"]["len"])
    assert [reading.id for reading in readings] == vector["op"]["ids"]
    for reading in readings:
        wanted = vector["expect"][str(reading.id)]
        if wanted is None:
            assert reading.packet is None
            continue
        values = block.decode(reading.packet.data)
        if isinstance(wanted, int):
            assert values["present_position"] == wanted
        else:
            assert values["present_position"] == wanted["present_position"]
            assert values["present_voltage"] / 10 == wanted["voltage_V"]
            assert values["present_temperature"] == wanted["temperature_C"]
            assert reading.packet.flags == wanted["error"]


def test_broadcast_ping_finds_everyone_with_alarms() -> None:
    _, found, _ = run(VECTORS["V75"])
    expect = VECTORS["V75"]["expect"]["ids"]
    assert {str(servo_id): int(reply.flags) for servo_id, reply in found.items()} == expect


def test_big_endian_servos_of_the_scs_series_are_recognised_by_register_2() -> None:
    _, result, _ = run(VECTORS["V79"])
    assert int.from_bytes(result.data, "big") == VECTORS["V79"]["expect"]["present_position"]


@pytest.mark.parametrize("unit", DATA["units"], ids=lambda unit: next(iter(unit)))
def test_units(unit: dict[str, float]) -> None:
    if "ticks" in unit:
        zero, sign = int(unit["zero"]), int(unit["sign"])
        assert units.steps_from_rad(unit["rad"], zero, sign) == unit["ticks"]
    elif "steps_s" in unit:
        assert units.steps_s_from_rad_s(unit["rad_s"]) == unit["steps_s"]
    elif "rpm_per_step_s" in unit:
        assert unit["rpm_per_step_s"] == units.RPM_PER_STEP_S
    elif "load_raw" in unit:
        load = unit["load_raw"] * units.LOAD_PER_COUNT
        assert load / unit["load_full_scale"] == pytest.approx(unit["N"])
    else:
        steps = unit["acc_reg"] * units.STEPS_S2_PER_ACCELERATION
        assert steps == unit["steps_s2"]
        assert steps * units.RAD_PER_STEP == pytest.approx(unit["rad_s2"], abs=1e-4)
