"""Giving a servo another id, so that a crash at any point leaves a servo that can be found.

step                 if it ends here
open the memory      the old id answers, memory open until power-off; run again
write the id         the new id answers, memory open; run again: only the closing is left to do
verify, close        done; the id is kept
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from stride_base.errors import RefusedError
from sts3215_driver.bus import Bus
from sts3215_driver.errors import NoReplyError
from sts3215_driver.protocol.packets import MAX_ID
from sts3215_driver.protocol.registers import BY_NAME
from sts3215_driver.tools.errors import VerifyError
from sts3215_driver.tools.examine import Knock, examine, knock
from sts3215_driver.tools.memory_lock import CLOSED, OPEN, is_open, set_lock
from sts3215_driver.tools.patience import ATTEMPTS, patiently
from sts3215_driver.tools.servo_facts import note_response_level, read_facts

_ID = BY_NAME["id"]


@dataclass(frozen=True)
class IdChange:
    """A servo that has a new id.

    Args:
        old, new: Ids.
        resumed: Whether an interrupted change was found and only had to be finished.
    """

    old: int
    new: int
    resumed: bool = False


def set_id(bus: Bus, old: int, new: int, force: bool = False) -> IdChange:
    """Change the id of the servo at `old` to `new`, kept at power-off.

    Args:
        force: Go on though two servos seem to share `old`: both would be changed.

    Raises:
        RefusedError: nothing was changed; says why.
        VerifyError: it went wrong on the way; says where the servo is now.
        NoReplyError, PortError
    """
    for servo_id in (old, new):
        if not 0 <= servo_id <= MAX_ID:
            raise RefusedError(f"{servo_id} is no id; expected 0 to {MAX_ID}")
    if old == new:
        raise RefusedError(f"servo {old} has this id already")
    here, there = knock(bus, old), knock(bus, new)
    if here is Knock.SILENT:
        return _resume(bus, old, new, there)
    if there is not Knock.SILENT:
        raise RefusedError(
            f"id {new} is taken: a servo answers there already; two servos of one id cannot be used"
        )
    if not force:
        refuse_double(bus, old)
    level = read_facts(bus, old).registers["response_level"]
    set_lock(bus, old, OPEN)
    note_response_level(bus, new, level)
    _move(bus, old, new)
    _close(bus, old, new)
    bus.unacknowledged.discard(old)
    if knock(bus, old) is not Knock.SILENT:
        raise VerifyError(
            f"servo {new} has its new id, but something still answers at {old}: "
            "there were two servos of this id"
        )
    return IdChange(old, new)


def refuse_double(bus: Bus, servo_id: int) -> None:
    """Raise RefusedError if two servos seem to share an id: a write would reach both."""
    examination = examine(bus, servo_id)
    if examination.looks_double:
        raise RefusedError(
            f"id {servo_id} looks like two servos with one id ({examination.evidence}): "
            "connect only one of them and try again"
        )


def _resume(bus: Bus, old: int, new: int, there: Knock) -> IdChange:
    """Nobody at `old`: an interrupted change, or no such servo."""
    if there is not Knock.ANSWERS:
        raise RefusedError(f"servo {old} does not answer; look for it with `stride scan`")
    note_response_level(bus, new, read_facts(bus, new).registers["response_level"])
    if not is_open(bus, new):
        raise RefusedError(
            f"servo {old} does not answer, and servo {new} is there with its memory closed: "
            "the id was changed before, or there is no such servo"
        )
    # The id in force may have come from a write that was not kept; once more, then it is.
    patiently(lambda: bus.write_register(new, _ID, new))
    _close(bus, old, new)
    return IdChange(old, new, resumed=True)


def _move(bus: Bus, old: int, new: int) -> None:
    """Write the id. The acknowledgement may carry either id or be lost: who answers where counts."""
    for _ in range(ATTEMPTS):
        with suppress(NoReplyError):
            bus.write_register(old, _ID, new)
        if knock(bus, new) is Knock.ANSWERS and _reads(bus, new) == new:
            return
    try:
        set_lock(bus, old, CLOSED)
    except NoReplyError:
        raise VerifyError(
            f"the servo answers neither at {old} nor at {new}, its memory may be open: "
            "cut its power, then look for it with `stride scan`"
        ) from None
    raise VerifyError(f"servo {old} does not take id {new}; it is still {old}, its memory closed")


def _close(bus: Bus, old: int, new: int) -> None:
    try:
        set_lock(bus, new, CLOSED)
    except NoReplyError as error:
        raise VerifyError(
            f"the servo has id {new}, but its memory may be open ({error}): "
            f"run `stride set-id {old} {new}` again, or cut its power"
        ) from error


def _reads(bus: Bus, servo_id: int) -> int:
    return patiently(lambda: bus.read_register(servo_id, _ID))
