"""Documents that the tests start from."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

ROBOTS = Path(__file__).resolve().parents[3] / "config" / "robots"
EXAMPLE = json.loads((ROBOTS / "seed_example" / "control.json").read_text(encoding="utf-8"))


@pytest.fixture
def example() -> dict[str, Any]:
    """The example of the control file's description, as a fresh document."""
    document: dict[str, Any] = copy.deepcopy(EXAMPLE)
    return document
