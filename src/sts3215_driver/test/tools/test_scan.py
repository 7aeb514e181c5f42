"""Scanning: every rate, every id, two servos with one id, boards, and hints when nobody answers."""

from __future__ import annotations

import pytest

from sts3215_driver.errors import PortError
from sts3215_driver.protocol.registers import BAUD_RATES
from sts3215_driver.tools.board import PROBES
from sts3215_driver.tools.errors import UnusablePortError
from sts3215_driver.tools.scan import scan
from sts3215_driver.tools.scan_remarks import bus_remarks, hints, servo_remarks

BOOT = (
    b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
    b"configsip: 0, SPIWP:0xee\r\nentry 0x400805e4\r\n"
)


def remarks_of(result, servo_id):
    (found,) = [found for found in result.servos if found.id == servo_id]
    return " / ".join(servo_remarks(found))


def test_servos_are_found_at_every_rate(bench, servo) -> None:
    table = bench(*(servo(10 + code, baud_code=code) for code in range(8)))
    result = scan(table.open)
    assert [(found.id, found.baud) for found in result.servos] == [
        (10 + code, rate) for code, rate in enumerate(BAUD_RATES)
    ]
    assert "different baud rates" in " ".join(bus_remarks(result.rates))


def test_a_healthy_servo_is_described(bench, servo) -> None:
    result = scan(bench(servo(3)).open, [1_000_000])
    (found,) = result.servos
    assert found.facts is not None
    assert (found.facts.model, found.facts.version) == (777, "3.10")
    assert found.facts.registers["present_voltage"] == 121
    assert servo_remarks(found) == []
    assert bus_remarks(result.rates) == []


def test_a_rate_that_the_adapter_refuses_is_skipped_and_said(bench) -> None:
    """Field report: termios error when scanning baud rates."""
    table = bench(1)
    table.refused = {128_000, 76_800}
    result = scan(table.open)
    assert [found.id for found in result.servos] == [1]
    remarks = bus_remarks(result.rates)
    assert [line.split(" bit/s was skipped")[0] for line in remarks] == ["128000", "76800"]


def test_a_port_that_opens_at_no_rate_is_an_error(bench) -> None:
    table = bench(1)
    table.refused = set(BAUD_RATES)
    with pytest.raises(PortError, match="cannot be opened"):
        scan(table.open)


def test_a_port_in_use_ends_the_scan_at_once(bench) -> None:
    asked = []

    def open_at(baud):
        asked.append(baud)
        raise UnusablePortError("port fake is in use")

    with pytest.raises(PortError, match="in use"):
        scan(open_at)
    assert len(asked) == 1


def test_servos_that_do_not_answer_a_broadcast_are_asked_one_by_one(bench, servo) -> None:
    quiet = [servo(servo_id) for servo_id in (4, 120, 253)]
    for each in quiet:
        each.answers_broadcast = False
    result = scan(bench(1, *quiet).open, [1_000_000])
    assert [found.id for found in result.servos] == [1, 4, 120, 253]


def test_ids_can_be_named_where_nobody_answers_a_broadcast(bench, servo) -> None:
    quiet = servo(200)
    quiet.answers_broadcast = False
    table = bench(quiet)
    assert scan(table.open, [1_000_000]).servos == ()
    assert [f.id for f in scan(table.open, [1_000_000], [199, 200]).servos] == [200]


def test_two_servos_with_one_id_are_detected_and_said(bench, servo) -> None:
    """New servos all have id 1."""
    one, other = servo(1), servo(1)
    one.raw, other.raw = 100, 3000
    result = scan(bench(one, other, 2).open, [1_000_000])
    assert [found.id for found in result.servos] == [1, 2]
    text = remarks_of(result, 1)
    assert "two servos with one id" in text and "connect only one" in text
    assert remarks_of(result, 2) == ""


def test_two_servos_whose_answers_never_come_through_are_said_too(bench, servo) -> None:
    table = bench(servo(1), 2)
    table.mangle = lambda reply, number: (
        bytes([0xFF, 0x60, 0x18, 0xFB, 0xEF]) if reply[2] == 1 else reply
    )
    result = scan(table.open, [1_000_000])
    (found,) = [found for found in result.servos if found.id == 1]
    assert found.facts is None
    assert "two servos with one id" in remarks_of(result, 1)


def test_a_noisy_line_is_told_from_double_ids(bench) -> None:
    table = bench(1, 2, 3)
    table.mangle = lambda reply, number: (
        reply[:-1] + bytes([reply[-1] ^ 4]) if number % 2 else reply
    )
    result = scan(table.open, [1_000_000])
    assert "the line is noisy" in " ".join(bus_remarks(result.rates))


def test_an_echo_is_no_servo(bench) -> None:
    """The echo of a PING is a valid reply with the voltage alarm."""
    table = bench()
    table.echo = True
    result = scan(table.open, [1_000_000])
    assert result.servos == ()
    assert "the adapter works and echoes" in hints(result.rates, None, "/dev/ttyUSB0")[0]


def test_servos_behind_an_echoing_adapter_are_found(bench) -> None:
    table = bench(1, 9)
    table.echo = True
    result = scan(table.open, [1_000_000])
    assert [found.id for found in result.servos] == [1, 9]
    assert all(servo_remarks(found) == [] for found in result.servos)


def test_hints_come_in_the_order_of_likelihood(bench) -> None:
    """Field report: no servo found."""
    result = scan(bench().open)
    lines = hints(result.rates, result.board, "/dev/ttyUSB0")
    assert [line.split(":")[0] for line in lines] == [
        "supply", "cable", "jumper", "baud rate", "UART instead of USB", "ESP32 board",
    ]  # fmt: skip
    assert all(str(rate) in lines[3] for rate in BAUD_RATES)
    assert "does not forward" not in lines[0]


def test_the_computers_own_uart_is_named(bench) -> None:
    result = scan(bench().open, [1_000_000])
    (line,) = [x for x in hints(result.rates, None, "/dev/ttyS0") if x.startswith("UART")]
    assert "/dev/ttyS0 is the computer's own UART" in line


def test_a_7_4_volt_servo_on_12_volts_is_named(bench, servo) -> None:
    """Field report: "incorrect status packet" the moment torque is enabled."""
    subject = servo(1, max_voltage=80)
    subject.memory[65] = 1
    text = remarks_of(scan(bench(subject).open, [1_000_000]), 1)
    assert "12.1 V, more than its limit of 8.0 V: a 7.4 V servo on a 12 V supply?" in text


def test_every_alarm_is_named(bench, servo) -> None:
    subject = servo(1)
    subject.memory[65] = 0x24
    text = remarks_of(scan(bench(subject).open, [1_000_000]), 1)
    assert "alarm: temperature, overload" in text


def test_a_servo_that_shows_0_volts_is_explained(bench, servo) -> None:
    """Field report: 8 servos show 0.0 V after a template was loaded."""
    text = remarks_of(scan(bench(servo(1, present_voltage=0)).open, [1_000_000]), 1)
    assert "registers were overwritten" in text


def test_firmware_3_9_and_3_10_are_warned_about_and_not_refused(bench, servo) -> None:
    result = scan(bench(servo(1, firmware_minor=9), servo(2)).open, [1_000_000])
    assert len(result.servos) == 2
    assert "different firmware (3.10, 3.9)" in " ".join(bus_remarks(result.rates))


def test_multi_turn_feedback_is_said_at_once(bench, servo) -> None:
    """Field reports: position outside 0..4095; joint stops at the end of its range in multi-turn."""
    text = remarks_of(scan(bench(servo(1, phase=28)).open, [1_000_000]), 1)
    assert "phase register bit 4" in text and "limits are not both 0" in text
    unlimited = servo(1, phase=28, max_angle_limit=0)
    text = remarks_of(scan(bench(unlimited).open, [1_000_000]), 1)
    assert "limits" not in text


def test_speed_units_and_response_level_are_said(bench, servo) -> None:
    text = remarks_of(scan(bench(servo(1, phase=0, response_level=0)).open, [1_000_000]), 1)
    assert "units of 50 step/s" in text and "acknowledges no writes" in text


def test_an_open_memory_is_said(bench, servo) -> None:
    subject = servo(1)
    subject.set("lock", 0)
    text = remarks_of(scan(bench(subject).open, [1_000_000]), 1)
    assert "stride write 1 lock 1" in text


def test_scanning_writes_nothing(bench, servo) -> None:
    one, other = servo(1), servo(1)
    other.raw = 9
    scan(bench(one, other, 5).open)
    assert one.written == other.written == []


def test_a_board_that_talks_text_is_recognised(bench) -> None:
    """Field report: ESP32 board answers nothing."""
    table = bench()
    table.board = lambda data: b"ERROR: ping fail\r\n" if data == PROBES[0] else b""
    result = scan(table.open)
    assert result.board is not None and result.board.kind == "text"
    line = hints(result.rates, result.board, "/dev/ttyUSB0")[0]
    assert "talks text lines" in line and "load a firmware that passes raw packets" in line


def test_a_board_that_talks_json_is_recognised(bench) -> None:
    table = bench()
    table.board = lambda data: (b'{"T":1051,"x":1.5,"y":0,"z":2}\r\n' if data == PROBES[1] else b"")
    result = scan(table.open)
    assert result.board is not None and result.board.kind == "json"


def test_a_board_that_streams_json_unasked_is_recognised(bench) -> None:
    table = bench()
    table.boot_text = [(0.2 * n, b'{"T":1001,"L":0,"R":0,"v":11}\r\n') for n in range(60)]
    result = scan(table.open, [115_200])
    assert result.board is not None and result.board.kind == "json"


def test_what_a_board_says_is_no_pair_of_servos(bench) -> None:
    table = bench()
    table.board = lambda data: b'{"T":1001,"L":0,"R":0,"v":11}\r\n'
    result = scan(table.open, [115_200], ids=[1, 2])
    assert result.servos == ()
    assert result.board is not None and result.board.kind == "json"


def test_our_own_probe_in_an_echo_is_no_board(bench) -> None:
    table = bench()
    table.board = lambda data: data
    table.echo = False
    assert scan(table.open).board is None


def test_an_esp32_that_restarts_when_opened_is_recognised(bench) -> None:
    table = bench()
    table.boot_text = [(0.05, BOOT)]
    result = scan(table.open)
    assert result.board is not None and result.board.kind == "esp32"
    assert "serial forwarding" in hints(result.rates, result.board, "/dev/ttyUSB0")[0]


def test_an_esp32_that_names_its_firmware_when_asked_is_told_by_that(bench) -> None:
    table = bench()
    table.boot_text = [(0.05, BOOT)]
    table.board = lambda data: b"OK\r\n" if data == PROBES[0] else b""
    result = scan(table.open)
    assert result.board is not None and result.board.kind == "text"


def test_servos_behind_an_esp32_that_restarts_first_are_found(bench) -> None:
    table = bench(1, 2)
    table.servo_side = 1_000_000
    table.boot_text = [(0.05, BOOT), (0.4, BOOT), (0.75, b"ready\r\n")]
    result = scan(table.open, [115_200])
    assert [found.id for found in result.servos] == [1, 2]
    assert result.board is None
    assert "a board between the port (115200 bit/s)" in " ".join(bus_remarks(result.rates))


def test_servos_are_never_asked_in_text(bench) -> None:
    table = bench(1)
    heard: list[bytes] = []
    table.board = lambda data: heard.append(data) or b""
    scan(table.open)
    assert all(data.startswith(b"\xff\xff") for data in heard)


def test_each_rate_is_told_when_it_is_done(bench) -> None:
    done = []
    scan(bench(1).open, [1_000_000, 500_000], on_rate=lambda rate: done.append(rate.baud))
    assert done == [1_000_000, 500_000]


def test_progress_counts_rates_and_the_ids_within_them(bench) -> None:
    told = []
    scan(bench(1, 2).open, [1_000_000, 500_000], progress=lambda *words: told.append(words))
    shares = [done / total for _what, done, total, _doing in told]
    assert shares == sorted(shares) and shares[0] == 0.0 and 0.9 < shares[-1] < 1.0
    # Where somebody answers all ids are asked, elsewhere the likely ones.
    assert ("scanning", 0.0 + 251 / 254, 2, "1000000 bit/s id 251") in told
    assert told[-1] == ("scanning", 1.0 + 20 / 21, 2, "500000 bit/s id 20")
