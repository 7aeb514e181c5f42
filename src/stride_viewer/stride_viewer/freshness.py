"""Tells what a browser says just now from what was held up on the way.

A network or a viewer that stands still for a while delivers everything afterwards. A robot must not
stand up because somebody pressed a button in vain a while ago.
"""

from __future__ import annotations

import math
from collections import deque

#: What comes later than this was not asked for now, s.
LATE = 2.0
#: The fastest way in this time is what others are compared with, s. Longer than a connection can
#: stand still without being given up, and short, because a browser's clock may be set back.
WINDOW = 60.0


class Freshness:
    """Lateness of one browser's messages, by its own clock and ours, which need not agree."""

    def __init__(self) -> None:
        self._ways: deque[tuple[float, float]] = deque()

    def note(self, sent: float, now: float) -> None:
        """A message came, of any kind.

        Args:
            sent: By the browser's clock, s; what is no finite number is ignored.
            now: By ours, s.
        """
        while self._ways and now - self._ways[0][0] > WINDOW:
            self._ways.popleft()
        if math.isfinite(sent):
            self._ways.append((now, now - sent))

    def lateness(self, sent: float, now: float) -> float:
        """How much longer a message took than the fastest of late, s; also notes it."""
        self.note(sent, now)
        return now - sent - min((way for _, way in self._ways), default=math.inf)
