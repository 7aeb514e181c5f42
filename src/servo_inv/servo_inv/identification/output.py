"""Writes what an identification found: models, report and pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from servo_inv.identification.identify import Identified
from servo_inv.identification.report import report_data
from servo_inv.model_file import read_model_file, write_model_file
from servo_inv.model_list import ModelList
from stride_base.atomic_file import write_atomically
from stride_base.errors import StrideError


def write_models(path: Path, identified: Sequence[Identified]) -> None:
    """Write the models to a model file; models of other joints that are in it stay.

    Raises:
        StrideError: the file there is no model file, or cannot be written.
    """
    models = read_model_file(path) if path.exists() else ModelList()
    for one in identified:
        models = models.with_model(one.model)
    write_model_file(path, models, "identified with stride identify")


def write_report(path: Path, identified: Sequence[Identified]) -> None:
    """Write the reports as JSON.

    Raises:
        StrideError: it cannot be written.
    """
    data = {"joints": [report_data(one) for one in identified]}
    try:
        write_atomically(path, json.dumps(data, indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise StrideError(f"{path}: cannot be written: {error.strerror}") from error


def file_of(path: Path, joint: str, joints: int) -> Path:
    """Where a file of one joint goes: `path` itself where there is only one, else with its name."""
    return path if joints == 1 else path.with_name(f"{path.stem}_{joint}{path.suffix}")
