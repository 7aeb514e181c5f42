"""The packages' descriptions, which `rosdep` and `colcon` go by."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

SOURCES = Path(__file__).resolve().parent.parent / "src"
PACKAGES = sorted(path.parent.name for path in SOURCES.glob("*/package.xml"))
#: An import, or an import path in a text, as in the tables of commands and nodes.
USE = re.compile(rf"(?:\b(?:from|import) |[\"'])({'|'.join(PACKAGES)})[.: ]")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_declares_every_package_of_stride_that_it_imports(package: str) -> None:
    description = ElementTree.parse(SOURCES / package / "package.xml").getroot()
    declared = {element.text for element in description if element.tag.endswith("depend")}
    code = (SOURCES / package / package).rglob("*.py")
    used = {name for path in code for name in USE.findall(path.read_text(encoding="utf-8"))}
    assert used - {package} <= declared
