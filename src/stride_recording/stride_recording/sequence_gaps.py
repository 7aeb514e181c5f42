"""How many messages never arrived, told from the publishers' own numbers."""

from __future__ import annotations


class SequenceGaps:
    """Each publisher of a topic counts its messages; a message does not say whose it is.

    A number that follows a known one continues it. Another one begins a publisher as long as fewer are
    known than there are, and leaves a gap otherwise.
    """

    def __init__(self) -> None:
        # Newest number of each publisher, the one heard last at the end.
        self._newest: list[int] = []
        #: Messages that never arrived.
        self.lost = 0

    def add(self, number: int, publishers: int) -> None:
        """Take a message's number.

        Args:
            number: From 1; 0 where the middleware tells none.
            publishers: How many there are.
        """
        if number <= 0:
            return
        newest = self._newest
        before = [known for known in newest if known < number]
        if number - 1 in before:
            newest.remove(number - 1)
        elif before and len(newest) >= max(publishers, 1):
            newest.remove(max(before))
            self.lost += number - 1 - max(before)
        newest.append(number)
        # Of a publisher that is gone.
        del newest[: -max(publishers, 1)]
