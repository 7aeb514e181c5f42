"""A robot's robot.yaml: parameters of its nodes, in the format of ROS 2 parameter files.

    /**:                      # every node
      ros__parameters:
        stall_torque: 2.94
    /**/gait_controller:      # one node, in any namespace
      ros__parameters:
        steering_rate_limit: 4.0

The same file works with `ros2 run ... --ros-args --params-file robot.yaml`. Stride takes only these
two kinds of keys and only parameters that the nodes declare, so that a misspelt name is an error here,
and not a value that nobody reads.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from stride_base import strict_yaml
from stride_base.errors import ConfigError
from stride_base.parameters import Value

EVERY_NODE = "/**"
SECTION = "ros__parameters"
#: What every node of ROS 2 takes; a name that ends in a dot stands for all that begin so.
ROS_PARAMETERS = ("use_sim_time", "start_type_description_service", "qos_overrides.")


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


def load(
    path: Path,
    nodes: Mapping[str, Mapping[str, str]],
    parameters: Mapping[str, Sequence[str]] | None = None,
) -> ParameterFile:
    """Read and check a parameter file.

    Args:
        path: The file.
        nodes: The nodes that exist; of each the parameters that the file must not set, and where their
            value comes from.
        parameters: Names of the parameters of each node; one that ends in a dot stands for all that
            begin so. Of nodes that are not in it anything is taken.

    Raises:
        FileError: it cannot be read, or is not YAML (with line and column).
        ConfigError: a key of another shape, an unknown node or parameter, a computed parameter, or a
            value that is not true, false, a number or a text.
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
            keys = [EVERY_NODE, *(f"{EVERY_NODE}/{node}" for node in nodes)]
            expected = f"only the keys {known}{_nearest(str(key), keys)}"
            raise ConfigError(path, "", str(key), content, expected)
        if not isinstance(content, dict) or list(content) != [SECTION]:
            raise ConfigError(path, "", str(key), content, f"one key {SECTION} below it")
        values: dict[str, Value] = {}
        _flatten(path, str(key), content[SECTION], "", values)
        affected = nodes.values() if name == EVERY_NODE else [nodes[name]]
        computed = {parameter: source for table in affected for parameter, source in table.items()}
        for parameter in values.keys() & computed.keys():
            expected = f"no {parameter} in this file: {computed[parameter]}"
            raise ConfigError(path, str(key), parameter, values[parameter], expected)
        tables = parameters or {}
        described = [node for node in (nodes if name == EVERY_NODE else [name]) if node in tables]
        if described:
            _check_names(path, str(key), values, described, tables)
        sections[name] = values
    return ParameterFile(path, sections)


def _node_of(key: object, nodes: Collection[str]) -> str | None:
    if key == EVERY_NODE:
        return EVERY_NODE
    name = str(key).removeprefix(f"{EVERY_NODE}/")
    return name if name != key and name in nodes else None


def _check_names(
    path: Path,
    where: str,
    values: Mapping[str, Value],
    nodes: Sequence[str],
    parameters: Mapping[str, Sequence[str]],
) -> None:
    """Every value must be a parameter of at least one of `nodes`."""
    known = dict.fromkeys(name for node in nodes for name in parameters[node])
    for name in values:
        taken = any(
            name == entry or (entry.endswith(".") and name.startswith(entry))
            for entry in (*known, *ROS_PARAMETERS)
        )
        if not taken:
            owner = nodes[0] if len(nodes) == 1 else "any node"
            near = _nearest(name, known) or f"; there are {', '.join(sorted(known))}"
            raise ConfigError(path, where, name, values[name], f"a parameter of {owner}{near}")


def _nearest(name: str, known: Collection[str]) -> str:
    """The known names that are spelt like `name`, for the end of a sentence; empty without any."""
    found = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"; nearest: {', '.join(found)}" if found else ""


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
