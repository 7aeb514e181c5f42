"""Options as people type them: `name=value,name=value`."""

from __future__ import annotations

from stride_base.errors import ConfigError


def parse_options(text: str, where: str) -> dict[str, str]:
    """`a=1,b=2` as a dict; `where` names the option in messages.

    Raises:
        ConfigError: a part without `=`, or a name twice.
    """
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name or name in options:
            raise ConfigError(where, "", name or "option", part, "name=value, each name once")
        options[name] = value
    return options


def number(where: str, name: str, text: str) -> float:
    """A finite number, decimal or hexadecimal.

    Raises:
        ConfigError: anything else.
    """
    try:
        value = float(int(text, 16)) if text.lower().startswith("0x") else float(text)
    except ValueError:
        raise ConfigError(where, "", name, text, "a number") from None
    if not abs(value) < 1e9:
        raise ConfigError(where, "", name, text, "a finite number")
    return value
