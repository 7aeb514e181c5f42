"""Servo models as a YAML file: read with the same checks as a message, written to be read again.

about: which servo, and where the numbers come from        (optional)
default: {kp: ..., kgear: ..., viscous: ..., ...}           (all joints that are not listed)
joints:
  coxa_l1: {kp: ..., kgear: ..., viscous: ..., ...}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel, read_model
from stride_base.atomic_file import write_atomically
from stride_base.errors import MISSING, ConfigError, StrideError
from stride_base.strict_yaml import dumps, load, loads

DEFAULT = "default"
KEYS = {
    "about": "a text: which servo, and where the numbers come from",
    DEFAULT: "a mapping: the model of all joints that are not listed",
    "joints": "a mapping from joint names to models",
}


def read_model_file(path: str | Path) -> ModelList:
    """Read and check a model file.

    Raises:
        FileError: it cannot be read, or is no YAML.
        ConfigError: neither joints nor default in it, or a wrong value; names file, joint, field.
    """
    return models_from(load(path), str(path))


def parse_models(text: str, source: str) -> ModelList:
    """As `read_model_file`, from the text of a file; `source` names it in errors."""
    return models_from(loads(text, source), source)


def models_from(document: Any, file: str) -> ModelList:
    """Models from a parsed file."""
    if not isinstance(document, dict):
        raise ConfigError(file, "", "document", document, "a mapping with 'default' or 'joints'")
    for key, value in document.items():
        if key not in KEYS:
            raise ConfigError(file, "", key, value, f"only {', '.join(KEYS)}")
        kind = str if key == "about" else dict
        if not isinstance(value, kind):
            raise ConfigError(file, "", key, value, KEYS[key])
    if DEFAULT not in document and "joints" not in document:
        raise ConfigError(file, "", "joints", MISSING, KEYS["joints"])
    default = document.get(DEFAULT)
    return ModelList(
        [_model(name, numbers, file) for name, numbers in document.get("joints", {}).items()],
        None if default is None else _model(DEFAULT, default, file),
    )


def model_text(models: ModelList, about: str = "") -> str:
    """The text of a model file."""
    document: dict[str, object] = {"about": about} if about else {}
    if models.default:
        document[DEFAULT] = models.default.numbers()
    if len(models) or not models.default:
        document["joints"] = {model.name: model.numbers() for model in models}
    return dumps(document)


def write_model_file(path: str | Path, models: ModelList, about: str = "") -> None:
    """Write a model file; a crash leaves the old one whole.

    Raises:
        StrideError: it cannot be written.
    """
    try:
        write_atomically(path, model_text(models, about))
    except OSError as error:
        raise StrideError(f"{path}: cannot be written: {error.strerror}") from error


def _model(name: str, numbers: object, file: str) -> ServoModel:
    if not isinstance(numbers, dict):
        raise ConfigError(file, "", name, numbers, "a mapping with the numbers of a servo model")
    return read_model(name, numbers, file)
