"""Recordings as files: CSV for people and spreadsheets, npz for programs.

CSV has a header: `time`, `<joint>.goal`, `<joint>.position`, and where known `<joint>.effort`,
`<joint>.duration`, `<joint>.voltage` or one `voltage` for all; other columns are left alone. An npz
holds the same columns under the same names. Empty cells and NaN mean "not read": the sample is left out
for that joint. Fields are explained at `JointRecord`.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from servo_inv.identification.recording import JointRecord
from servo_inv.joint_message import FloatArray
from stride_base.atomic_file import write_atomically
from stride_base.errors import ConfigError, StrideError

FIELDS = ("goal", "position", "effort", "duration", "voltage")
NEEDED = ("goal", "position")


def read_recording(path: Path, voltage: float | None = None) -> list[JointRecord]:
    """All joints of a recording.

    Args:
        path: `*.npz`, or a CSV file of any other name.
        voltage: Supply voltage where the file has none, V.

    Raises:
        StrideError: it cannot be read.
        ConfigError: a column is missing; names file and column.
        RefusedError: the samples of a joint are not good, see `JointRecord`.
    """
    try:
        columns = _read_npz(path) if path.suffix == ".npz" else _read_csv(path)
    except OSError as error:
        raise StrideError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error, ValueError, zipfile.BadZipFile) as error:
        raise StrideError(f"{path}: is no recording: {error}") from error
    return _records(columns, str(path), voltage)


def read_motion(path: Path) -> FloatArray:
    """Positions from a text file, one a line: (m,) rad.

    Raises:
        StrideError: it cannot be read, or holds something else.
    """
    try:
        values = [float(line) for line in path.read_text(encoding="utf-8").split()]
    except OSError as error:
        raise StrideError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise StrideError(f"{path}: is no motion, one position in rad a line: {error}") from error
    return np.array(values)


def write_recording(path: Path, records: Sequence[JointRecord]) -> None:
    """Write records that share their times, counted from the first; CSV or npz by the name of the file.

    Raises:
        StrideError: it cannot be written.
    """
    columns: dict[str, FloatArray] = {"time": records[0].time - records[0].time[:1]}
    for record in records:
        for field in FIELDS:
            values = getattr(record, field)
            if values is not None:
                columns[f"{record.name}.{field}"] = values
    try:
        if path.suffix == ".npz":
            arrays: dict[str, Any] = dict(columns)
            np.savez_compressed(path, **arrays)
            return
        rows = np.column_stack(list(columns.values()))
        lines = [",".join(columns), *(",".join(f"{value:.9g}" for value in row) for row in rows)]
        write_atomically(path, "\n".join(lines) + "\n")
    except OSError as error:
        raise StrideError(f"{path}: cannot be written: {error.strerror}") from error


def _read_csv(path: Path) -> dict[str, FloatArray]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    header = [name.strip() for name in header]
    if len(set(header)) != len(header):
        raise ValueError("a column is named twice")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ValueError(f"line {number} has {len(row)} values for {len(header)} columns")
    values = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in rows])
    return {name: values[:, index] for index, name in enumerate(header) if len(rows)}


def _read_npz(path: Path) -> dict[str, FloatArray]:
    with np.load(path, allow_pickle=False) as file:
        return {name: np.asarray(file[name], np.float64) for name in file.files}


def _records(
    columns: Mapping[str, FloatArray], file: str, voltage: float | None
) -> list[JointRecord]:
    time = columns.get("time")
    if time is None:
        raise ConfigError(file, "", "columns", ", ".join(columns), "a column 'time', s")
    joints: dict[str, dict[str, FloatArray]] = {}
    for name, values in columns.items():
        if values.shape != time.shape or values.ndim != 1:
            raise ConfigError(
                file, "", name, values.shape, f"one value for each of {time.size} times"
            )
        joint, _dot, field = name.rpartition(".")
        if joint and field in FIELDS:
            joints.setdefault(joint, {})[field] = values
    if not joints:
        raise ConfigError(file, "", "columns", ", ".join(columns), "'<joint>.goal' and so on")
    return [
        _record(joint, time, fields, columns.get("voltage"), voltage, file)
        for joint, fields in joints.items()
    ]


def _record(
    joint: str,
    time: FloatArray,
    fields: dict[str, FloatArray],
    shared_voltage: FloatArray | None,
    voltage: float | None,
    file: str,
) -> JointRecord:
    for field in NEEDED:
        if field not in fields:
            raise ConfigError(file, "", "columns", ", ".join(fields), f"a column '{joint}.{field}'")
    if "voltage" not in fields and shared_voltage is not None:
        fields["voltage"] = shared_voltage
    if voltage is not None:
        fields.setdefault("voltage", np.full(time.shape, voltage))
    if "voltage" not in fields:
        raise ConfigError(
            file, "", "columns", ", ".join(fields), "a column 'voltage', or --voltage"
        )
    known = {field: values for field, values in fields.items() if not np.isnan(values).all()}
    read = np.isfinite(time)
    for values in known.values():
        read &= ~np.isnan(values)
    kept = {field: values[read] for field, values in known.items()}
    times = time[read]
    if "duration" not in kept:
        kept["duration"] = np.full(
            times.shape, np.median(np.diff(times)) if len(times) > 1 else 1.0
        )
    missing = [field for field in (*NEEDED, "voltage") if field not in kept]
    if missing:
        raise ConfigError(file, "", f"{joint}.{missing[0]}", "nan", "numbers")
    return JointRecord(joint, times, **kept)
