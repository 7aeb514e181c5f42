"""What can go wrong when a servo's settings are changed.

BusError
 +-- VerifyError     a servo did not take or keep what was written; says in what state it is now
"""

from __future__ import annotations

from sts3215_driver.errors import BusError


class VerifyError(BusError):
    """A write was not found again when read back, or the servo fell silent in the middle."""
