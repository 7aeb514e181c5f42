"""Registers of servos in a JSON file: settings to restore, and the rest to look at."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stride_base import strict_json
from stride_base.atomic_file import write_atomically
from stride_base.errors import ConfigError, RefusedError
from stride_base.progress import Progress, silent, track
from stride_base.schema_check import check
from stride_base.strict_json import FileError
from sts3215_driver.bus import Bus
from sts3215_driver.protocol.homing_offset import Firmware
from sts3215_driver.protocol.registers import BY_NAME, REGISTERS, Storage
from sts3215_driver.tools.examine import examine
from sts3215_driver.tools.servo_facts import ServoFacts, read_facts

KIND, FORMAT = "sts3215 registers", 1
_SCHEMA = json.loads(Path(__file__).with_name("dump_schema.json").read_text())
_SECTIONS = {
    Storage.EEPROM: "settings",
    Storage.FACTORY: "factory",
    Storage.RAM: "state",
    Storage.READ_ONLY: "measured",
}


@dataclass(frozen=True)
class SavedServo:
    """One servo of a file.

    Args:
        id: Its id when it was saved.
        model, firmware: What it was.
        settings: Signed value of EEPROM registers by name.
        unknown: Names in the file that are no settings of an STS3215.
    """

    id: int
    model: int
    firmware: Firmware
    settings: dict[str, int]
    unknown: tuple[str, ...] = field(default=())


def dump(bus: Bus, ids: Collection[int], progress: Progress = silent) -> list[ServoFacts]:
    """All registers of all `ids`; changes nothing.

    Raises:
        NoReplyError: one does not answer; a file that lacks it would mislead.
        RefusedError: two share an id.
        PortError
    """
    return [dump_one(bus, servo_id) for servo_id in track(ids, "reading servos", progress)]


def dump_one(bus: Bus, servo_id: int) -> ServoFacts:
    """All registers of a servo that has its id to itself; changes nothing.

    Raises:
        RefusedError: two servos seem to share the id, so that its registers are a mixture.
        NoReplyError: it does not answer.
        PortError
    """
    examination = examine(bus, servo_id)
    if examination.looks_double:
        raise RefusedError(f"servo {servo_id} {examination.remark}")
    return read_facts(bus, servo_id)


def save(path: str | Path, servos: Sequence[ServoFacts]) -> None:
    """Write servos to a file, atomically. Raises FileError."""
    try:
        write_atomically(path, json.dumps(to_document(servos), indent=2) + "\n")
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}") from error


def to_document(servos: Sequence[ServoFacts]) -> dict[str, Any]:
    """The document that a file holds; registers in the order of their addresses."""
    return {"kind": KIND, "format": FORMAT, "servos": [_entry(servo) for servo in servos]}


def load(path: str | Path) -> list[SavedServo]:
    """Read a file.

    Raises:
        FileError: it cannot be read or is no JSON.
        ConfigError: a value is wrong; names file, servo, field, value and what was expected.
    """
    return parse(strict_json.load(path), path)


def parse(document: Any, file: str | Path) -> list[SavedServo]:
    """Check a parsed file; `file` names it in errors. Raises ConfigError."""
    check(document, _SCHEMA, file, lambda path: _where(document, list(path)))
    saved, seen = [], set()
    for entry in document["servos"]:
        if entry["id"] in seen:
            where = f"servo {entry['id']}"
            raise ConfigError(file, where, "id", entry["id"], "a value no other servo has")
        seen.add(entry["id"])
        major, minor = entry["firmware"].split(".")
        known = {name: value for name, value in entry["settings"].items() if _is_setting(name)}
        unknown = tuple(name for name in entry["settings"] if name not in known)
        saved.append(
            SavedServo(entry["id"], entry["model"], (int(major), int(minor)), known, unknown)
        )
    return saved


def _is_setting(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].storage is Storage.EEPROM


def _entry(servo: ServoFacts) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": servo.id, "model": servo.model, "firmware": servo.version}
    for storage, section in _SECTIONS.items():
        entry[section] = {
            register.name: servo.registers[register.name]
            for register in REGISTERS
            if register.storage is storage
        }
    return entry


def _where(document: Any, path: list[str | int]) -> str:
    if len(path) < 2 or path[0] != "servos" or not isinstance(path[1], int):
        return ""
    servo = document["servos"][path[1]]
    name = servo.get("id", f"[{path[1]}]") if isinstance(servo, dict) else f"[{path[1]}]"
    return f"servo {name}" if len(path) == 2 else f"servo {name}: {path[2]}"
