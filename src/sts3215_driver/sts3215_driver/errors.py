"""What can go wrong on the bus.

BusError
 +-- NoReplyError      nothing usable came back before the deadline
 |    +-- BadReplyError    something came back, but corrupt or of the wrong length
 +-- PortError         the port cannot be opened, or was lost while open
 +-- PayloadError      a request that must not go onto the bus
 +-- StartError        a servo is not as it must be before torque comes on
"""

from __future__ import annotations

from stride_base.errors import StrideError


class BusError(StrideError):
    """Base of everything that goes wrong between us and the servos."""


class NoReplyError(BusError):
    """A servo did not answer in time: absent, other baud rate, unpowered, or a lost packet."""


class BadReplyError(NoReplyError):
    """A servo answered, but with a wrong checksum or length (noise, or two servos with one id)."""


class PortError(BusError):
    """The serial port cannot be opened or was lost (unplugged, other end closed)."""


class PayloadError(BusError):
    """A request that no servo would understand, e.g. one that holds FF FF in its data."""


class StartError(BusError):
    """The robot cannot be started as it is; nothing was moved."""
