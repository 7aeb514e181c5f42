"""Lists of ids as people type them: ``1,3,5-9``."""

from __future__ import annotations

from stride_base.errors import RefusedError
from sts3215_driver.protocol.packets import MAX_ID


def parse_ids(text: str) -> list[int]:
    """The ids of a list, in its order, each once.

    Raises:
        RefusedError: not a list of ids from 0 to 253.
    """
    ids: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise RefusedError(f"{text!r} is no list of ids; expected e.g. 1,3,5-9")
        span = range(int(first), int(last if dash else first) + 1)
        if not span or span[-1] > MAX_ID:
            raise RefusedError(
                f"{part!r} is no range of ids; expected 0 to {MAX_ID}, lower id first"
            )
        ids += span
    return list(dict.fromkeys(ids))
