"""The error byte of a status packet (and register 65): it comes beside data, not instead."""

from __future__ import annotations

from enum import IntFlag


class Flags(IntFlag):
    """Alarms of a servo. Source: protocol manual, memory table V3.7."""

    NONE = 0
    VOLTAGE = 1
    SENSOR = 2
    TEMPERATURE = 4
    CURRENT = 8
    UNKNOWN_BIT4 = 16
    OVERLOAD = 32
    UNKNOWN_BIT6 = 64
    UNKNOWN_BIT7 = 128


def flag_names(flags: int) -> list[str]:
    """Every alarm that is set, lower case, lowest bit first."""
    return [
        str(flag.name).lower() for flag in Flags if flag is not Flags.NONE and flags & flag.value
    ]
