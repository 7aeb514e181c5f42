"""Where sources disagree about the firmware, or versions differ: a switch for each.

The defaults are what a firmware 3.10 does according to a differential test against the original.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from stride_base.errors import ConfigError


@dataclass(frozen=True)
class Firmware:
    """Behaviour of one firmware.

    Args:
        version: Major and minor. From 3.10 on CALIBRATE exists and offsets of 0 to 8191 are read.
        id_ack: Whether the acknowledgement of a changed id carries the "old" or the "new" one.
        locked_writes: EEPROM writes while locked are "volatile" (lost at power-off) or "dropped".
        overload: "clears" by itself when the drive eases, reverses or gets a new goal; or stays
            "latched" until torque goes off or power is cycled, as field reports have it.
        sync_read: Whether SYNC_READ is known; old firmware stays silent.
    """

    version: tuple[int, int] = (3, 10)
    id_ack: str = "old"
    locked_writes: str = "volatile"
    overload: str = "clears"
    sync_read: bool = True

    @property
    def extended_offset(self) -> bool:
        """Whether offsets beyond 2047 can be stored."""
        return self.version >= (3, 10)


_CHOICES = {
    "id_ack": ("old", "new"),
    "locked_writes": ("volatile", "dropped"),
    "overload": ("clears", "latched"),
    "sync_read": ("yes", "no"),
}


def parse_firmware(options: Mapping[str, str], where: str = "firmware") -> Firmware:
    """A Firmware from words, e.g. `{"version": "3.9", "id_ack": "new"}`.

    Raises:
        ConfigError: an unknown switch or position.
    """
    firmware = Firmware()
    for name, word in options.items():
        if name == "version":
            match = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", word, re.ASCII)
            if match is None:
                raise ConfigError(where, "", name, word, "a version like 3.10")
            firmware = replace(firmware, version=(int(match[1]), int(match[2])))
        elif name not in _CHOICES:
            known = ", ".join(field.name for field in fields(Firmware))
            raise ConfigError(where, "", name, word, f"one of the switches {known}")
        elif word not in _CHOICES[name]:
            raise ConfigError(where, "", name, word, f"one of {', '.join(_CHOICES[name])}")
        elif name == "sync_read":
            firmware = replace(firmware, sync_read=word == "yes")
        else:
            firmware = replace(firmware, **{name: word})  # type: ignore[arg-type]
    return firmware
