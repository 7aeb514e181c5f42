"""What can go wrong in the tools, beside the errors of the bus.

BusError
 +-- VerifyError            a servo did not take or keep what was written; says in what state it is now
 +-- PortError
      +-- UnusablePortError    the port is absent, in use or forbidden: no other rate will help
"""

from __future__ import annotations

from sts3215_driver.errors import BusError, PortError


class VerifyError(BusError):
    """A write was not found again when read back, or the servo fell silent in the middle."""


class UnusablePortError(PortError):
    """A port that cannot be opened at any rate: it does not exist, is held by another program, or the
    user may not use it."""
