"""A reply on its way from a servo to the host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """Bytes that a servo sends.

    Args:
        servo_id: Who sends them.
        start: When, counted from the moment at which a single servo would answer, s.
        data: The bytes.
        late: How much later than on the wire they arrive at the host, s.
    """

    servo_id: int
    start: float
    data: bytes
    late: float = 0.0
