"""Restart, backup, recovery, centring and revival of emulated servos."""

from __future__ import annotations

from typing import Any

import pytest

from stride_base.errors import RefusedError
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools import maintenance
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.open_port import make_bus
from sts3215_driver.tools.servo_facts import read_facts
from sts3215_driver.tools.write_register import write_register
from sts3215_driver.transport.memory import MemoryTransport


def bus_of(**setup: Any):
    device = build_bus(Setup(**setup))
    bus = make_bus(MemoryTransport(device), 1_000_000)
    commands = Commands(device)

    def do(command: str) -> Any:
        answer = commands.execute(command, bus.transport.clock.now())
        assert answer["ok"], answer
        return answer["result"]

    return bus, do


def registers(bus):
    return read_facts(bus, 1).registers


def write(bus, name, value):
    return write_register(bus, 1, BY_NAME[name], value)


def test_a_restart_is_waited_for() -> None:
    bus, _ = bus_of()
    assert 0.8 <= maintenance.reboot(bus, 1) < 1.5
    assert registers(bus)["lock"] == 1


def test_a_servo_that_does_not_come_back_is_said() -> None:
    bus, do = bus_of()
    send = bus.command
    bus.command = lambda *arguments: (send(*arguments), do("power 1 off"))[0]
    with pytest.raises(VerifyError, match="does not answer 3 s after"):
        maintenance.reboot(bus, 1)


def test_recovery_brings_the_backup_back_and_says_what_changed() -> None:
    bus, _ = bus_of()
    write(bus, "p_gain", 20)
    maintenance.backup(bus, 1)
    write(bus, "p_gain", 50)
    changes = maintenance.recover(bus, 1)
    assert [str(change) for change in changes] == ["p_gain: 50 -> 20"]


def test_recovery_of_the_rate_sends_the_owner_scanning() -> None:
    bus, _ = bus_of(baud=500_000, settings=["1:baud_code=1"])
    with pytest.raises(VerifyError, match="`stride scan` finds it"):
        maintenance.recover(bus, 1)


@pytest.mark.parametrize("position", [2048, 1024, 4095, 0])
def test_the_present_place_reads_what_is_wanted(position) -> None:
    bus, _ = bus_of(pose="3000")
    maintenance.centre(bus, 1, position)
    assert abs((registers(bus)["present_position"] - position + 2048) % 4096 - 2048) <= 1


def test_old_firmware_can_only_centre_at_2048() -> None:
    bus, _ = bus_of(pose="2900", firmware="version=3.9")
    assert maintenance.centre(bus, 1) == pytest.approx(852, abs=1)
    with pytest.raises(RefusedError, match=r"firmware 3\.9 can only make it 2048"):
        maintenance.centre(bus, 1, 1000)


@pytest.mark.parametrize("position", [-1, 4096])
def test_what_is_no_position(position) -> None:
    with pytest.raises(RefusedError, match="no position"):
        maintenance.centre(bus_of()[0], 1, position)


def test_offsets_are_not_set_outside_position_mode() -> None:
    bus, _ = bus_of(settings=["1:operating_mode=1"])
    with pytest.raises(RefusedError, match="not in position mode"):
        maintenance.centre(bus, 1)


@pytest.mark.parametrize("action", ["reboot", "recover", "clear_turns", "centre"])
def test_a_servo_that_holds_is_left_alone(action) -> None:
    bus, _ = bus_of()
    write(bus, "torque_enable", 1)
    with pytest.raises(RefusedError, match="torque of servo 1 is on"):
        getattr(maintenance, action)(bus, 1)
    assert registers(bus)["torque_enable"] == 1


def test_turns_are_cleared() -> None:
    bus, do = bus_of(settings=["1:phase=28"])
    do("turn 1 9000")
    assert 0 <= maintenance.clear_turns(bus, 1) < 4096


def test_an_overloaded_servo_is_revived_where_it_stands() -> None:
    """Field report: gripper overloads, from then on every call fails until power cycle."""
    bus, do = bus_of(pose="2048", firmware="overload=latched")
    do("alarm 1 overload")
    write(bus, "torque_limit", 200)
    write(bus, "torque_enable", 1)
    assert read_facts(bus, 1).flags == 0x20
    do("alarm 1 none")
    place = maintenance.revive(bus, 1)
    values = registers(bus)
    assert place == values["goal_position"] == pytest.approx(2048, abs=2)
    assert (values["torque_enable"], values["torque_limit"]) == (1, 1000)
