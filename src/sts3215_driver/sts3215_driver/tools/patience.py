"""Noise costs a packet now and then; a tool asks again before it calls a servo missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sts3215_driver.errors import NoReplyError

ATTEMPTS = 5
Answer = TypeVar("Answer")


def patiently(exchange: Callable[[], Answer], attempts: int = ATTEMPTS) -> Answer:
    """Repeat an exchange that does the same each time until it succeeds.

    Raises:
        NoReplyError: it failed `attempts` times.
    """
    for _ in range(attempts - 1):
        try:
            return exchange()
        except NoReplyError:
            continue
    return exchange()
