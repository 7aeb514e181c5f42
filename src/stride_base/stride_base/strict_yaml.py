"""YAML without surprises: no duplicate keys, only texts as keys, numbers as everyone writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from stride_base.errors import ConfigError
from stride_base.strict_json import FileError, read_text

#: Longer integers become floats (and infinity at last), so that later arithmetic cannot overflow.
LONGEST_INTEGER = 18


def load(path: str | Path) -> Any:
    """Read one YAML document. NaN and infinities are left to the checks of their fields.

    Raises:
        FileError: unreadable, not UTF-8, or not YAML (with line and column).
        ConfigError: a duplicate key, or a key that is not a text.
    """
    return loads(read_text(path), path)


def loads(text: str, file: str | Path = "YAML") -> Any:
    """Parse one YAML document; `file` names it in errors."""
    try:
        loader = _Loader(text)
        loader.file = str(file)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise FileError(f"{file}: is not YAML: {error.problem}{place}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise FileError(f"{file}: is not YAML: {str(error).splitlines()[0]}") from error


def dumps(document: Any) -> str:
    """YAML text that `loads` reads as the same document; keys keep their order."""
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100)
    return text


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses what it would otherwise resolve in silence."""

    file = "YAML"

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, value_node in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            where = f"line {key_node.start_mark.line + 1}"
            if not isinstance(key, str):
                raise ConfigError(self.file, where, "key", key, "a text, in quotes if need be")
            if key in seen:
                value = self.construct_object(value_node, deep=True)
                raise ConfigError(self.file, where, key, value, "each key only once in a mapping")
            seen.add(key)
        return super().construct_mapping(node, deep)

    def construct_integer(self, node: yaml.ScalarNode) -> int | float:
        digits = node.value.replace("_", "")
        if len(digits.lstrip("+-")) > LONGEST_INTEGER:
            return float(digits)
        return int(self.construct_yaml_int(node))


class _Dumper(yaml.SafeDumper):
    """SafeDumper that puts in quotes what `_Loader` would not take for a text."""


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_integer)
# YAML 1.1 takes 1e-3 and 1.5e3 for texts (no point, no sign); ROS and YAML 1.2 do not.
for _kind in (_Loader, _Dumper):
    _kind.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+$"),
        list("-+.0123456789"),
    )
