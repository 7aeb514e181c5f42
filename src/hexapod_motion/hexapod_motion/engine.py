"""The motion engine: which sequence, which iteration. It computes no point and no angle.

    idle --request--> prepare -> main -> finalize -> idle, or the sequence asked for
                                 ^__|  looped, while nothing else is asked for

The limbs driver asks for the next iteration when the paths of the last one are done, and for nothing
in between: a change happens at the end of the whole main block, and finalize runs first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexapod_motion.arrays import FloatArray
from hexapod_motion.runs import is_same_place
from hexapod_motion.sequences import HOME, NONE, Block, Book, Iteration, Posture, Sequence


@dataclass(frozen=True)
class Answer:
    """What becomes of a request.

    Args:
        accepted: Whether it was taken.
        reason: What will happen, or why it was refused, in one sentence.
    """

    accepted: bool
    reason: str


class Engine:
    """State machine of the sequences; begins idle at the end of HOME, lying on the floor.

    Args:
        book: The sequences.
        log: Called with what happens: ``("current", name)``, ``("iter", name, index)``,
            ``("idle", name)``.
    """

    def __init__(
        self, book: Book, log: Callable[[tuple[object, ...]], None] = lambda _entry: None
    ) -> None:
        self._book, self._log = book, log
        self._pending = ""
        self._posture: Posture | None = None
        self._start(book.home)

    @property
    def current(self) -> Sequence:
        """The sequence that runs or ran last; its list says what may follow."""
        return self._current

    @property
    def names(self) -> tuple[str, ...]:
        """What there is to ask for: the sequences in the book's order, and NONE."""
        return (*self._book.sequences, NONE)

    @property
    def iteration(self) -> int:
        """Index of the iteration that was given out last; -1 before the first."""
        return self._index

    @property
    def block(self) -> Block:
        """The block it belongs to."""
        return self._current.block(max(self._index, 0))

    @property
    def idle(self) -> bool:
        """Whether no sequence runs."""
        return self._idle

    @property
    def pending(self) -> str:
        """The request that waits for its turn: a name, NONE, or empty."""
        return self._pending

    @property
    def posture(self) -> Posture | None:
        """What carries the robot; None while a sequence runs, and when it is not known."""
        return self._posture

    @property
    def lost(self) -> bool:
        """Whether the pose is none that a sequence starts in, so that only HOME may be asked for."""
        return self._idle and self._posture is None

    def request(self, name: str) -> Answer:
        """Ask for a sequence, or for NONE to stop. The last accepted request wins."""
        refusal = self.refusal(name)
        if refusal:
            return Answer(False, refusal)
        if self._idle:
            self._pending = "" if name == NONE else name
            return Answer(True, f"{name} starts" if self._pending else "nothing runs")
        current, block = self._current, self.block
        if name == current.name and current.looped and block is not Block.FINALIZE:
            self._pending = ""
            return Answer(True, f"{name} goes on")
        self._pending = name
        wait = "when" if block is Block.FINALIZE else "after the main block, when"
        what = "stops" if name == NONE else f"{name} starts"
        return Answer(True, f"{what} {wait} {current.name} is finished")

    def refusal(self, name: str) -> str:
        """Why `request` would refuse `name` now; empty: it would accept. Changes nothing."""
        current = self._current
        if name not in self.names:
            return f"there is no sequence {name!r}; there are {', '.join(self.names)}"
        if self.lost:
            if name in (HOME, NONE):
                return ""
            return f"the limbs were stopped on the way; {HOME} brings them to the floor first"
        if name not in current.available:
            known = ", ".join(current.available) or "nothing"
            return f"{name} may not follow {current.name}; {known} may"
        posture = self._posture or current.ends
        if name != NONE and posture not in self._book.sequences[name].starts:
            return f"{name} does not start {posture.value}"
        return ""

    def withdraw(self) -> None:
        """Forget the request that waits."""
        self._pending = ""

    def lose_posture(self) -> None:
        """Drop everything: the limbs were stopped somewhere on the way."""
        self._pending, self._idle, self._posture = "", True, None

    def start_home(self) -> None:
        """Begin HOME, from wherever the limbs have been brought."""
        self._pending = ""
        self._start(self._book.home)

    def next_iteration(self, present: FloatArray) -> Iteration | None:
        """The iteration to follow now that the last one is done; None: hold, nothing is to do.

        Args:
            present: (6, 3) where the limbs are, mm. Iterations that would not move them are passed.
        """
        # A looped table that moves nothing passes for ever; it is looked at again in the next frame.
        for _ in range(2 * len(self._current.iterations) + 2 + len(self._book.home.iterations)):
            if self._idle and not self._take_pending():
                return None
            self._index = self._following()
            if self._index == len(self._current.iterations):
                self._finish()
                continue
            self._log(("iter", self._current.name, self._index))
            iteration = self._current.iterations[self._index]
            if not is_same_place(iteration.points, present):
                return iteration
        return None

    def _take_pending(self) -> bool:
        if not self._pending:
            return False
        name, self._pending = self._pending, ""
        self._start(self._book.sequences[name])
        return True

    def _start(self, sequence: Sequence) -> None:
        self._current, self._index, self._idle = sequence, -1, False
        self._posture = None
        self._log(("current", sequence.name))

    def _following(self) -> int:
        """Index after the present one; at the end of main this is where changes happen."""
        following, current = self._index + 1, self._current
        if following == current.finalize_begin and current.looped and not self._pending:
            return current.main_begin
        return following

    def _finish(self) -> None:
        current = self._current
        self._index = len(current.iterations) - 1
        self._posture, self._idle = current.ends, True
        if self._pending == NONE:
            self._pending = ""
        if not self._pending:
            self._log(("idle", current.name))
