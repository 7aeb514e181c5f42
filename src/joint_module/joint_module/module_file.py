"""Reading and writing joint module files: JSON without NaN, checked on the way in and out."""

from __future__ import annotations

import json
import re
from pathlib import Path

from joint_module import output, validation
from joint_module.contract import JointModule
from stride_base import strict_json


def read(path: str | Path) -> JointModule:
    """The module in a file.

    Raises:
        FileError: it cannot be read, or is no JSON.
        ConfigError: a value is wrong; names file, field, value and what was expected.
    """
    return validation.check(strict_json.load(path), path)


def write(module: JointModule, path: str | Path) -> None:
    """Write a module; a crash leaves the old file whole. Raises ConfigError, ModelError."""
    validation.check(module.to_document(), path)
    output.write(path, text(module))


def text(module: JointModule) -> str:
    """The file's text, with each pair of limits on one line."""
    text = json.dumps(module.to_document(), ensure_ascii=False, allow_nan=False, indent=2)
    return re.sub(r"\[\n\s+(\S+),\n\s+(\S+)\n\s+\]", r"[\1, \2]", text) + "\n"
