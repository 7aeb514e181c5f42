"""Who drives, with a dead man's grip: a velocity holds only while somebody keeps saying so."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stride_base.errors import RefusedError

#: A grip that is not renewed for so long is let go, s. Pages renew it ten times a second.
GRIP = 0.4
#: After a grip ends, zero is sent this often: one of them arrives.
ZEROS = 3


@dataclass(frozen=True)
class Velocity:
    """Wanted velocity of the body: m/s forward, m/s to the left, rad/s counter-clockwise."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


STILL = Velocity()


class Pilot:
    """Velocities from any number of pages; the last one that speaks drives.

    Stepped with explicit time, s. `step` says what to send, and is called more often than `GRIP`.
    """

    def __init__(self) -> None:
        self._driver = ""
        self._velocity = STILL
        self._renewed = -math.inf
        self._zeros = 0
        # Pages that held and did not let go yet, and those of them that STOP came upon.
        self._gripping: set[str] = set()
        self._stopped: set[str] = set()

    @property
    def driver(self) -> str:
        """The page that drives; empty: nobody."""
        return self._driver

    @property
    def velocity(self) -> Velocity:
        """What it asks for."""
        return self._velocity

    def hold(self, page: str, velocity: Velocity, now: float) -> None:
        """`page` drives with `velocity` for the next GRIP seconds.

        Raises:
            RefusedError: a number is not finite, or STOP was pressed and the grip is that of before.
        """
        if not all(map(math.isfinite, (velocity.forward, velocity.left, velocity.turn))):
            raise RefusedError("the velocity is no finite number")
        self._gripping.add(page)
        if page in self._stopped:
            raise RefusedError("STOP was pressed; let go of the pad first")
        self._driver, self._velocity, self._renewed = page, velocity, now

    def release(self, page: str) -> None:
        """`page` lets go; nothing changes if another one drives."""
        self._gripping.discard(page)
        self._stopped.discard(page)
        self.lose(page)

    def lose(self, page: str) -> None:
        """`page` cannot be heard; whether its pad is still held is not known."""
        if page == self._driver:
            self._let_go()

    def stop(self) -> None:
        """Let go whoever drives; every grip that is held on does not count until it was let go.

        Also grips that do not drive just now: another page spoke last, or theirs was not heard for a
        while.
        """
        self._stopped |= self._gripping
        self._let_go()

    def step(self, now: float) -> Velocity | None:
        """What to send now; None: nothing."""
        if self._driver and now - self._renewed > GRIP:
            self._let_go()
        if self._driver:
            return self._velocity
        if self._zeros:
            self._zeros -= 1
            return STILL
        return None

    def _let_go(self) -> None:
        if self._driver:
            self._zeros = ZEROS
        self._driver, self._velocity = "", STILL
