"""What the bus needs of a port."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sts3215_driver.clock import Clock


class Transport(ABC):
    """A half-duplex byte stream with a clock. Only the bus thread calls it."""

    #: The clock that `read` deadlines refer to.
    clock: Clock

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            PortError: the port was lost.
        """

    @abstractmethod
    def read(self, deadline: float) -> bytes:
        """Wait until bytes are there or `deadline` (s, of `clock`) has come; never polls.

        Returns:
            What has arrived, empty at the deadline.

        Raises:
            PortError: the port was lost.
        """

    @abstractmethod
    def drain(self) -> bytes:
        """Everything that waits to be read, without waiting for more.

        Raises:
            PortError: the port was lost.
        """

    @abstractmethod
    def close(self) -> None:
        """Give the port back; closing twice is fine."""
