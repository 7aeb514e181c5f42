"""The commands: what they print, what they refuse, and that each ends with the port closed."""

from __future__ import annotations

import json
from inspect import signature

import pytest
from click.testing import CliRunner

from stride_base import progress_display
from sts3215_driver import servo_table
from sts3215_driver.cli import options
from sts3215_driver.cli.calibrate import calibrate
from sts3215_driver.cli.dump import dump
from sts3215_driver.cli.find_port import find_port
from sts3215_driver.cli.monitor import monitor
from sts3215_driver.cli.read import read
from sts3215_driver.cli.restore import restore
from sts3215_driver.cli.scan import scan
from sts3215_driver.cli.set_baud import set_baud
from sts3215_driver.cli.set_id import set_id
from sts3215_driver.cli.write import write
from sts3215_driver.errors import PortError
from sts3215_driver.protocol.registers import REGISTERS
from sts3215_driver.tools import open_port

# From click 8.2 on the two outputs are always apart.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


@pytest.fixture
def run(monkeypatch):
    """Run a command on a bench behind the port `fake`."""

    def run(table, command, *words, typed=None):
        opened = []

        def transport(port, baud):
            if port != "fake":
                raise PortError(f"port {port} cannot be opened")
            opened.append(table.open(baud))
            return opened[-1]

        monkeypatch.setattr(open_port, "SerialTransport", transport)
        if command is not find_port:
            words = (*words, "--port", "fake")
        result = CliRunner(**APART).invoke(command, [str(word) for word in words], input=typed)
        assert all(not each._open for each in opened)
        return result

    return run


def test_scan_shows_servos_and_what_is_odd(bench, servo, run) -> None:
    one, other = servo(1), servo(1)
    other.raw = 5
    table = bench(servo(3, max_voltage=80), one, other)
    result = run(table, scan, "--baud", 1_000_000)
    assert result.exit_code == 0
    assert "3.10" in result.output and "12.1 V" in result.output
    assert "servo 1: looks like two servos with one id" in result.output
    assert "servo 3: has 12.1 V, more than its limit of 8.0 V" in result.output


def test_scan_without_servos_gives_hints_in_order_and_fails(bench, run) -> None:
    table = bench()
    table.refused = {128_000}
    result = run(table, scan)
    assert result.exit_code == 1
    words = ["supply", "cable", "jumper", "baud rate", "UART instead of USB", "ESP32"]
    places = [result.output.index(f"{number}. {word}") for number, word in enumerate(words, 1)]
    assert places == sorted(places)
    assert "128000 bit/s was skipped" in result.output


@pytest.fixture
def impatient(monkeypatch):
    """Progress is shown at once and all the time."""
    monkeypatch.setattr(progress_display, "DELAY", 0.0)
    monkeypatch.setattr(progress_display, "DRAW_PERIOD", 0.001)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (scan, ("--baud", 1_000_000)),
        (dump, ("1,2",)),
        (read, ("1-2", "all", "--json")),
        (write, ("1-2", "max_voltage", 130)),
        (set_id, (1, 7)),
        (set_baud, (1, 500_000)),
        (find_port, ("1,2", "fake")),
    ],
)
def test_results_are_the_same_with_and_without_progress(bench, servo, run, command, words) -> None:
    seen = run(bench(servo(1), servo(2)), command, *words)
    quiet = run(bench(servo(1), servo(2)), command, *words, "--quiet")
    assert seen.exit_code == quiet.exit_code == 0, seen.output
    assert seen.stdout == quiet.stdout != ""
    assert quiet.stderr == ""


def test_set_id(bench, servo, run) -> None:
    subject = servo(1)
    result = run(bench(subject), set_id, 1, 7)
    assert "servo 1 is servo 7 now: verified, locked" in result.output
    assert subject.kept("id") == 7


def test_set_baud(bench, servo, run) -> None:
    subject = servo(1)
    result = run(bench(subject), set_baud, 1, 500_000)
    assert "servo 1 is at 500000 bit/s now" in result.output
    assert subject.kept("baud_code") == 1


def test_read_by_name_and_as_json(bench, servo, run) -> None:
    table = bench(servo(1, present_voltage=74), 2)
    result = run(table, read, "1,2", "present_voltage", "56")
    assert "7.4 V" in result.output and "present_position" in result.output
    result = run(table, read, "1-2", "all", "--json")
    values = json.loads(result.output)
    assert values["1"]["present_voltage"] == 74
    assert len(values["2"]) == len(REGISTERS)


def test_read_names_alarms_and_reads_all_the_same(bench, servo, run) -> None:
    """Field report: gripper overloads, from then on every call fails."""
    subject = servo(1)
    subject.memory[65] = 0x20
    result = run(bench(subject), read, 1, "present_position")
    assert "2048 step" in result.output
    assert "servo 1: alarm overload" in result.output


def test_every_servo_is_tried_and_who_failed_is_named(bench, servo, run) -> None:
    """Field report: torque-off of the arm leaves five servos powered."""
    servos = [servo(i) for i in (1, 2, 4)]
    for each in servos:
        each.goes_to_goal = False
        each.set("torque_enable", 1)
    result = run(bench(*servos), write, "1-4", "torque_enable", 0)
    assert [each.get("torque_enable") for each in servos] == [0, 0, 0]
    assert str(result.exception) == "servo 3 did not answer"


def test_negative_numbers_are_values_and_no_options(bench, servo, run) -> None:
    subject = servo(1)
    result = run(bench(subject), write, 1, "min_angle_limit", -100)
    assert "0 step (0.00 deg) -> -100 step (-8.79 deg)" in result.output
    assert subject.kept("min_angle_limit") == -100


def test_an_equal_value_is_said_to_stay(bench, run) -> None:
    result = run(bench(1), write, 1, "p_gain", 32)
    assert "p_gain stays 32" in result.output


def test_dump_and_restore(bench, servo, run, tmp_path) -> None:
    file = tmp_path / "servos.json"
    result = run(bench(servo(1, p_gain=20), 2), dump, "-o", file)
    assert "2 servos saved" in result.output and result.output.strip().endswith(": 1, 2")
    fresh = [servo(1), servo(2)]
    table = bench(*fresh)
    result = run(table, restore, file, "--dry-run")
    assert "p_gain: 32 -> 20" in result.output and "servo 2: nothing differs" in result.output
    assert fresh[0].written == []
    run(table, restore, file, "1")
    assert fresh[0].kept("p_gain") == 20 and fresh[1].written == []


def test_dump_prints_without_a_file(bench, run) -> None:
    result = run(bench(1), dump, "1")
    assert json.loads(result.output)["servos"][0]["settings"]["max_voltage"] == 140


def test_restore_onto_a_new_servo_with_its_id(bench, servo, run, tmp_path) -> None:
    file = tmp_path / "servos.json"
    run(bench(servo(5, p_gain=20)), dump, "5", "-o", file)
    subject = servo(1)
    result = run(bench(subject), restore, file, "5", "--onto", 1)
    assert "id: 1 -> 5  (only with --identity)" in result.output
    assert (subject.get("id"), subject.kept("p_gain")) == (1, 20)
    run(bench(subject), restore, file, "5", "--onto", 1, "--identity")
    assert subject.kept("id") == 5


def test_restore_tries_every_servo(bench, servo, run, tmp_path) -> None:
    file = tmp_path / "servos.json"
    run(bench(1, servo(2, p_gain=20)), dump, "-o", file)
    subject = servo(2)
    result = run(bench(subject), restore, file)
    assert subject.kept("p_gain") == 20
    assert str(result.exception) == "servo 1 did not answer"


@pytest.mark.parametrize(
    ("words", "reason"), [(("9",), "no servo 9"), (("--onto", "3"), "exactly one id")]
)
def test_restore_of_what_is_not_there(bench, run, tmp_path, words, reason) -> None:
    file = tmp_path / "servos.json"
    run(bench(1, 2), dump, "-o", file)
    assert reason in str(run(bench(1, 2), restore, file, *words).exception)


def test_monitor_shows_and_writes_nothing(bench, servo, run) -> None:
    subject = servo(1)
    result = run(bench(subject), monitor, "1,2", "--count", 3)
    assert "2048 step" in result.output and "missing" in result.output and "never" in result.output
    assert subject.written == []


def test_monitor_finds_the_servos_by_itself(bench, run) -> None:
    result = run(bench(4, 9), monitor, "--count", 1)
    assert " 4 " in result.output and " 9 " in result.output


def test_commands_without_anybody_say_where_to_look(bench, run) -> None:
    assert "`stride scan`" in str(run(bench(), monitor, "--count", 1).exception)


def test_find_port(bench, run) -> None:
    result = run(bench(1, 2), find_port, "1,2", "other", "fake")
    assert result.output == "fake\n"
    assert "without 3" in str(run(bench(1, 2), find_port, "1,3", "fake").exception)


FILE = """{"servos": [
  {"id": 1, "name": "hip", "mode": "position", "sign": 1, "zero": 2048, "min": -0.90, "max": 0.9},
  {"id": 2, "name": "knee", "mode": "position", "sign": -1, "zero": 2048, "min": -1, "max": 1},
  {"id": 3, "name": "wheel", "mode": "wheel", "sign": 1}
]}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "control.json"
    path.write_text(FILE)
    return path


def test_calibrate_writes_only_the_zeros(bench, servo, run, file) -> None:
    hip, knee = servo(1), servo(2)
    hip.raw, knee.raw, knee.goes_to_goal = 2000, 2100, False
    knee.set("torque_enable", 1)
    result = run(bench(hip, knee), calibrate, "--servo-file", file, typed="\n\ny\n")
    assert result.exit_code == 0, result.output
    assert "goes limp" in result.output and "straight pose" in result.output
    assert "-4.2" in result.output and "+4.6" in result.output
    assert knee.get("torque_enable") == 0
    expected = FILE.replace('"zero": 2048', '"zero": 2000', 1)
    assert file.read_text() == expected.replace('"zero": 2048', '"zero": 2100')


def test_calibrate_takes_the_folder_of_a_robot_and_some_joints(bench, servo, run, file) -> None:
    knee = servo(2)
    knee.raw = 2100
    result = run(bench(knee), calibrate, "--robot", file.parent, "knee", "--yes")
    assert result.exit_code == 0, result.output
    assert servo_table.load(file).zero.tolist() == [2048, 2100, 0]


@pytest.mark.parametrize("typed", ["", "\n\n", "\n\nn\n", "\n\n\n"])
def test_nothing_is_written_unless_somebody_agrees(bench, servo, run, file, typed) -> None:
    hip = servo(1)
    hip.raw = 2000
    result = run(bench(hip), calibrate, "--servo-file", file, "hip", typed=typed)
    assert result.exit_code != 0
    assert file.read_text() == FILE


def test_calibrate_refuses_while_somebody_holds(bench, servo, run, file) -> None:
    hip = servo(1)
    hip.goes_to_goal = False
    table = bench(hip, 2)
    table.on_request = lambda request: hip.set("torque_enable", 1)
    result = run(table, calibrate, "--servo-file", file, "--yes")
    assert "servo 1 (hip) still holds" in str(result.exception)
    assert file.read_text() == FILE


def test_calibrate_refuses_what_does_not_fit_and_recentres_on_request(
    bench, servo, run, file
) -> None:
    hip = servo(1)
    hip.raw = 4000
    result = run(bench(hip), calibrate, "--servo-file", file, "hip", "--yes")
    assert "stride write 1 position_offset 1952" in str(result.exception)
    assert file.read_text() == FILE
    result = run(bench(hip), calibrate, "--servo-file", file, "hip", "--yes", "--recentre")
    assert result.exit_code == 0, result.output
    assert hip.kept("position_offset") == 1952
    assert servo_table.load(file).zero[0] == 2048


def test_calibrate_records_the_travel(bench, servo, run, file) -> None:
    hip = servo(1)
    table = bench(hip)
    swing = iter([0, *range(0, 500, 10), *range(500, -500, -10), *range(-500, 0, 10)])
    table.on_request = lambda request: setattr(hip, "raw", 2048 + next(swing, 0))
    result = run(
        table, calibrate, "--servo-file", file, "hip", "--no-zero", "--range",
        "--seconds", 8, "--margin", 0, "--yes",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "1548 to 2548" in result.output
    low, high = (float(limits[0]) for limits in (servo_table.load(file).minimum,) * 2)
    assert low == high == pytest.approx(-500 * 2 * 3.14159265 / 4096, abs=1e-4)


def test_a_joint_that_was_not_moved_keeps_its_limits(bench, servo, run, file) -> None:
    result = run(
        bench(1), calibrate, "--servo-file", file, "hip", "--no-zero", "--range", "--margin", 0,
        "--seconds", 1, "--yes",
    )  # fmt: skip
    assert "servo 1 (hip) was hardly moved" in str(result.exception)
    assert file.read_text() == FILE


def test_travel_across_the_seam_is_shown_and_not_written(bench, servo, run, file) -> None:
    hip = servo(1)
    table = bench(hip)
    swing = iter([*range(0, 300, 10), *range(300, -300, -10)])
    table.on_request = lambda request: setattr(hip, "raw", 4090 + next(swing, 0))
    result = run(
        table, calibrate, "--servo-file", file, "hip", "--no-zero", "--range",
        "--seconds", 5, "--yes",
    )  # fmt: skip
    assert result.exit_code == 1
    assert "crosses the 4095/0 seam" in result.output
    assert file.read_text() == FILE


@pytest.mark.parametrize(
    ("ports", "ids", "reason"),
    [
        ([], (), "there is no USB serial port"),
        (["a", "b"], (), "several serial ports: a, b; choose one by --port"),
        (["a", "b"], (1,), "no port at 1000000 bit/s has the servos 1"),
    ],
)
def test_without_a_name_the_port_must_be_clear(monkeypatch, ports, ids, reason) -> None:
    from sts3215_driver.tools import find_port as tool

    def refuse(port, baud):
        raise PortError(f"port {port} cannot be opened")

    monkeypatch.setattr(tool, "candidates", lambda: ports)
    monkeypatch.setattr(open_port, "SerialTransport", refuse)
    with pytest.raises(PortError, match=reason):
        options.choose_port("auto", ids)


def test_the_only_port_is_taken(monkeypatch) -> None:
    from sts3215_driver.tools import find_port as tool

    monkeypatch.setattr(tool, "candidates", lambda: ["/dev/ttyACM0"])
    assert options.choose_port("auto") == "/dev/ttyACM0"
