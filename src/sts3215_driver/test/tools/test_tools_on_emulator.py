"""The tools on emulated servos, which know more of the real ones than the bench of these tests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from stride_base.errors import RefusedError
from sts3215_driver import servo_table
from sts3215_driver.cli.dump import dump
from sts3215_driver.cli.monitor import cells
from sts3215_driver.cli.options import ids_on
from sts3215_driver.clock import VirtualClock
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools import dump_file, open_port, restore
from sts3215_driver.tools.calibration import measure_zero, recentre
from sts3215_driver.tools.monitor import Monitor
from sts3215_driver.tools.open_port import make_bus
from sts3215_driver.tools.scan import scan
from sts3215_driver.tools.scan_remarks import servo_remarks
from sts3215_driver.tools.servo_facts import read_facts
from sts3215_driver.tools.set_baud import set_baud
from sts3215_driver.tools.set_id import set_id
from sts3215_driver.tools.write_register import write_register
from sts3215_driver.transport.memory import MemoryTransport


class Line:
    """Emulated servos behind a port that can be opened at any rate."""

    def __init__(self, *ids: int, **setup: Any) -> None:
        self.device = build_bus(Setup(joints=[Joint(each) for each in ids], **setup))
        self.clock = VirtualClock()
        self._commands = Commands(self.device)

    def open(self, baud: int = 1_000_000) -> MemoryTransport:
        self.device.baud = baud
        return MemoryTransport(self.device, self.clock)

    def bus(self, baud: int = 1_000_000):
        return make_bus(self.open(baud), baud)

    def do(self, command: str) -> Any:
        answer = self._commands.execute(command, self.clock.now())
        assert answer["ok"], answer
        return answer["result"]

    def power_cycle(self) -> None:
        self.do("power all off")
        self.do("power all on")
        self.clock.sleep_until(self.clock.now() + 2.0)


@pytest.mark.parametrize("ack", ["old", "new"])
@pytest.mark.parametrize("locked_writes", ["volatile", "dropped"])
def test_an_id_survives_the_power_cycle(ack, locked_writes) -> None:
    line = Line(1, 2, firmware=f"id_ack={ack},locked_writes={locked_writes}")
    set_id(line.bus(), 1, 7)
    line.power_cycle()
    facts = read_facts(line.bus(), 7)
    assert facts.registers["id"] == 7 and facts.registers["lock"] == 1
    with pytest.raises(RefusedError, match="id 7 is taken"):
        set_id(line.bus(), 2, 7)


def test_a_rate_survives_the_power_cycle() -> None:
    line = Line(1)
    set_baud(line.bus, 1, 1_000_000, 115_200)
    line.power_cycle()
    assert [(found.id, found.baud) for found in scan(line.open).servos] == [(1, 115_200)]


def test_servos_with_one_id_collide_and_are_found() -> None:
    line = Line(1, 1, 4)
    found = {servo.id: servo for servo in scan(line.open, [1_000_000]).servos}
    assert set(found) == {1, 4}
    assert any("two servos with one id" in remark for remark in servo_remarks(found[1]))
    assert servo_remarks(found[4]) == []
    with pytest.raises(RefusedError, match="looks like two servos"):
        set_id(line.bus(), 1, 9)


def test_servos_with_one_id_are_neither_left_out_of_a_dump_nor_mixed_in_it(monkeypatch) -> None:
    line = Line(1, 3, 3, 4)
    monkeypatch.setattr(open_port, "SerialTransport", lambda _port, baud: line.open(baud))
    result = CliRunner(mix_stderr=False).invoke(dump, ["--port", "fake"])
    assert isinstance(result.exception, RefusedError)
    assert "servo 3 looks like two servos with one id" in str(result.exception)
    assert [servo["id"] for servo in json.loads(result.stdout)["servos"]] == [1, 4]


def test_a_dump_of_nothing_but_servos_with_one_id_writes_no_file(monkeypatch, tmp_path) -> None:
    line = Line(3, 3)
    monkeypatch.setattr(open_port, "SerialTransport", lambda _port, baud: line.open(baud))
    file = tmp_path / "dump.json"
    result = CliRunner().invoke(dump, ["3", "--port", "fake", "-o", str(file)])
    assert isinstance(result.exception, RefusedError) and not file.exists()


@pytest.mark.parametrize("ids", [(1, 3, 3, 4), (3, 3)])
def test_the_monitor_shows_servos_with_one_id_as_such(ids) -> None:
    line = Line(*ids)
    bus = line.bus()
    watch = Monitor(bus, ids_on(bus, None))
    for _ in range(5):
        rows = watch.poll()
    assert [row.id for row in rows] == sorted(set(ids))
    assert [row.id for row in rows if row.colliding] == [3]
    assert cells(rows[-1 if len(rows) == 1 else 1])[1] == "two with one id"


def test_a_silent_servo_is_not_said_to_be_two() -> None:
    line = Line(1, 2)
    watch = Monitor(line.bus(), [1, 2, 5])
    line.do("power 2 off")
    for _ in range(8):
        rows = watch.poll()
    assert not any(row.colliding for row in rows)


@pytest.mark.parametrize(
    "fault",
    [
        "echo:",
        "noise:length=2",
        "corrupt:probability=0.03",
        "drop:probability=0.03",
        "delay:time=0.016",
        "wrong_id:probability=0.03",
    ],
)
def test_a_bad_line_hides_and_invents_no_servo(fault) -> None:
    line = Line(1, 30, 253, faults=[fault], seed=3)
    result = scan(line.open, [1_000_000])
    assert [servo.id for servo in result.servos] == [1, 30, 253]
    assert not any(servo.examination.looks_double for servo in result.servos)


def test_torque_on_does_not_move_a_servo_after_power_on() -> None:
    line = Line(1, pose="3000")
    write_register(line.bus(), 1, BY_NAME["torque_enable"], 1)
    line.clock.sleep_until(line.clock.now() + 1.0)
    assert read_facts(line.bus(), 1).registers["present_position"] == pytest.approx(3000, abs=2)


def test_settings_come_back_from_a_dump() -> None:
    line = Line(1, settings=["1:p_gain=20,max_angle_limit=3000,position_offset=-90"])
    document = dump_file.to_document(dump_file.dump(line.bus(), [1]))
    (saved,) = dump_file.parse(document, "dump")
    fresh = Line(1)
    bus = fresh.bus()
    restore.apply(bus, restore.plan(saved, read_facts(bus, 1)))
    fresh.power_cycle()
    registers = read_facts(fresh.bus(), 1).registers
    names = ("p_gain", "max_angle_limit", "position_offset", "lock")
    assert [registers[name] for name in names] == [20, 3000, -90, 1]


def test_a_joint_at_the_seam_is_recentred_and_calibrated() -> None:
    line = Line(1, pose="10")
    entry = {"id": 1, "name": "hip", "mode": "position", "sign": 1, "zero": 2048}
    table = servo_table.parse({"servos": [entry | {"min": -1, "max": 1}]}, "robot.json")
    bus = line.bus()
    with pytest.raises(RefusedError, match="reads step 10 in the straight pose"):
        measure_zero(bus, table, [0])
    recentre(bus, table, [0])
    assert measure_zero(bus, table, [0]).tolist() == [pytest.approx(2048, abs=1)]
    line.power_cycle()
    assert measure_zero(line.bus(), table, [0]).tolist() == [pytest.approx(2048, abs=1)]
