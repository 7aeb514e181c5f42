"""Registers by the name that a person types."""

from __future__ import annotations

from difflib import get_close_matches

from stride_base.errors import RefusedError
from sts3215_driver.protocol.registers import BY_ADDRESS, BY_NAME, REGISTERS, Register

ALL = "all"


def find_register(name: str) -> Register:
    """The register called `name` (any case, `-` for `_`), or at the address that `name` is.

    Raises:
        RefusedError: there is none; suggests the nearest names.
    """
    wanted = name.strip().lower().replace("-", "_").replace(" ", "_")
    if wanted in BY_NAME:
        return BY_NAME[wanted]
    address = _number(wanted)
    if address is not None:
        if address in BY_ADDRESS:
            return BY_ADDRESS[address]
        raise RefusedError(f"no known register begins at address {address}; see `all` for a list")
    near = nearest(wanted)
    hint = f"did you mean {' or '.join(near)}?" if near else "`all` lists them"
    raise RefusedError(f"there is no register {name!r}; {hint}")


def find_registers(names: list[str] | tuple[str, ...]) -> tuple[Register, ...]:
    """All of `names`, in their order; every register for `all`. Raises RefusedError."""
    if any(name.lower() == ALL for name in names):
        return REGISTERS
    return tuple(find_register(name) for name in names)


def nearest(wanted: str) -> list[str]:
    """Up to three register names that look like `wanted`: those that hold it, then similar ones."""
    holding = [name for name in BY_NAME if len(wanted) > 2 and wanted in name]
    similar = get_close_matches(wanted, BY_NAME, n=3, cutoff=0.6)
    return list(dict.fromkeys([*similar[:1], *holding, *similar]))[:3]


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
