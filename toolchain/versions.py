"""Reads versions.cfg, the one place where versions are pinned."""

import configparser
from pathlib import Path

VERSIONS_FILE = Path(__file__).with_name("versions.cfg")


def requirements(section: str) -> list[str]:
    """pip requirement lines of one section, e.g. `numpy==2.2.6 ; python_version < "3.14"`."""
    parser = configparser.ConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(VERSIONS_FILE.read_text())
    prefix = section.replace(".", "-") + "-" if section.startswith("ros.") else ""
    return [
        f"{prefix}{package}=={choice.strip()}"
        for package, value in parser[section].items()
        for choice in value.splitlines()
        if choice.strip()
    ]


def distributions() -> list[str]:
    """ROS 2 distributions with pinned wheels."""
    parser = configparser.ConfigParser()
    parser.read_string(VERSIONS_FILE.read_text())
    return [name.removeprefix("ros.") for name in parser.sections() if name.startswith("ros.")]
