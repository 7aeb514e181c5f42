"""Reading XML that a stranger wrote: no DTD, no entities, nothing fetched, a bounded size."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from joint_module.errors import ModelError, UntrustedInputError
from stride_base.errors import MISSING, ConfigError
from stride_base.strict_json import FileError

MAXIMUM_BYTES = 16 * 1024 * 1024
MAXIMUM_ELEMENTS = 200_000

# Magnitudes beyond this are no robot, and overflow inside a simulator.
MAXIMUM_NUMBER = 1e9

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)

Element = ElementTree.Element


def read(path: Path) -> Element:
    """Root element of an XML file.

    Raises:
        FileError: it cannot be read.
        ModelError: it is no well-formed XML.
        UntrustedInputError: it declares a DTD or entities, or is far too large.
    """
    try:
        size = path.stat().st_size
        if size > MAXIMUM_BYTES:
            raise UntrustedInputError(
                f"{path.name}: has {size} bytes; an XML file of a joint module has at most "
                f"{MAXIMUM_BYTES}"
            )
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    return parse(data, path.name)


def parse(data: bytes, file: str) -> Element:
    """Root element of XML text; `file` names it in errors."""
    try:
        root: Element = fromstring(
            data, forbid_dtd=True, forbid_entities=True, forbid_external=True
        )
    except DefusedXmlException as error:
        raise UntrustedInputError(
            f"{file}: declares a document type or entities; remove <!DOCTYPE ...> and <!ENTITY ...>"
        ) from error
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ModelError(f"{file}: is not well-formed XML: {error}") from error
    if sum(1 for _ in root.iter()) > MAXIMUM_ELEMENTS:
        raise UntrustedInputError(f"{file}: has more than {MAXIMUM_ELEMENTS} XML elements")
    return root


def numbers(
    element: Element,
    attribute: str,
    count: int,
    file: str,
    where: str,
    default: Sequence[float] | None = None,
    largest: float = MAXIMUM_NUMBER,
) -> tuple[float, ...]:
    """`count` finite numbers in an attribute.

    Args:
        element: Element that holds the attribute.
        attribute: Its name.
        count: How many numbers it must hold, separated by spaces.
        file, where: For messages, e.g. ``gear.urdf`` and ``joint 'sun'``.
        default: What a missing attribute stands for; None makes it an error.
        largest: Magnitude that is still accepted.

    Raises:
        ConfigError: missing, no numbers, not finite, or another count.
    """
    field = f"{element.tag} {attribute}"
    text = element.get(attribute)
    expected = "a finite number" if count == 1 else f"{count} finite numbers"
    if text is None:
        if default is not None:
            return tuple(default)
        raise ConfigError(file, where, field, MISSING, expected)
    values = tuple(value for word in text.split() if (value := plain_number(word)) is not None)
    if len(values) != count or len(text.split()) != count:
        raise ConfigError(file, where, field, text, expected)
    if any(abs(value) > largest for value in values):
        raise ConfigError(file, where, field, text, f"{expected} of at most {largest:g}")
    return values


def plain_number(text: str) -> float | None:
    """The number that `text` is in plain decimal notation, perhaps infinite by overflow; else None.

    Python's own float() takes more than other readers do: 1_000, nan, digits of any script.
    """
    return float(text) if _NUMBER.match(text) else None


def number(
    element: Element, attribute: str, file: str, where: str, default: float | None = None
) -> float:
    """One finite number in an attribute; see `numbers`."""
    given = None if default is None else (default,)
    return numbers(element, attribute, 1, file, where, given)[0]


def name(element: Element, file: str, attribute: str = "name", where: str = "") -> str:
    """A name in an attribute, which must not be empty. Raises ConfigError."""
    value = element.get(attribute, "").strip()
    if not value:
        field = f"{element.tag} {attribute}"
        raise ConfigError(file, where, field, element.get(attribute, MISSING), "a name")
    return value


def only_child(element: Element, tag: str, file: str, where: str) -> Element | None:
    """The one child element `tag`, or None. Raises ConfigError if there are several."""
    found = element.findall(tag)
    if len(found) > 1:
        raise ConfigError(file, where, tag, f"{len(found)} elements", f"at most one <{tag}>")
    return found[0] if found else None
