"""A robot's robot.yaml: parameters of its nodes, in the format of ROS 2 parameter files.

    /**:                      # every node
      ros__parameters:
        stall_torque: 2.94
    /**/gait_controller:      # one node, in any namespace
      ros__parameters:
        steering_rate_limit: 4.0

The same file works with `ros2 run ... --ros-args --params-file robot.yaml`. Stride takes only these
two kinds of keys, so that a misspelt node name is an error here, and not values that nobody reads.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stride_base import strict_yaml
from stride_base.errors import ConfigError
from stride_base.parameters import Value

EVERY_NODE = "/**"
SECTION = "ros__parameters"


@dataclass(frozen=True)
class ParameterFile:
    """Parameters by node name; those of every node under EVERY_NODE.

    Args:
        path: Where it was read from, for messages.
        sections: Parameter values by section and parameter name.
    """

    path: Path
    sections: Mapping[str, Mapping[str, Value]]

    def of_node(self, name: str) -> dict[str, Value]:
        """What node `name` gets: its own values before those of every node."""
        return {**self.sections.get(EVERY_NODE, {}), **self.sections.get(name, {})}


def load(path: Path, nodes: Mapping[str, Mapping[str, str]]) -> ParameterFile:
    """Read and check a parameter file.

    Args:
        path: The file.
        nodes: The nodes that exist; of each the parameters that the file must not set, and where their
            value comes from.

    Raises:
        FileError: it cannot be read, or is not YAML (with line and column).
        ConfigError: a key of another shape, an unknown node, a computed parameter, or a value that
            is not true, false, a number or a text.
    """
    document = strict_yaml.load(path)
    if document is None:
        document = {}
    known = ", ".join([EVERY_NODE, *(f"{EVERY_NODE}/{name}" for name in sorted(nodes))])
    if not isinstance(document, dict):
        raise ConfigError(path, "", "document", document, f"the keys {known}")
    sections: dict[str, dict[str, Value]] = {}
    for key, content in document.items():
        name = _node_of(key, nodes)
        if name is None:
            raise ConfigError(path, "", str(key), content, f"only the keys {known}")
        if not isinstance(content, dict) or list(content) != [SECTION]:
            raise ConfigError(path, "", str(key), content, f"one key {SECTION} below it")
        values: dict[str, Value] = {}
        _flatten(path, str(key), content[SECTION], "", values)
        affected = nodes.values() if name == EVERY_NODE else [nodes[name]]
        computed = {parameter: source for table in affected for parameter, source in table.items()}
        for parameter in values.keys() & computed.keys():
            expected = f"no {parameter} in this file: {computed[parameter]}"
            raise ConfigError(path, str(key), parameter, values[parameter], expected)
        sections[name] = values
    return ParameterFile(path, sections)


def _node_of(key: object, nodes: Collection[str]) -> str | None:
    if key == EVERY_NODE:
        return EVERY_NODE
    name = str(key).removeprefix(f"{EVERY_NODE}/")
    return name if name != key and name in nodes else None


def _flatten(path: Path, where: str, content: Any, prefix: str, values: dict[str, Value]) -> None:
    """Nested keys become dotted names, as in ROS 2."""
    if not isinstance(content, dict):
        raise ConfigError(path, where, SECTION, content, "parameters by name")
    for key, value in content.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            _flatten(path, where, value, f"{name}.", values)
        elif not isinstance(value, (bool, int, float, str)) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            expected = "true, false, a finite number or a text"
            raise ConfigError(path, where, name, value, expected)
        else:
            values[name] = value
