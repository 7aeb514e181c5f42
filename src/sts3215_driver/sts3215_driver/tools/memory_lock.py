"""Opening and closing a servo's memory: settings are kept at power-off only while it is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sts3215_driver.bus import Bus
from sts3215_driver.errors import BusError
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.patience import ATTEMPTS, patiently

OPEN, CLOSED = 0, 1
_LOCK = BY_NAME["lock"]


@contextmanager
def open_memory(bus: Bus, servo_id: int) -> Iterator[None]:
    """Open the memory of one servo, and close it again whatever happens in between.

    Raises:
        VerifyError: it does not open or does not close; says what it is now.
        NoReplyError, PortError
    """
    set_lock(bus, servo_id, OPEN)
    try:
        yield
    except BaseException as error:
        try:
            set_lock(bus, servo_id, CLOSED)
        except BusError:
            raise VerifyError(
                f"{str(error) or 'interrupted'}; the memory of servo {servo_id} may still be open: "
                "run the command again, or cut its power"
            ) from error
        raise
    set_lock(bus, servo_id, CLOSED)


def set_lock(bus: Bus, servo_id: int, state: int) -> None:
    """Write the lock register until it reads `state`.

    Raises:
        VerifyError, NoReplyError, PortError
    """
    for _ in range(ATTEMPTS):
        patiently(lambda: bus.write_register(servo_id, _LOCK, state))
        if is_open(bus, servo_id) == (state == OPEN):
            return
    word, is_now = ("open", "closed") if state == OPEN else ("close", "open until its power is cut")
    raise VerifyError(f"servo {servo_id}: its memory does not {word}; it is {is_now}")


def is_open(bus: Bus, servo_id: int) -> bool:
    """Whether settings that are written now would outlast the power.

    Raises:
        NoReplyError, PortError
    """
    return patiently(lambda: bus.read_register(servo_id, _LOCK)) == OPEN
