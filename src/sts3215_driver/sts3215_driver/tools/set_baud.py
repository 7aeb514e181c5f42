"""Setting a servo to another baud rate, so that a crash at any point leaves a servo that can be found.

step                 if it ends here
open the memory      answers at the old rate, memory open until power-off; run again
write the rate       answers at the new rate, memory open; run again: only the closing is left
verify, close        done; the rate is kept
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError, PortError
from sts3215_driver.protocol.registers import BAUD_RATES, BY_NAME
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.examine import Knock, knock
from sts3215_driver.tools.memory_lock import CLOSED, OPEN, is_open, set_lock
from sts3215_driver.tools.patience import ATTEMPTS, patiently
from sts3215_driver.tools.servo_facts import read_facts
from sts3215_driver.tools.set_id import refuse_double

_BAUD = BY_NAME["baud_code"]

#: Opens the port at a rate in bit/s.
OpenBus = Callable[[int], Bus]


@dataclass(frozen=True)
class BaudChange:
    """A servo that has a new rate.

    Args:
        id: The servo.
        before, after: bit/s.
        resumed: Whether an interrupted change was found and only had to be finished.
    """

    id: int
    before: int
    after: int
    resumed: bool = False


def set_baud(
    open_bus: OpenBus, servo_id: int, before: int, after: int, force: bool = False
) -> BaudChange:
    """Change the rate of a servo that is reached at `before` bit/s to `after`, kept at power-off.

    Args:
        open_bus: Opens the port at a rate; only one is open at a time.
        force: Go on though two servos seem to share the id, or a board seems to convert the rate.

    Raises:
        RefusedError: nothing was changed; says why.
        VerifyError: it went wrong on the way; says where the servo is now.
        NoReplyError, PortError
    """
    code = _code(after)
    if before == after:
        raise RefusedError(f"the port is at {after} bit/s already; which rate does the servo have?")
    there = _knock_at(open_bus, servo_id, after)
    with _open(open_bus, before) as bus:
        here = knock(bus, servo_id)
        if here is not Knock.SILENT:
            if there is not Knock.SILENT:
                raise RefusedError(f"another servo {servo_id} answers at {after} bit/s already")
            _write(bus, servo_id, before, code, force)
    with _open(open_bus, after) as bus:
        if here is not Knock.SILENT:
            _conclude(bus, servo_id, before, code)
            return BaudChange(servo_id, before, after)
        return _resume(bus, servo_id, before, code, there)


def _code(rate: int) -> int:
    if rate not in BAUD_RATES:
        known = ", ".join(str(each) for each in BAUD_RATES)
        raise RefusedError(f"servos have no rate of {rate} bit/s; expected one of {known}")
    return BAUD_RATES.index(rate)


@contextmanager
def _open(open_bus: OpenBus, rate: int) -> Iterator[Bus]:
    bus = open_bus(rate)
    try:
        yield bus
    finally:
        bus.transport.close()


def _knock_at(open_bus: OpenBus, servo_id: int, rate: int) -> Knock:
    """Before anything is written: the adapter must be able to follow."""
    try:
        with _open(open_bus, rate) as bus:
            return knock(bus, servo_id)
    except PortError as error:
        raise RefusedError(
            f"nothing was changed: the port does not work at {rate} bit/s ({error})"
        ) from error


def _write(bus: Bus, servo_id: int, before: int, code: int, force: bool) -> None:
    if not force:
        refuse_double(bus, servo_id)
    code_now = read_facts(bus, servo_id).registers["baud_code"]
    now = BAUD_RATES[code_now] if code_now < len(BAUD_RATES) else 0
    if now != before and not force:
        raise RefusedError(
            f"the port runs at {before} bit/s, but servo {servo_id} at {now}: a board in between "
            "converts the rate, and could not reach the servo any more"
        )
    set_lock(bus, servo_id, OPEN)
    for _ in range(ATTEMPTS):
        with suppress(NoReplyError):
            bus.write_register(servo_id, _BAUD, code)
        # Silent at the old rate: it has taken the new one.
        if knock(bus, servo_id, attempts=2) is Knock.SILENT:
            return
    set_lock(bus, servo_id, CLOSED)
    raise VerifyError(
        f"servo {servo_id} does not take the new rate; it is still at {before} bit/s, memory closed"
    )


def _conclude(bus: Bus, servo_id: int, before: int, code: int) -> None:
    rate = BAUD_RATES[code]
    if knock(bus, servo_id, ATTEMPTS) is not Knock.ANSWERS:
        raise VerifyError(
            f"servo {servo_id} answers neither at {before} nor at {rate} bit/s, its memory may be "
            "open: cut its power, then look for it with `stride scan`"
        )
    read_facts(bus, servo_id)
    _close(bus, servo_id, before, code)


def _resume(bus: Bus, servo_id: int, before: int, code: int, there: Knock) -> BaudChange:
    """Nobody at the old rate: an interrupted change, or no such servo."""
    if there is not Knock.ANSWERS:
        raise RefusedError(
            f"servo {servo_id} does not answer at {before} bit/s; look for it with `stride scan`"
        )
    read_facts(bus, servo_id)
    if not is_open(bus, servo_id):
        raise RefusedError(
            f"servo {servo_id} does not answer at {before} bit/s, but at {BAUD_RATES[code]} with its "
            "memory closed: the rate was changed before"
        )
    patiently(lambda: bus.write_register(servo_id, _BAUD, code))
    _close(bus, servo_id, before, code)
    return BaudChange(servo_id, before, BAUD_RATES[code], resumed=True)


def _close(bus: Bus, servo_id: int, before: int, code: int) -> None:
    try:
        if patiently(lambda: bus.read_register(servo_id, _BAUD)) != code:
            raise VerifyError(
                f"servo {servo_id} answers, but shows another rate; memory still open"
            )
        set_lock(bus, servo_id, CLOSED)
    except NoReplyError as error:
        rate = BAUD_RATES[code]
        raise VerifyError(
            f"servo {servo_id} is at {rate} bit/s, but its memory may be open ({error}): "
            f"run `stride set-baud {servo_id} {rate} --baud {before}` again, or cut its power"
        ) from error
