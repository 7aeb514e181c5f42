"""What a scan tells the owner: about each servo, about the line, and what to do when nobody answers."""

from __future__ import annotations

from collections.abc import Sequence

from sts3215_driver.protocol.flags import flag_names
from sts3215_driver.protocol.registers import BAUD_RATES
from sts3215_driver.start_up import (
    MODE_POSITION,
    MODEL_STS3215,
    PHASE_FINE_SPEED,
    PHASE_MULTI_TURN,
)
from sts3215_driver.tools.board import Board
from sts3215_driver.tools.scan_rate import FoundServo, RateScan
from sts3215_driver.tools.servo_facts import BIG_ENDIAN, ServoFacts
from sts3215_driver.tools.write_rules import MODE_STEP, PHASE_ZERO_IS_FULL_SPEED

#: Share of garbled answers of all servos from which on the line itself is to blame.
NOISY_SHARE = 0.15


def servo_remarks(found: FoundServo) -> list[str]:
    """What is odd about one servo, one sentence each."""
    remarks = []
    if found.examination.looks_double:
        remarks.append(found.examination.remark)
    facts = found.facts
    if facts is None:
        return [*remarks, "no whole answer came"]
    registers = facts.registers
    if facts.model != MODEL_STS3215:
        remarks.append(f"is model {facts.model}, not an STS3215 ({MODEL_STS3215})")
    if registers["byte_order"] == BIG_ENDIAN:
        remarks.append("puts the high byte first (SCS series); its values are not shown right")
    remarks += _alarms(facts)
    remarks += _settings(facts)
    return remarks


def bus_remarks(rates: Sequence[RateScan]) -> list[str]:
    """What concerns all servos together."""
    servos = [found for rate in rates for found in rate.servos]
    remarks = []
    versions = sorted({found.facts.version for found in servos if found.facts})
    if len(versions) > 1:
        remarks.append(
            f"servos have different firmware ({', '.join(versions)}): they work together, and what "
            "only newer ones can is used where it exists"
        )
    if len({found.baud for found in servos}) > 1:
        remarks.append(
            "servos are at different baud rates: bring them to one with `stride set-baud`"
        )
    converted = {
        found.baud for found in servos if found.facts and _own_rate(found.facts) != found.baud
    }
    if converted:
        remarks.append(
            f"a board between the port ({', '.join(map(str, converted))} bit/s) and the servos converts "
            "the rate: leave the servos' own rate as it is"
        )
    shares = [found.examination.garbled_share for found in servos]
    if len(shares) > 1 and min(shares) > NOISY_SHARE:
        remarks.append(
            "answers of all servos are garbled at times: the line is noisy (long or loose cable, "
            "ground, supply); two servos with one id look the same"
        )
    if any(rate.echo for rate in rates if rate.servos):
        remarks.append("the adapter echoes what it sends; this is learned at each opening")
    skipped = [rate for rate in rates if rate.skipped]
    return remarks + [f"{rate.baud} bit/s was skipped: {rate.skipped}" for rate in skipped]


def hints(rates: Sequence[RateScan], board: Board | None, port: str) -> list[str]:
    """What to check when no servo answered, most likely cause first."""
    tried = ", ".join(str(rate.baud) for rate in rates if not rate.skipped) or "none"
    first = [f"this is {board}"] if board is not None else []
    if board is None and any(rate.echo for rate in rates):
        first = ["the adapter works and echoes what it sends; nobody answers behind it"]
    steps = [
        "supply: the servos need their own (6 to 8.4 V, or 12 V models), USB does not drive them; their "
        "LED blinks when it comes on",
        "cable: servo plug fully in, the right way round, and the chain complete from the adapter on",
        "jumper: on the Waveshare and Feetech adapters it must be on B (USB); on A the servos hang on "
        "the UART pins",
        f"baud rate: tried were {tried} bit/s; a servo with a damaged setting may need each of them",
        "UART instead of USB: " + _port_hint(port),
        "ESP32 board: most firmwares do not forward packets by default; switch on serial forwarding "
        "(Waveshare: web page, off again after each reset) and use 115200 bit/s",
    ]
    return first + steps


def _port_hint(port: str) -> str:
    if any(name in port for name in ("ttyS", "ttyAMA", "serial0")):
        return f"{port} is the computer's own UART; the adapter's USB port is ttyUSB or ttyACM"
    return "the adapter's USB plug must be used, not its UART pins, and the port must be its own"


def _own_rate(facts: ServoFacts) -> int:
    code = facts.registers["baud_code"]
    return BAUD_RATES[code] if code < len(BAUD_RATES) else 0


def _alarms(facts: ServoFacts) -> list[str]:
    registers, remarks = facts.registers, []
    volts = registers["present_voltage"] / 10
    low, high = registers["min_voltage"] / 10, registers["max_voltage"] / 10
    alarms = flag_names(facts.flags | registers["servo_status"])
    if registers["present_voltage"] == 0:
        remarks.append(
            "shows 0.0 V though it runs: its reserved or factory registers were overwritten, e.g. by "
            "another tool's template; try the factory settings (RECOVERY)"
        )
    elif volts > high:
        remarks.append(
            f"has {volts:.1f} V, more than its limit of {high:.1f} V: "
            + (
                "a 7.4 V servo on a 12 V supply?"
                if high < 9 < volts
                else "wrong supply or wrong limit"
            )
        )
    elif volts < low:
        remarks.append(
            f"has {volts:.1f} V, less than its limit of {low:.1f} V: weak supply or cable"
        )
    others = [alarm for alarm in alarms if alarm != "voltage" or not remarks]
    if others:
        remarks.append(f"alarm: {', '.join(others)}")
    return remarks


def _settings(facts: ServoFacts) -> list[str]:
    registers, remarks = facts.registers, []
    phase, mode = registers["phase"], registers["operating_mode"]
    unlimited = registers["min_angle_limit"] == registers["max_angle_limit"] == 0
    if phase & PHASE_MULTI_TURN:
        remarks.append("counts turns (phase register bit 4): positions may leave 0..4095")
    if (phase & PHASE_MULTI_TURN or mode == MODE_STEP) and not unlimited:
        remarks.append(
            "turns are counted, but its limits are not both 0: it stops at the end of its range"
        )
    if not phase & PHASE_FINE_SPEED:
        remarks.append("takes speeds in units of 50 step/s (phase register bit 2 is 0)")
    if phase & PHASE_ZERO_IS_FULL_SPEED == 0 and mode == MODE_POSITION:
        remarks.append("stands still at goal speed 0 (phase register bit 3 is 0)")
    if registers["response_level"] == 0:
        remarks.append("acknowledges no writes (response level 0)")
    if registers["lock"] == 0:
        remarks.append(
            f"its memory is open, a change was interrupted: `stride write {facts.id} lock 1` closes it"
        )
    return remarks
