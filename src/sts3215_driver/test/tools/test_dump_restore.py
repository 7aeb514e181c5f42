"""Saving settings and bringing them back: known registers, differences only, verified."""

from __future__ import annotations

import json

import pytest

from stride_base.errors import ConfigError, RefusedError
from stride_base.strict_json import FileError
from sts3215_driver.protocol.registers import REGISTERS, Storage
from sts3215_driver.tools import dump_file, restore
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.servo_facts import read_facts


def saved_from(table, *ids, tmp_path):
    path = tmp_path / "servos.json"
    dump_file.save(path, dump_file.dump(table.bus(), ids))
    return path, dump_file.load(path)


def bring_back(table, saved, servo_id=1, force=False):
    bus = table.bus()
    plan = restore.plan(saved, read_facts(bus, servo_id), force)
    restore.apply(bus, plan)
    return plan


def test_a_dump_holds_every_known_register_once(bench, servo, tmp_path) -> None:
    path, saved = saved_from(bench(servo(1, p_gain=20), 2), 1, 2, tmp_path=tmp_path)
    document = json.loads(path.read_text())
    first = document["servos"][0]
    names = [name for part in ("settings", "factory", "state", "measured") for name in first[part]]
    assert sorted(names) == sorted(register.name for register in REGISTERS)
    assert first["settings"]["p_gain"] == 20
    assert [entry.id for entry in saved] == [1, 2]


def test_dumping_writes_nothing(bench, servo, tmp_path) -> None:
    subject = servo(1)
    saved_from(bench(subject), 1, tmp_path=tmp_path)
    assert subject.written == []


def test_a_missing_servo_makes_no_incomplete_file(bench, tmp_path) -> None:
    with pytest.raises(Exception, match="servo 2 did not answer"):
        saved_from(bench(1), 1, 2, tmp_path=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(bench, tmp_path) -> None:
    with pytest.raises(FileError, match=r"servos.json: cannot be written: No such file"):
        saved_from(bench(1), 1, tmp_path=tmp_path / "nowhere")


def test_only_differences_are_written_and_the_memory_is_locked(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(bench(servo(1, p_gain=20, min_angle_limit=-50)), 1, tmp_path=tmp_path)
    subject = servo(1, max_temperature=60)
    plan = bring_back(bench(subject), saved)
    names = [change.register.name for change in plan.changes]
    assert names == ["min_angle_limit", "max_temperature", "p_gain"]
    assert [address for address, _ in subject.written] == [55, 9, 13, 21, 55]
    assert subject.kept("p_gain") == 20 and subject.get("lock") == 1


def test_a_second_restore_writes_nothing(bench, servo, tmp_path) -> None:
    table = bench(servo(1, p_gain=20))
    _, (saved,) = saved_from(table, 1, tmp_path=tmp_path)
    bring_back(table, saved)
    assert table.servos[0].written == []


def test_reserved_registers_are_never_written(bench, servo, tmp_path) -> None:
    """Field report: 8 servos show 0.0 V after a template was loaded."""
    other = dict.fromkeys(("p_gain", "d_gain", "max_voltage", "phase", "led_alarm"), 1)
    _, (saved,) = saved_from(bench(servo(1, **other)), 1, tmp_path=tmp_path)
    subject = servo(1)
    bring_back(bench(subject), saved)
    settings = {
        place
        for register in REGISTERS
        if register.storage is Storage.EEPROM
        for place in range(register.address, register.address + register.size)
    }
    touched = {a + i for a, data in subject.written for i in range(len(data))}
    assert touched <= settings | {55}
    assert touched & set(range(56, 87)) == set()


def test_id_and_rate_are_compared_and_left_alone(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(bench(servo(5)), 5, tmp_path=tmp_path)
    subject = servo(1)
    plan = bring_back(bench(subject), saved)
    assert [str(change) for change in plan.identity] == ["id: 1 -> 5"]
    assert subject.get("id") == 1


def test_id_and_rate_come_back_when_asked(bench, servo, tmp_path) -> None:
    """A new servo takes the place of one that was saved."""
    table = bench(servo(5, baud_code=1, p_gain=20))
    path = tmp_path / "servos.json"
    dump_file.save(path, dump_file.dump(table.bus(500_000), [5]))
    (saved,) = dump_file.load(path)
    subject = servo(1)
    fresh = bench(subject)
    plan = bring_back(fresh, saved)
    restore.apply_identity(fresh.bus, plan, 1_000_000)
    assert [subject.kept(name) for name in ("id", "baud_code", "p_gain")] == [5, 1, 20]
    assert subject.get("lock") == 1


def test_names_that_are_no_settings_are_skipped_and_said(bench, servo, tmp_path) -> None:
    path, _ = saved_from(bench(1), 1, tmp_path=tmp_path)
    document = json.loads(path.read_text())
    document["servos"][0]["settings"] |= {"nonsense": 4, "present_voltage": 0, "goal_position": 3}
    (saved,) = dump_file.parse(document, path)
    subject = servo(1)
    plan = bring_back(bench(subject), saved)
    assert len(plan.skipped) == 3 and "nonsense is no setting" in plan.skipped[0]
    assert subject.written == []


def test_a_value_out_of_range_is_skipped_and_said(bench, servo, tmp_path) -> None:
    path, _ = saved_from(bench(1), 1, tmp_path=tmp_path)
    document = json.loads(path.read_text())
    document["servos"][0]["settings"]["max_temperature"] = 180
    (saved,) = dump_file.parse(document, path)
    subject = servo(1)
    plan = bring_back(bench(subject), saved)
    assert plan.skipped == ("max_temperature = 180 degC: it is outside of 0 to 100",)


def test_what_another_firmware_understands_differently_is_left_alone(
    bench, servo, tmp_path
) -> None:
    newer = servo(1, integral_limit=10, angular_resolution=64, p_gain=20)
    _, (saved,) = saved_from(bench(newer), 1, tmp_path=tmp_path)
    subject = servo(1, firmware_minor=7)
    plan = bring_back(bench(subject), saved)
    assert [change.register.name for change in plan.changes] == ["p_gain"]
    assert [line.split(" =")[0] for line in plan.skipped] == [
        "integral_limit", "angular_resolution",
    ]  # fmt: skip


def test_firmware_of_one_generation_restores_both_bytes_of_its_start_force(
    bench, servo, tmp_path
) -> None:
    old = servo(1, firmware_minor=7, min_start_force=200, integral_limit=1)
    _, (saved,) = saved_from(bench(old), 1, tmp_path=tmp_path)
    subject = servo(1, firmware_minor=6)
    bring_back(bench(subject), saved)
    assert bytes(subject.memory[24:26]) == (456).to_bytes(2, "little")


def test_an_offset_is_written_in_the_coding_of_the_target(bench, servo, tmp_path) -> None:
    newer = servo(1)
    newer.memory[31:33] = (4096 + 66).to_bytes(2, "little")
    _, (saved,) = saved_from(bench(newer), 1, tmp_path=tmp_path)
    assert saved.settings["position_offset"] == 2114
    subject = servo(1, firmware_minor=9)
    bring_back(bench(subject), saved)
    assert int.from_bytes(subject.memory[31:33], "little") == 0x0800 | 1982


def test_another_model_is_refused(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(bench(servo(1, model_number=2825)), 1, tmp_path=tmp_path)
    subject = servo(1)
    with pytest.raises(RefusedError, match="model 777, the saved one model 2825"):
        bring_back(bench(subject), saved)
    assert subject.written == []


def test_with_torque_on_nothing_leaps(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(bench(servo(1, position_offset=50)), 1, tmp_path=tmp_path)
    subject = servo(1)
    subject.goes_to_goal = False
    subject.set("torque_enable", 1)
    with pytest.raises(RefusedError, match="position_offset would let the joint leap"):
        bring_back(bench(subject), saved)
    assert subject.written == []


def test_a_value_that_does_not_hold_is_named(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(bench(servo(1, p_gain=20)), 1, tmp_path=tmp_path)
    subject = servo(1)
    table = bench(subject)
    table.on_request = lambda request: subject.set("p_gain", 32)
    with pytest.raises(VerifyError, match="p_gain"):
        bring_back(table, saved)
    assert subject.get("lock") == 1


def test_a_change_of_mode_does_not_hide_other_changes(bench, servo, tmp_path) -> None:
    _, (saved,) = saved_from(
        bench(servo(1, operating_mode=1, response_level=0, speed_p_gain=30)), 1, tmp_path=tmp_path
    )
    subject = servo(1)
    bring_back(bench(subject), saved)
    kept = [subject.kept(n) for n in ("operating_mode", "response_level", "speed_p_gain")]
    assert kept == [1, 0, 30] and subject.get("lock") == 1


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kind", "something", "sts3215 registers"),
        ("format", 2, "format 1"),
        ("servos", 3, "a list of servos"),
    ],
)
def test_another_kind_of_file_is_refused(bench, tmp_path, field, value, expected) -> None:
    path, _ = saved_from(bench(1), 1, tmp_path=tmp_path)
    document = json.loads(path.read_text()) | {field: value}
    with pytest.raises(ConfigError, match=expected):
        dump_file.parse(document, path)


def test_a_value_that_is_no_integer_is_named(bench, tmp_path) -> None:
    path, _ = saved_from(bench(1), 1, tmp_path=tmp_path)
    document = json.loads(path.read_text())
    document["servos"][0]["settings"]["p_gain"] = 1.5
    with pytest.raises(
        ConfigError, match=r"servo 1: settings: 'p_gain' is 1\.5; expected a signed"
    ):
        dump_file.parse(document, path)


def test_one_id_twice_is_refused(bench, tmp_path) -> None:
    path, _ = saved_from(bench(1), 1, tmp_path=tmp_path)
    document = json.loads(path.read_text())
    document["servos"] *= 2
    with pytest.raises(ConfigError, match="no other servo has"):
        dump_file.parse(document, path)
