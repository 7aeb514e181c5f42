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
import re
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stride_base.errors import ConfigError
from stride_base.parameters import Value
from stride_base.strict_json import FileError

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


class _Loader(yaml.SafeLoader):
    """As ROS 2 reads it: `1e6` is a number. A key may stand only once."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)$"),
    list("-+.0123456789"),
)


def _mapping_without_repeats(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Hashable] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if not isinstance(key, Hashable):
            continue
        if key in seen:
            mark = key_node.start_mark
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} stands there twice", mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping_without_repeats)


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
    document = _read(path)
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


def _read(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise FileError(f"{path}: is not YAML: {error.problem}{place}") from error
    except yaml.YAMLError as error:
        raise FileError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error


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
